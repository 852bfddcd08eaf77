// Tokens that end while their calls wait or are answered: REST and agents with real connections, the
// real authenticator, and workers whose answers come when a test says so. Rule: AUTH2.
import { connect } from 'node:net';
import type { JsonReply, RawReply } from '@taskgraph/bus/requests/raw-reply';
import { newTokenText } from '@taskgraph/runtime/security/tokens';
import type { ReplyMessage } from '@taskgraph/wire/bus/calls';
import { refuse } from '@taskgraph/wire/errors';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { createAuthenticator, TOKEN_CACHE_MS } from '../auth/authentication.ts';
import { createWrongTokens } from '../auth/wrong-tokens.ts';
import { createDispatch } from '../calls/dispatch.ts';
import { countInFlight } from '../calls/in-flight.ts';
import { createCompression } from '../http/compression.ts';
import { createApp, listen } from '../http/uws.ts';
import { createTokenWatch } from '../realtime/token-watch.ts';
import { anyRequests, withoutWaiting } from '../test/support/open-requests.ts';
import { madeRoute } from '../test/support/routes.ts';
import { unobserved } from '../test/support/unobserved.ts';
import { answeredBy } from '../test/support/worker-answers.ts';
import { serveRest } from './rest.ts';

const ID = '01890000-0000-7000-8000-00000000000a';
const TOKEN = newTokenText();
const user = { id: '01890000-0000-7000-8000-000000000001', username: 'ann', email: 'ann@example.com' };
const SECRET = 'written after the end';
const page: JsonReply = { ok: true, json: Buffer.from(JSON.stringify({ nodes: [{ title: SECRET }] })) };
const LIMIT = { 'RateLimit-Limit': '5', 'RateLimit-Remaining': '4', 'RateLimit-Reset': '10' };

/** A promise that a test fulfils. */
function later<T>() {
  let fulfil: (value: T) => void = () => undefined;
  const promise = new Promise<T>((resolve) => {
    fulfil = resolve;
  });
  return { promise, fulfil };
}

const closers: (() => unknown)[] = [];
beforeEach(() => void vi.restoreAllMocks());
afterEach(() => {
  vi.restoreAllMocks();
  for (const close of closers.splice(0)) close();
});

/** A gateway of one valid token. */
async function start() {
  const state = { isValid: true, lookUps: 0, sent: 0 };
  const answers = { of: later<ReplyMessage | RawReply>(), limits: Promise.resolve() };
  const { askWorkers } = answeredBy(async ({ event, payload }) => {
    if (event === 'tokens:check') return { ok: true, body: { valid: state.isValid ? payload.tokens : [] } };
    state.lookUps++;
    const [hash] = payload.hashes as string[];
    const token = { id: ID, kind: 'session', readOnly: false, expires: null };
    return { ok: true, body: { identities: state.isValid ? [{ hash, user, token }] : [] } };
  });
  const wrongTokens = createWrongTokens(100);
  const { authenticate, forget } = createAuthenticator({ askWorkers, deadlineMs: 1_000, wrongTokens });
  const log = { warn: () => undefined, error: (fields: object) => expect.fail(JSON.stringify(fields)) };
  const tokens = createTokenWatch({ askWorkers, forget, log });
  const answer = () => {
    state.sent++;
    return answers.of.promise;
  };
  const requester = { sendCommandRaw: answer as () => Promise<ReplyMessage | JsonReply>, readRaw: answer };
  const [payload, perform] = [z.strictObject({}), async () => (await answer()) as { body: Record<string, unknown> }];
  const app = createApp();
  serveRest(app, {
    authenticate,
    tokens,
    dispatch: createDispatch({ requester, newId: () => ID, deadlineMs: 1_000, audit: () => undefined }),
    waitingCalls: withoutWaiting,
    limits: {
      take: async () => {
        await answers.limits;
        return { refusal: null, headers: LIMIT };
      },
    },
    accountRoutes: [
      madeRoute({ name: 'list', rest: { method: 'GET', path: '/api/x' }, payload, caller: 'session' }, perform),
      madeRoute({ name: 'end', rest: { method: 'POST', path: '/api/x' }, payload, caller: 'session' }, perform),
    ],
    requests: anyRequests(),
    allowedOrigins: [],
    hstsSeconds: 0,
    agents: true,
    files: new Map(),
    compression: createCompression({ isOn: true }),
    cookies: { isSecure: true },
    addressOf: (remote) => remote,
    shareOf: (email) => email,
    audit: () => undefined,
    problem: () => null,
    isStopping: () => false,
    inFlight: countInFlight(),
    observe: unobserved,
    log,
  });
  const { port, close } = await listen(app, '127.0.0.1', 0);
  closers.push(close);
  return {
    state,
    answers,
    port,
    /** The token ends, and this gateway learns of it. */
    end() {
      state.isValid = false;
      forget({ tokens: [ID] });
      tokens.end({ tokens: [ID] });
    },
    forget,
    async send(method: string, path: string, body?: object) {
      const headers = { Authorization: `Bearer ${TOKEN}`, 'Content-Type': 'application/json' };
      const sent = body === undefined ? {} : { body: JSON.stringify(body) };
      const response = await fetch(`http://127.0.0.1:${port}${path}`, { method, headers, ...sent });
      return { status: response.status, text: await response.text(), headers: response.headers };
    },
    /** Resolves when a worker, or a route, has the call. */
    isSent: () => expect.poll(() => state.sent).toBe(1),
  };
}

