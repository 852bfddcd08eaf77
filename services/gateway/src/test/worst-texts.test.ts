// No text stalls a gateway: every field of every call, every header, token and query takes the
// worst texts in about the time of harmless ones. The gateway's own tables list them, so new ones
// are included.
import type { ReplyMessage } from '@taskgraph/wire/bus/calls';
import type { Operation } from '@taskgraph/wire/operations/operation';
import { operationOf, socketOperations } from '@taskgraph/wire/operations/operations';
import type { Socket } from 'socket.io';
import { expect, it } from 'vitest';
import type { z } from 'zod';
import { performRoute } from '../accounts/route-handler.ts';
import { createAccounts } from '../accounts/table.ts';
import { createAuthenticator } from '../auth/authentication.ts';
import { createWrongTokens } from '../auth/wrong-tokens.ts';
import { createDispatch, type Input } from '../calls/dispatch.ts';
import { countInFlight } from '../calls/in-flight.ts';
import { clientAddress, parseNetworks } from '../http/client-address.ts';
import { createCompression } from '../http/compression.ts';
import { HEADERS } from '../http/exchange.ts';
import type { QueryString } from '../http/query-string.ts';
import { upgradeView } from '../http/upgrade-view.ts';
import type { App } from '../http/uws.ts';
import { noBackOff } from '../limits/back-off.ts';
import { noLimits } from '../limits/limits.ts';
import type { LookUpFeeds } from '../realtime/feed-lookup-cache.ts';
import { serveRest } from '../rest/rest.ts';
import { admit } from '../socket/admission.ts';
import { createFeedLookup } from '../socket/feed-lookup.ts';
import { parsePacket } from '../socket/socket-call.ts';
import { anyRequests, lastingTokens, withoutWaiting } from './support/open-requests.ts';
import { unobserved } from './support/unobserved.ts';
import { answeredBy } from './support/worker-answers.ts';
import { disproportionate, LONGEST, type Taker, WORST_TEXTS, WORST_VALUES, worstJson } from './support/worst-texts.ts';

const ID = '01890000-0000-7000-8000-000000000001';
const user = { id: ID, username: 'ann', email: 'ann@example.com' };
const identity = { user, token: { id: ID, kind: 'session' as const, readOnly: false, expires: null } };
/** Nobody is asked: what gets as far as to the workers has been judged by then. */
const away: ReplyMessage = { ok: false, error: 'unavailable', message: 'No worker answered in time.' };
const requester = { read: async () => away, readRaw: async () => away, sendCommandRaw: async () => away };
const failures: unknown[] = [];
const audit = () => undefined;
const dispatch = createDispatch({ requester, newId: () => ID, deadlineMs: 1_000, audit });
const { askWorkers } = answeredBy(requester.read);
const { authenticate } = createAuthenticator({
  askWorkers,
  deadlineMs: 1_000,
  wrongTokens: createWrongTokens(1_000),
});
const mailing = { send: async () => null, publicUrl: 'https://tasks.example.com', secret: 'none' };
const log = { error: (fields: object) => void failures.push(fields) };
const { accountRoutes: routes, shareOf } = createAccounts({
  service: { docs: true, console: true, rates: null },
  settings: {
    secret: 'none',
    sessionDays: 1,
    cookies: { isSecure: true },
    openid: null,
    mailing,
    publicUrl: null,
    mayRegister: true,
  },
  requester,
  deadlineMs: 1_000,
  newId: () => ID,
  audit,
  log,
  backOff: noBackOff,
  inFlight: countInFlight(),
});
const proxies = { networks: parseNetworks('0.0.0.0/0, ::/0'), hops: 10 };
const inFlight = countInFlight();
let serve: ((response: unknown, request: unknown) => void) | undefined;
serveRest(
  {
    any: (_: string, handler: typeof serve) => {
      serve = handler;
    },
  } as unknown as App,
  {
    // The caller's token is valid, unless it is the tested text.
    authenticate: async (token, ...caller) => (token === 'right' ? identity : authenticate(token, ...caller)),
    tokens: lastingTokens,
    waitingCalls: withoutWaiting,
    dispatch,
    inFlight,
    limits: noLimits,
    accountRoutes: routes,
    shareOf,
    audit,
    observe: unobserved,
    allowedOrigins: [],
    cookies: { isSecure: true },
    hstsSeconds: 0,
    agents: true,
    files: new Map(),
    compression: createCompression({ isOn: true }),
    problem: () => null,
    isStopping: () => false,
    requests: anyRequests(),
    addressOf: (remote, forwarded) => clientAddress(remote, forwarded, proxies),
    log: { error: (fields) => failures.push(fields) },
  },
);

