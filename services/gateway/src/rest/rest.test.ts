// REST answers that need no worker, with a hand-made app.
import { type Refusal, refuse } from '@taskgraph/wire/errors';
import { expect, it } from 'vitest';
import type { CalendarHandler } from '../accounts/calendars/calendar-handler.ts';
import { publicRoute } from '../accounts/route.ts';
import { createObserve } from '../calls/call-observer.ts';
import { countInFlight } from '../calls/in-flight.ts';
import { createServedFile } from '../files/served-file.ts';
import { createCompression } from '../http/compression.ts';
import type { App } from '../http/uws.ts';
import type { Caller, Limits } from '../limits/limits.ts';
import { anyRequests, lastingTokens, withoutWaiting } from '../test/support/open-requests.ts';
import { serveRest } from './rest.ts';

interface RestOutcome {
  status: string;
  type: string;
  body: Record<string, unknown>;
  headers: Record<string, string>;
  /** The requested limits and their callers. */
  taken: [names: readonly string[], caller: Caller][];
  /** The outcomes of the calls in metrics. */
  outcomes: string[];
}

/** The headers of every answer, for every outcome. */
const GUARDED = {
  'Cache-Control': 'no-store',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Cross-Origin-Resource-Policy': 'same-site',
  'Referrer-Policy': 'no-referrer',
  'Strict-Transport-Security': 'max-age=60',
  'X-Content-Type-Options': 'nosniff',
};
const FORM = createServedFile({ bytes: Buffer.from('<!doctype html>'), kind: 'html', headers: {} });
const PAGE = 'https://app.example.com';
const told = { 'RateLimit-Limit': '5', 'RateLimit-Remaining': '4', 'RateLimit-Reset': '10' };

interface RestSetup {
  problem?: string | null;
  /** The limits' verdict. */
  refusal?: ReturnType<typeof refuse> | null;
  headers?: Record<string, string>;
  /** What calendars answer. */
  calendars?: CalendarHandler['answer'];
  /** What the route `oidc:login` does. */
  signIn?: () => Promise<Refusal>;
}

/** Asks the gateway over REST, without a token. */
async function ask(
  method: string,
  path: string,
  { problem = null, refusal = null, headers: sent = {}, signIn, calendars }: RestSetup = {},
): Promise<RestOutcome> {
  const answered: RestOutcome = { status: '', type: '', body: {}, headers: {}, taken: [], outcomes: [] };
  const inFlight = countInFlight();
  const limits: Pick<Limits, 'take'> = {
    async take(names, caller) {
      answered.taken.push([names, caller]);
      return { refusal, headers: told };
    },
  };
  let handler: ((response: unknown, request: unknown) => void) | undefined;
  const app = {
    any: (_: string, taken: typeof handler) => {
      handler = taken;
    },
  };
  serveRest(app as unknown as App, {
    authenticate: async () => refuse('unauthorized', 'No.'),
    tokens: lastingTokens,
    waitingCalls: withoutWaiting,
    dispatch: () => Promise.reject(new Error('nothing is dispatched')),
    accountRoutes: signIn === undefined ? [] : [publicRoute({ name: 'oidc:login' }, signIn)],
    allowedOrigins: [PAGE],
    cookies: { isSecure: true },
    hstsSeconds: 60,
    agents: false,
    ...(calendars === undefined ? {} : { calendars: { answer: calendars } }),
    files: { get: (path) => (path === '/signin' ? FORM : undefined) },
    compression: createCompression({ isOn: false }),
    problem: () => problem,
    isStopping: () => false,
    inFlight,
    limits,
    requests: anyRequests(),
    addressOf: (remote, forwarded) => `${remote} for ${forwarded}`,
    observe: createObserve({
      metrics: { note: ({ outcome }) => void answered.outcomes.push(outcome) },
      log: { debug: () => undefined },
    }),
    shareOf: (email) => email,
    audit: () => undefined,
    log: { error: () => undefined },
  });
  const response = {
    onAborted: () => undefined,
    getRemoteAddressAsText: () => new TextEncoder().encode('10.0.0.1').buffer,
    cork: (write: () => void) => write(),
    writeStatus: (status: string) => {
      answered.status = status;
    },
    writeHeader: (name: string, value: string) => {
      if (name === 'Content-Type') answered.type = value;
      answered.headers[name] = value;
    },
    endWithoutBody: () => undefined,
    end: () => {
      answered.body = {};
    },
    tryEnd: (bytes: Uint8Array) => {
      answered.body = JSON.parse(Buffer.from(bytes).toString());
      return [true, true];
    },
  };
  const request = {
    getMethod: () => method,
    getUrl: () => path.split('?')[0],
    getQuery: () => path.split('?')[1],
    getHeader: (name: string) => sent[name] ?? '',
    forEach: (visit: (name: string, value: string) => void) => {
      for (const [name, value] of Object.entries(sent)) visit(name, value);
    },
  };
  handler?.(response, request);
  await inFlight.idle(1_000);
  return answered;
}

