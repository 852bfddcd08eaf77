// The callers of REST calls, with a hand-made app and workers that only record the caller.
import { newTokenText } from '@taskgraph/runtime/security/tokens';
import { refuse } from '@taskgraph/wire/errors';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type Authenticate, createAuthenticator } from '../auth/authentication.ts';
import { hashOf, type Identity } from '../auth/token.ts';
import { createWrongTokens } from '../auth/wrong-tokens.ts';
import { countInFlight } from '../calls/in-flight.ts';
import { createCompression } from '../http/compression.ts';
import type { App } from '../http/uws.ts';
import { noLimits } from '../limits/limits.ts';
import { anyRequests, lastingTokens, withoutWaiting } from '../test/support/open-requests.ts';
import { madeRoute } from '../test/support/routes.ts';
import { unobserved } from '../test/support/unobserved.ts';
import { answeredBy } from '../test/support/worker-answers.ts';
import { serveRest } from './rest.ts';

const SESSION = newTokenText('session');
const STALE = newTokenText('session');
const user = { id: '01890000-0000-7000-8000-000000000001', username: 'ann', email: 'ann@example.com' };
const token = { id: '01890000-0000-7000-8000-00000000000a', kind: 'session', readOnly: false, expires: null } as const;
const identity: Identity = { user, token };
const HOST = 'tasks.example.com';

const payload = z.strictObject({});
const accountRoutes = [
  madeRoute({ name: 'open', rest: { method: 'POST', path: '/api/open' }, payload }, async () => ({
    body: { who: null },
    headers: { 'Set-Cookie': ['a=1', 'b=2'] },
  })),
  madeRoute(
    { name: 'own', rest: { method: 'POST', path: '/api/own' }, payload, caller: 'session', changes: true },
    async (_payload, who) => ({ body: { who: who?.user.username } }),
  ),
  madeRoute(
    {
      name: 'old',
      rest: { method: 'POST', path: '/api/old' },
      payload,
      deprecated: { since: '2027-01-31', sunset: '2027-07-31' },
    },
    async () => ({ body: { who: null } }),
  ),
];

const onlySession: Authenticate = async (text) => (text === SESSION ? identity : refuse('unauthorized', 'No.'));

/**
 * Sends one request. Returns the code of a refusal or the caller, and the headers of the answer.
 */
async function send(
  method: string,
  path: string,
  headers: Record<string, string>,
  { authenticate = onlySession, address = '127.0.0.1' } = {},
) {
  let handler: ((response: unknown, request: unknown) => void) | undefined;
  const app = {
    any: (_: string, taken: typeof handler) => {
      handler = taken;
    },
  };
  serveRest(app as unknown as App, {
    authenticate,
    tokens: lastingTokens,
    waitingCalls: withoutWaiting,
    dispatch: async (call) => ({ ok: true, body: { who: call.user?.username ?? null } }),
    accountRoutes,
    limits: noLimits,
    requests: anyRequests(),
    addressOf: (remote) => remote,
    allowedOrigins: ['https://app.example.com'],
    cookies: { isSecure: true },
    hstsSeconds: 60,
    files: new Map(),
    compression: createCompression({ isOn: false }),
    problem: () => null,
    isStopping: () => false,
    inFlight: countInFlight(),
    observe: unobserved,
    agents: false,
    shareOf: (email) => email,
    audit: () => undefined,
    log: { error: () => undefined },
  });
  return new Promise<{ outcome: unknown; lines: string[] }>((resolve) => {
    const lines: string[] = [];
    const response = {
      onAborted: () => undefined,
      getRemoteAddressAsText: () => Buffer.from(address),
      onData: (take: (chunk: ArrayBuffer, isLast: boolean) => void) => take(new ArrayBuffer(0), true),
      cork: (write: () => void) => write(),
      writeStatus: () => undefined,
      writeHeader: (name: string, value: string) => void lines.push(`${name}: ${value}`),
      tryEnd: (bytes: Uint8Array) => {
        const { ok, error, who } = JSON.parse(Buffer.from(bytes).toString());
        resolve({ outcome: ok ? who : error, lines });
        return [true, true];
      },
    };
    const getHeader = (name: string) => headers[name] ?? '';
    const forEach = (visit: (name: string, value: string) => void) => {
      for (const [name, value] of Object.entries(headers)) visit(name, value);
    };
    handler?.(response, { getMethod: () => method, getUrl: () => path, getQuery: () => '', getHeader, forEach });
  });
}

const cookie = (session: string) => ({ cookie: `__Host-taskgraph_session=${session}`, host: HOST });
const outcome = async (...request: Parameters<typeof send>) => (await send(...request)).outcome;