interface RequestParts {
  readonly query?: string;
  readonly body?: string | Buffer;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Sends one request in memory; the promise ends with the answer. */
function send(method: string, path: string, { query = '', body = '', headers = {} }: RequestParts): Promise<string> {
  const all: Record<string, string> = { authorization: 'Bearer right', ...headers };
  const bytes = new Uint8Array(Buffer.from(body));
  return new Promise((resolve) => {
    const response = {
      onAborted: () => undefined,
      onData: (take: (chunk: ArrayBuffer, isLast: boolean) => void) => take(bytes.buffer, true),
      getRemoteAddressAsText: () => new TextEncoder().encode('10.0.0.1').buffer,
      cork: (write: () => void) => write(),
      writeStatus: () => undefined,
      writeHeader: () => undefined,
      endWithoutBody: () => resolve(''),
      end: resolve,
      tryEnd: (answer: Uint8Array) => {
        resolve(Buffer.from(answer).toString());
        return [true, true];
      },
    };
    const request = {
      getMethod: () => method.toLowerCase(),
      getUrl: () => path,
      getQuery: () => query,
      getHeader: (name: string) => all[name] ?? '',
      forEach: (visit: (name: string, value: string) => void) => {
        for (const [name, value] of Object.entries(all)) visit(name, value);
      },
    };
    serve?.(response, request);
  });
}

/** A call of a tool by an agent, whose arguments are JSON: deep values have no `JSON.stringify`. */
function callTool(name: string, json: string): Promise<string> {
  const params = `{"name":"${name}","arguments":${json}}`;
  return send('POST', '/mcp', { body: `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${params}}` });
}

/**
 * Every field of every call, given to what judges it: as a value of a body or a packet, and as text
 * of a query string.
 */
function fieldTakers(): Taker<unknown>[] {
  const now = () => ({ traceId: 't', arrivedMs: Date.now(), from: '203.0.113.7', ip: '203.0.113.7' });
  const ofGraph = socketOperations.flatMap((operation) =>
    fieldsOf(operation).flatMap(([field, schema]): Taker<unknown>[] => {
      const judge = (input: Input, transport: 'rest' | 'socket') =>
        dispatch({ operation, input, user, scopes: null, key: undefined, transport, ...now() });
      const name = `${operation.name}.${field}`;
      return [
        { name: `${name} of a body`, take: (given) => judge({ value: { [field]: holding(schema, given) } }, 'rest') },
        { name: `${name} of a packet`, take: (given) => callBySocket(operation, { [field]: holding(schema, given) }) },
        { name: `${name} of a query`, take: (given) => judge({ query: queryOf(field, given) }, 'rest') },
      ];
    }),
  );
  const ofAccounts = routes.flatMap((route) =>
    fieldsOf(route).flatMap(([field, schema]): Taker<unknown>[] => {
      const perform = (input: Input) =>
        performRoute(route, { input, identity, received: { query: '', header: () => '' }, ...now() }, audit);
      return [
        {
          name: `${route.name}.${field} of a body`,
          take: (given) => perform({ value: { [field]: holding(schema, given) } }),
        },
        { name: `${route.name}.${field} of a query`, take: (given) => perform({ query: queryOf(field, given) }) },
      ];
    }),
  );
  return [...ofGraph, ...ofAccounts];
}

function fieldsOf({ payload }: Operation): [string, z.ZodType][] {
  return Object.entries(payload.shape as Record<string, z.ZodType>);
}

/** A text is in a list if the field is a list. */
function holding(schema: z.ZodType, given: unknown): unknown {
  return typeof given === 'string' && schema.safeParse(['a']).success ? [given] : given;
}

function queryOf(field: string, given: unknown): QueryString {
  return { values: { [field]: String(typeof given === 'string' ? given : typeof given) }, repeated: [] };
}

function callBySocket(operation: Operation, given: unknown): unknown {
  const { payload } = parsePacket([operation.name, given, () => undefined]);
  if ('code' in payload) return payload;
  const { value, key } = payload;
  const call = { operation, input: { value }, user, scopes: null, key, traceId: 't', arrivedMs: Date.now() };
  return dispatch({ ...call, transport: 'socket', from: '203.0.113.7' });
}

const harmless = (length: number) => 'a'.repeat(length);

it('[GEN4 NODE2] no field of any call takes longer over the worst texts than over harmless ones', async () => {
  const takers = fieldTakers();
  expect(takers.length).toBeGreaterThan(200);
  expect(await disproportionate(takers, WORST_TEXTS, harmless)).toBeNull();
}, 300_000);

it('[GEN4 NODE2] no field of any call takes longer over deep, wide or long JSON than over a harmless text', async () => {
  expect(await disproportionate(fieldTakers(), WORST_VALUES, harmless)).toBeNull();
}, 300_000);

it('[AUTH3] no header, query or body takes longer over the worst texts than over harmless ones', async () => {
  const headers = HEADERS.map((name): Taker<string> => {
    return {
      name: `the header ${name}`,
      take: (text) => send('POST', '/api/node', { body: '{}', headers: { [name]: text } }),
    };
  });
  const others: Taker<string>[] = [
    { name: 'a query', take: (query) => send('GET', '/api/graph', { query }) },
    { name: 'a value of a query', take: (text) => send('GET', '/api/branch', { query: `root=${encode(text)}` }) },
    { name: 'a path', take: (text) => send('GET', `/${text}`, {}) },
    { name: 'a method', take: (text) => send(text, '/api/graph', {}) },
    { name: 'a body', take: (body) => send('POST', '/api/node', { body }) },
    { name: 'a text of a body', take: (text) => send('POST', '/api/node', { body: JSON.stringify({ title: text }) }) },
    { name: 'a message of an agent', take: (body) => send('POST', '/mcp', { body }) },
    { name: 'a reference of an agent', take: (text) => callTool('get_nodes', JSON.stringify({ nodes: [text] })) },
    {
      name: 'a title of an agent',
      take: (title) => callTool('add_nodes', JSON.stringify({ nodes: [{ title, under: title }] })),
    },
    {
      name: 'a payload of an agent',
      take: (payload) => callTool('call', JSON.stringify({ event: 'node:add', payload })),
    },
    { name: 'a name of a body', take: (text) => send('POST', '/api/node', { body: JSON.stringify({ [text]: 1 }) }) },
  ];
  expect(await disproportionate([...headers, ...others], WORST_TEXTS, harmless)).toBeNull();
}, 300_000);

it('[AUTH3] no part of a handshake takes longer over the worst texts than over harmless ones', async () => {
  const options = {
    authenticate,
    feedLookup: createFeedLookup({ askWorkers, deadlineMs: 1_000 }),
    allowedOrigins: [],
    cookies: { isSecure: true },
    isStopping: () => false,
    listen: () => null,
    feedsOf: (_: object, lookUp: LookUpFeeds) => lookUp(),
  };
  const open = (auth: object, headers: object) => admit({ auth, headers } as Socket['handshake'], options, '192.0.2.1');
  const takers: Taker<string>[] = [
    ...['api_token', 'public_token'].map(
      (name): Taker<string> => ({ name, take: (text) => open({ [name]: text }, {}) }),
    ),
    ...HEADERS.map((name): Taker<string> => ({ name, take: (text) => open({}, { host: 'a.example', [name]: text }) })),
    {
      name: 'a subprotocol',
      take: (text) => upgradeView(upgrading('sec-websocket-protocol', text)).getHeader('authorization'),
    },
    {
      name: 'a token as subprotocol',
      take: (text) => upgradeView(upgrading('sec-websocket-protocol', `Bearer, ${text}`)),
    },
    { name: 'an event', take: (text) => parsePacket([text, {}, () => undefined]) },
  ];
  expect(await disproportionate(takers, WORST_TEXTS, harmless)).toBeNull();
}, 300_000);

it('[GEN3 GEN4] deep, wide and long JSON is refused like any other: as a body, as a field, as a packet', async () => {
  for (const json of worstJson(LONGEST - 100)) {
    for (const body of [json, `{"title":${json}}`, `{"tags":${json}}`, `{"__proto__":${json}}`]) {
      expect(JSON.parse(await send('POST', '/api/node', { body }))).toMatchObject({
        ok: false,
        error: expect.stringMatching(/^bad_request/),
      });
    }
    for (const given of [JSON.parse(json), { title: JSON.parse(json) }, { idempotencyKey: JSON.parse(json) }]) {
      const nodeAdd = operationOf('node:add');
      if (nodeAdd === undefined) throw new Error('node:add is gone');
      expect(await callBySocket(nodeAdd, given)).toMatchObject({ code: expect.stringMatching(/^bad_request/) });
    }
  }
  expect(failures).toEqual([]);
});

it('[GEN3 GEN4] deep, wide and long JSON of an agent is refused like any other', async () => {
  for (const json of worstJson(LONGEST - 200)) {
    for (const given of [json, `{"nodes":${json}}`, `{"nodes":[${json}]}`, `{"__proto__":${json}}`]) {
      expect(await callTool('add_nodes', given)).toMatch(/error: bad_request|"code":-32/);
    }
  }
  for (const json of worstJson(40_000)) {
    for (const payload of [json, `{"title":${json}}`, `{"operations":[${json}]}`]) {
      for (const event of ['node:add', 'batch:run', 'node:update', 'node:find']) {
        expect(await callTool('call', JSON.stringify({ event, payload }))).toContain('error: bad_request.');
      }
    }
  }
  expect(failures).toEqual([]);
});

function upgrading(header: string, text: string): Parameters<typeof upgradeView>[0] {
  return {
    getMethod: () => 'get',
    getUrl: () => '/ext-socket.io',
    getQuery: () => '',
    getHeader: () => '',
    forEach: (visit) => visit(header, text),
  };
}

function encode(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}