it('[WIRE3] reports health without a token', async () => {
  const trace_id = expect.stringMatching(/^[0-9a-f]{32}$/);
  const body = { ok: true, status: 'up', trace_id };
  const type = 'application/json; charset=utf-8';
  expect(await ask('get', '/api/health')).toMatchObject({ status: '200 OK', type, body });
});

it('[GEN3] reports a failed health check with its reason, with 500 and internal', async () => {
  const { status, body } = await ask('get', '/api/health', { problem: 'The message bus is not connected.' });
  expect(status).toBe('500 Internal Server Error');
  expect(body).toMatchObject({ ok: false, error: 'internal', message: 'The message bus is not connected.' });
});

it('[GEN7] answers 404 for an unknown path', async () => {
  for (const path of ['/api/v1/graph', '/health']) {
    expect(await ask('get', path)).toMatchObject({ status: '404 Not Found', body: { ok: false, error: 'not_found' } });
  }
});

it('[WIRE1] names the methods of a path if called by another', async () => {
  for (const [method, path, Allow] of [
    ['post', '/api/health', 'GET, HEAD'],
    ['patch', '/api/node', 'POST, PUT, DELETE, GET'],
    ['head', '/api/graph', 'GET'],
  ] as const) {
    const { status, headers } = await ask(method, path);
    expect([status, headers.Allow]).toEqual(['405 Method Not Allowed', Allow]);
  }
  expect((await ask('post', '/api/health')).body).toMatchObject({ ok: false, error: 'bad_request.method' });
});

it('[ICAL2 WIRE1] no search engine indexes an answer at the path of a calendar, and only GET and HEAD read there', async () => {
  const path = '/calendar/cal_x.ics';
  const calendars: CalendarHandler['answer'] = () => Promise.reject(new Error('broken'));
  const requests: [method: string, asked: RestSetup, status: string][] = [
    ['get', {}, '500 Internal Server Error'],
    ['get', { headers: { origin: 'https://elsewhere.example' } }, '403 Forbidden'],
    ['post', {}, '405 Method Not Allowed'],
    ['delete', {}, '405 Method Not Allowed'],
    ['put', { refusal: refuse('rate_limited', 'Too many.') }, '429 Too Many Requests'],
  ];
  for (const [method, asked, status] of requests) {
    const answered = await ask(method, path, { ...asked, calendars });
    expect([answered.status, answered.headers['X-Robots-Tag']], method).toEqual([status, 'noindex']);
  }
  const { headers, body } = await ask('put', path, { calendars });
  expect([headers.Allow, body.error]).toEqual(['GET, HEAD', 'bad_request.method']);
  // Other paths are indexed or not as their pages say.
  expect((await ask('get', '/api/health', { calendars })).headers).not.toHaveProperty('X-Robots-Tag');
});

it('[LIM1 LIM2] counts health by address, twice, and anonymous callers by address; every answer reports the remaining calls', async () => {
  const health = await ask('head', '/api/health', { headers: { 'x-forwarded-for': '10.0.0.2' } });
  expect(health.taken).toEqual([
    [['health:minute', 'health:hour'], expect.objectContaining({ ip: '10.0.0.1 for 10.0.0.2' })],
  ]);
  const others: [string, string, Record<string, string>][] = [
    ['get', '/api/nothing', {}],
    ['get', '/api/graph', {}],
    ['get', '/api/graph', { origin: 'https://elsewhere.example' }],
    ['post', '/api/node', { 'content-length': '9999999' }],
  ];
  for (const [method, path, headers] of others) {
    const answered = await ask(method, path, { headers });
    expect(answered.headers).toMatchObject(told);
    expect(answered.taken).toHaveLength(1);
    expect(answered.taken[0]?.[1]).toMatchObject({ ip: '10.0.0.1 for ' });
  }
});