describe('[AUTH1] by a cookie', () => {
  it('reads need no origin', async () => {
    expect(await outcome('get', '/api/graph', cookie(SESSION))).toBe('ann');
  });

  it.each([
    ['a page of this host', { origin: `https://${HOST}` }, 'ann'],
    ['a page of an allowed origin', { origin: 'https://app.example.com' }, 'ann'],
    ['the same origin without its name', { 'sec-fetch-site': 'same-origin' }, 'ann'],
    ['no origin', {}, 'forbidden.origin'],
    ['a page of others', { origin: 'https://evil.example.com' }, 'forbidden.origin'],
    ['a sandboxed page', { origin: 'null' }, 'forbidden.origin'],
    ['another site without its name', { 'sec-fetch-site': 'cross-site' }, 'forbidden.origin'],
  ])('a mutation is executed for %s: %j, %s', async (_who, more, expected) => {
    for (const [method, path] of [
      ['post', '/api/node'],
      ['post', '/api/own'],
    ] as const) {
      expect(await outcome(method, path, { ...cookie(SESSION), ...more })).toBe(expected);
    }
  });

  it('an ended session counts as anonymous on public routes, and is refused on others', async () => {
    expect(await outcome('get', '/api/branch', cookie(STALE))).toBe(null);
    expect(await outcome('get', '/api/graph', cookie(STALE))).toBe('unauthorized');
    expect(await outcome('get', '/api/branch', { authorization: `Bearer ${STALE}` })).toBe('unauthorized');
  });
});

it('[AUTH1] signing in does not fail because of an earlier token', async () => {
  for (const headers of [{ authorization: 'Bearer wrong' }, cookie(STALE), {}]) {
    expect(await outcome('post', '/api/open', headers)).toBe(null);
  }
  const { lines } = await send('post', '/api/open', { origin: 'https://app.example.com' });
  expect(lines).toEqual(expect.arrayContaining(['Set-Cookie: a=1', 'Set-Cookie: b=2']));
  expect(lines).toContain('Access-Control-Allow-Credentials: true');
});

it('[GEN15] each answer of a deprecated operation announces its end, and no other answer does', async () => {
  const announced = [
    'Deprecation: @1801353600',
    'Sunset: Sat, 31 Jul 2027 00:00:00 GMT',
    'Link: </openapi.json>; rel="deprecation"; type="application/json"',
  ];
  const { outcome: done, lines } = await send('post', '/api/old', {});
  expect(done).toBe(null);
  expect(lines).toEqual(expect.arrayContaining(announced));
  const refused = await send('post', '/api/old', { origin: 'https://evil.example.com' });
  expect(refused.outcome).toBe('forbidden.origin');
  expect(refused.lines).toEqual(expect.arrayContaining(announced));
  for (const path of ['/api/open', '/api/old/other']) {
    const { lines: others } = await send('post', path, {});
    expect(others.filter((line) => /^(Deprecation|Sunset|Link):/.test(line))).toEqual([]);
  }
});

it('[AUTH3] a token in the header needs no origin', async () => {
  const headers = { authorization: `Bearer ${SESSION}`, ...cookie(STALE) };
  expect(await outcome('post', '/api/own', headers)).toBe('ann');
  expect(await outcome('post', '/api/node', headers)).toBe('ann');
});

it('[AUTH3 LIM4] 5,000 wrong tokens of an address cost 100 look-ups, and a known token of the same address continues', async () => {
  const [known, late] = [newTokenText(), newTokenText()];
  const valid = new Set([known, late].map(hashOf));
  let asked = 0;
  const { askWorkers } = answeredBy(async ({ payload }) => {
    const hashes = payload.hashes as string[];
    asked += hashes.length;
    const found = hashes.filter((hash) => valid.has(hash));
    return { ok: true, body: { identities: found.map((hash) => ({ hash, ...identity })) } };
  });
  const wrongTokens = createWrongTokens(100);
  const { authenticate, forget } = createAuthenticator({ askWorkers, deadlineMs: 1_000, wrongTokens });
  const call = (token: string, address = '192.0.2.1') =>
    send('get', '/api/graph', { authorization: `Bearer ${token}` }, { authenticate, address });
  expect((await call(known)).outcome).toBe('ann');
  const first = newTokenText();
  const outcomes = new Map<unknown, number>();
  for (let index = 0; index < 5_000; index++) {
    const { outcome, lines } = await call(index === 0 ? first : newTokenText());
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    expect(lines.some((line) => /^Retry-After: [1-9]\d?$/.test(line))).toBe(outcome === 'rate_limited');
  }
  expect([asked, ...outcomes]).toEqual([101, ['unauthorized', 100], ['rate_limited', 4_900]]);
  expect(wrongTokens.refused()).toBe(4_900);
  // Also if it must be looked up again; an unknown caller waits, or continues from another address.
  forget({ tokens: [identity.token.id] });
  expect((await call(known)).outcome).toBe('ann');
  expect(asked).toBe(102);
  expect((await call(late)).outcome).toBe('rate_limited');
  expect((await call(late, '192.0.2.2')).outcome).toBe('ann');
});