const FIND = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'find_nodes', arguments: { text: 'a' } } };
const found: ReplyMessage = { ok: true, body: { nodes: [{ title: SECRET }], hasMore: false, next: null } };
const conflict: ReplyMessage = { ok: false, error: 'version_conflict', message: SECRET, details: { version: 7 } };
const claimed: ReplyMessage = { ok: true, body: { diff: {}, node: { title: SECRET }, claimId: ID, feeds: {} } };
type Case = [
  what: string,
  request: readonly [string, string, object?],
  reply: ReplyMessage | RawReply,
  outcome?: string,
];

const CASES: Case[] = [
  ['a read', ['GET', '/api/graph'], page],
  [
    'a long read, which is compressed',
    ['GET', '/api/graph'],
    { ok: true, json: Buffer.from(JSON.stringify({ nodes: SECRET.repeat(9_000) })) },
  ],
  [
    'a read that says that nothing has changed',
    ['GET', '/api/graph'],
    { ok: true, etag: 'e', json: Buffer.from('{}'), unchanged: true },
  ],
  ['a claim', ['POST', '/api/node/claim', {}], claimed, 'unknown'],
  ['a refused command', ['PUT', '/api/node', { id: ID, title: 'a' }], conflict, 'unknown'],
  ['an account', ['GET', '/api/x'], { ok: true, body: { text: SECRET } }],
  ['an account operation', ['POST', '/api/x', {}], { ok: true, body: { text: SECRET } }, 'unknown'],
  ['a tool', ['POST', '/mcp', FIND], found],
];

describe.each(CASES)('[AUTH2] the answer to %s', (_what, request, reply, outcome) => {
  test('is 401 if the token ended before it', async () => {
    const { send, isSent, answers, end } = await start();
    const answered = send(...request);
    await isSent();
    end();
    answers.of.fulfil(reply);
    const { status, text, headers } = await answered;
    expect(status).toBe(401);
    expect(text).not.toContain(SECRET);
    expect(JSON.parse(text)).toEqual({
      ok: false,
      error: 'unauthorized',
      message: expect.any(String),
      trace_id: expect.any(String),
      ...(outcome === undefined ? {} : { details: { outcome } }),
    });
    for (const [name, value] of Object.entries(LIMIT)) expect(headers.get(name)).toBe(value);
    for (const name of ['ETag', 'Taskgraph-User', 'Content-Encoding']) expect(headers.get(name)).toBeNull();
    expect(headers.get('WWW-Authenticate')).toBe(request[1] === '/mcp' ? 'Bearer' : null);
  });

  test('is 401 also if the gateway did not learn of the end, once a look-up is a second old', async () => {
    const { send, isSent, answers, state } = await start();
    const answered = send(...request);
    await isSent();
    state.isValid = false;
    const now = performance.now.bind(performance);
    vi.spyOn(performance, 'now').mockImplementation(() => now() + TOKEN_CACHE_MS);
    answers.of.fulfil(reply);
    expect(await answered).toMatchObject({ status: 401 });
    expect(state.lookUps).toBe(2);
  });

  test('costs one look-up while the token is valid', async () => {
    const { send, isSent, answers, state, forget } = await start();
    const answered = send(...request);
    await isSent();
    forget({ tokens: ['another'], users: ['another'] });
    answers.of.fulfil(reply);
    expect((await answered).status).not.toBe(401);
    expect(state.lookUps).toBe(1);
  });
});

test('[AUTH2] a call whose token ends while it is counted is not made', async () => {
  const requests: [string, string, object?][] = [
    ['GET', '/api/graph'],
    ['POST', '/api/node/claim', {}],
    ['POST', '/api/x', {}],
    ['POST', '/mcp', FIND],
  ];
  for (const request of requests) {
    const { send, answers, state, end } = await start();
    const counted = later<void>();
    answers.limits = counted.promise;
    const answered = send(...request);
    await expect.poll(() => state.lookUps).toBe(1);
    end();
    counted.fulfil();
    expect(await answered).toMatchObject({ status: 401 });
    expect(state.sent).toBe(0);
  }
});

test('[AUTH1 AUTH2] a call that ends its own token is answered, and so is a failure of the service', async () => {
  const replies = [
    [{ ok: true, body: {} }, 200],
    [refuse('unavailable', 'Away.'), 503],
  ] as const;
  for (const [reply, expected] of replies) {
    const { send, isSent, answers, end } = await start();
    const answered = send('POST', '/api/x', {});
    await isSent();
    end();
    answers.of.fulfil(reply as ReplyMessage);
    expect((await answered).status).toBe(expected);
  }
});

test('[AUTH2] an answer that its client is still reading ends with the token', async () => {
  const { port, answers, end, forget } = await start();
  const socket = connect(port, '127.0.0.1');
  closers.push(() => socket.destroy());
  const isClosed = later<number>();
  let bytes = 0;
  socket.on('error', () => undefined);
  socket.on('data', (chunk) => {
    bytes += chunk.length;
    socket.pause();
  });
  socket.on('close', () => isClosed.fulfil(bytes));
  const LENGTH = 64 * 1_048_576;
  answers.of.fulfil({ ok: true, json: Buffer.from(JSON.stringify({ text: 'x'.repeat(LENGTH) })) });
  socket.write(`GET /api/graph HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${TOKEN}\r\n\r\n`);
  await expect.poll(() => bytes).toBeGreaterThan(0);
  forget({ tokens: ['another'] });
  end();
  // What the kernel has already is delivered.
  socket.removeAllListeners('data');
  socket.on('data', (chunk) => {
    bytes += chunk.length;
  });
  socket.resume();
  expect(await isClosed.promise).toBeLessThan(LENGTH / 2);
});