it('[WALK2 LIM1] counts a page with `after` as a socket does, and not for `rest`', async () => {
  const names = async (path: string) => (await ask('get', path)).taken.map(([limits]) => limits);
  for (const path of ['/api/graph', '/api/graph?limit=5', '/api/node?ids=a&after=b'])
    expect(await names(path)).toEqual([['rest', 'rest:call']]);
  expect(await names('/api/graph?limit=5&after=b')).toEqual([['rest:call', 'socket', 'graph:walk']]);
});

it('[LIM2] answers 429 with the headers beyond a limit, also for an invalid token', async () => {
  const refusal = refuse('rate_limited', 'Too many.', { limit: 'rest', retryAfterMs: 5 });
  for (const path of ['/api/health', '/api/graph', '/api/nothing']) {
    const { status, body, headers } = await ask('get', path, { refusal });
    expect(status).toBe('429 Too Many Requests');
    expect(body).toMatchObject({ ok: false, error: 'rate_limited', details: { limit: 'rest', retryAfterMs: 5 } });
    expect(headers).toMatchObject(told);
  }
});

it('every REST answer has the security headers for browsers', async () => {
  const origin = 'https://elsewhere.example';
  const requests: [method: string, path: string, asked?: RestSetup][] = [
    ['get', '/api/health'],
    ['head', '/api/health'],
    ['get', '/api/health', { problem: 'It is not up.' }],
    ['get', '/api/graph'],
    ['post', '/api/node', { headers: { 'content-length': '9999999' } }],
    ['get', '/api/nothing'],
    ['get', '/ext-socket.io/'],
    ['options', '/api/node'],
    ['get', '/api/graph', { headers: { origin } }],
    ['get', '/api/health', { refusal: refuse('rate_limited', 'Too many.') }],
  ];
  for (const [method, path, asked] of requests) {
    expect((await ask(method, path, asked)).headers, `${method} ${path}`).toMatchObject(GUARDED);
  }
});

it('only pages of configured origins may read answers, with their cookies', async () => {
  const readable = { 'Access-Control-Allow-Origin': PAGE, 'Access-Control-Allow-Credentials': 'true', Vary: 'Origin' };
  for (const [method, path] of [
    ['get', '/api/health'],
    ['get', '/api/graph'],
    ['options', '/api/node'],
  ] as const) {
    const { headers } = await ask(method, path, { headers: { origin: PAGE } });
    expect(headers).toMatchObject({ ...readable, 'Cross-Origin-Resource-Policy': 'cross-origin' });
    for (const origin of ['https://elsewhere.example', 'null', `${PAGE}.example`, `${PAGE}:8443`]) {
      const refused = await ask(method, path, { headers: { origin } });
      expect(refused.status).toBe('403 Forbidden');
      expect(Object.keys(refused.headers).filter((name) => name.startsWith('Access-Control'))).toEqual([]);
    }
  }
  const { headers } = await ask('options', '/api/node', { headers: { origin: PAGE } });
  expect(headers['Access-Control-Allow-Methods']).toBe('POST, PUT, DELETE, GET');
});

it('[CON43] a refused navigation counts as refused or failed, and an internal error has its own answer', async () => {
  const headers = { accept: 'text/html' };
  for (const [code, outcome] of [
    ['unauthorized', 'refused'],
    ['unavailable', 'error'],
  ] as const) {
    const signIn = async () => refuse(code, 'No.');
    const refused = await ask('get', '/api/oidc/login', { headers, signIn });
    expect(refused).toMatchObject({ status: '303 See Other', outcomes: [outcome] });
    expect(refused.headers.Location).toBe(`/signin#refused=${code}`);
  }
  const signIn = () => Promise.reject(new Error('a bug'));
  const failed = await ask('get', '/api/oidc/login', { headers, signIn });
  expect(failed).toMatchObject({ status: '500 Internal Server Error', outcomes: ['error'] });
  expect(failed.body).toMatchObject({ error: 'internal.exception', trace_id: expect.any(String) });
});
