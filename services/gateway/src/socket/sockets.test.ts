// The greeting and the calls of a connecting client, on a hand-made socket.

import { compressJson } from '@taskgraph/bus/requests/compressed-json';
import { compressedReplyOf, type RawReply } from '@taskgraph/bus/requests/raw-reply';
import type { ReplyMessage } from '@taskgraph/wire/bus/calls';
import { type Refusal, refuse } from '@taskgraph/wire/errors';
import type { Server } from 'socket.io';
import { expect, it } from 'vitest';
import type { Dispatch } from '../calls/dispatch.ts';
import { countInFlight } from '../calls/in-flight.ts';
import { noLimits } from '../limits/limits.ts';
import type { WatchedSocket } from '../realtime/token-watch.ts';
import { authorization, fakeSocket } from '../test/support/subscriptions.ts';
import { unobserved } from '../test/support/unobserved.ts';
import { answeredBy } from '../test/support/worker-answers.ts';
import { createCallLimiter } from './call-limiter.ts';
import type { Connection } from './connection.ts';
import { createFeedLookup } from './feed-lookup.ts';
import { serveSockets } from './sockets.ts';

const user = { id: '01890000-0000-7000-8000-000000000001', username: 'ann', email: 'ann@example.com' };
const identity = {
  user,
  token: { id: '01890000-0000-7000-8000-00000000000a', kind: 'api' as const, readOnly: false, expires: null },
};
const identityOf = (token: string | null) => {
  if (token === 'reading') return { ...identity, token: { ...identity.token, readOnly: true } };
  if (token === 'editing') return { ...identity, token: { ...identity.token, scopes: ['read', 'edit'] } };
  return token === 'right' ? identity : null;
};
const MINE = `user:${user.id}`;

type Call = Parameters<Dispatch>[0];
type Middleware = (socket: unknown, next: (error?: Error) => void) => void;

async function connect(
  auth: object,
  outcome: ReplyMessage | RawReply | Refusal = { ok: true, body: {} },
  isTooSlow = false,
) {
  const calls: Call[] = [];
  const acts = ['end', 'accept', 'turnAway', 'hold', 'release'].map((act) => [act, () => undefined]);
  const connection = { address: '10.0.0.1', ...Object.fromEntries(acts) };
  const told: unknown[] = [];
  const ends = new Map<string, () => void>();
  let middleware: Middleware | undefined;
  let onConnection: ((socket: unknown) => void) | undefined;
  let takePacket: ((packet: unknown[]) => void) | undefined;
  const io = {
    use: (handler: Middleware) => {
      middleware = handler;
    },
    on: (_: string, handler: (socket: unknown) => void) => {
      onConnection = handler;
    },
  } as unknown as Server;
  serveSockets(io, {
    authenticate: async (token) => identityOf(token) ?? refuse('unauthorized', 'No.'),
    feedLookup: createFeedLookup({
      ...answeredBy(async ({ event }) => (event === 'public:feeds' ? publicFeeds : readersFeeds)),
      deadlineMs: 1_000,
    }),
    dispatch: async (call) => {
      calls.push(call);
      return outcome;
    },
    limits: noLimits,
    quotas: { take: async () => null, leave: () => told.push('left') },
    connectionOf: () => connection as unknown as Connection,
    subscriptions: {
      add: (_, audience, feeds) => {
        told.push(['enter', audience.kind, feeds.map(({ feed }) => feed)]);
        if (isTooSlow) socket.connected = false;
        return {} as never;
      },
      feedsOf: (_, lookUp) => lookUp(),
      listen: () => null,
      remove: () => told.push('remove'),
      reauthorize: (ids) => told.push(['reauthorize', ...ids]),
    },
    tokens: {
      enter: ({ token }, close) => {
        ends.set(token.id, close);
        return {} as WatchedSocket;
      },
      leave: () => told.push('unwatched'),
    },
    allowedOrigins: [],
    cookies: { isSecure: true },
    isStopping: () => false,
    inFlight: countInFlight(),
    callLimiter: createCallLimiter(),
    observe: unobserved,
    log: { error: (fields) => told.push(fields) },
  });
  const listeners = new Map<string, (() => void)[]>();
  const socket = {
    ...fakeSocket(),
    handshake: { auth, headers: {} },
    data: {},
    connected: true,
    conn: {},
    disconnect: (isRaw: boolean) => told.push(['closed', isRaw]),
    use: (handler: (packet: unknown[]) => void) => {
      takePacket = handler;
    },
    on: (event: string, listener: () => void) => listeners.set(event, [...(listeners.get(event) ?? []), listener]),
  };
  const refusal = await new Promise<Error | undefined>((resolve) => middleware?.(socket, resolve));
  if (refusal === undefined) onConnection?.(socket);
  const call = (event: string, payload: object) =>
    new Promise<{ ok: boolean; error?: string }>((resolve) => takePacket?.([event, payload, resolve]));
  return {
    calls,
    told,
    socket,
    refusal,
    call,
    ends,
    close: () => {
      for (const listener of listeners.get('disconnect') ?? []) listener();
    },
  };
}

const publicFeeds: ReplyMessage = { ok: true, body: { tokens: [{ ...authorization('root:a', 2), token: 'open' }] } };
const myFeeds = [
  { ...authorization(MINE, 1), level: 0 },
  { ...authorization('root:a', 2), level: 3 },
];
const readersFeeds: ReplyMessage = { ok: true, body: { readers: [{ id: user.id, feeds: myFeeds, position: 'p' }] } };
const time = expect.stringMatching(/Z$/);

it('[EVT1] sends a user all feeds and the position, and finally leaves its rooms', async () => {
  const { told, socket, close } = await connect({ api_token: 'right' });
  const connected = { ok: true, uid: user.id, username: 'ann', client: 'api', serverTime: time, position: 'p' };
  expect(socket.sent).toEqual([['connected', { ...connected, feeds: { [MINE]: 10, 'root:a': 20 } }]]);
  close();
  expect(told).toEqual([['enter', 'user', [MINE, 'root:a']], 'remove', 'unwatched']);
});

it('[LIM4] stores nothing of a socket that was closed by a push on entering its rooms', async () => {
  const { told } = await connect({ api_token: 'right' }, undefined, true);
  expect(told).toEqual([['enter', 'user', [MINE, 'root:a']], 'remove', 'unwatched']);
});

it('[PUB3] sends an anonymous reader one feed, and refuses unknown tokens', async () => {
  const { told, socket } = await connect({ public_token: 'open' });
  const connected = { ok: true, uid: null, client: 'public', serverTime: time, position: null };
  expect(socket.sent).toEqual([['connected', { ...connected, feeds: { 'root:a': 20 } }]]);
  expect(told).toEqual([['enter', 'public', ['root:a']]]);
  const { refusal } = await connect({ public_token: 'gone' });
  expect(refusal).toMatchObject({ message: 'not_found', data: { ok: false, error: 'not_found' } });
});

it('[PUB3] lets an anonymous reader call only branch:get, by default for its own token', async () => {
  const { calls, call } = await connect({ public_token: 'open' });
  for (const event of ['node:add', 'graph:get', 'changes:get', 'history:page']) {
    expect(await call(event, {})).toMatchObject({ ok: false, error: 'forbidden' });
  }
  expect(await call('nope', {})).toMatchObject({ error: 'bad_request.unknown_event' });
  expect(calls).toEqual([]);
  expect(await call('branch:get', { limit: 5 })).toMatchObject({ ok: true });
  expect(await call('branch:get', { root: 'other' })).toMatchObject({ ok: true });
  expect(calls.map(({ input, user }) => [input, user])).toEqual([
    [{ value: { root: 'open', limit: 5 } }, null],
    [{ value: { root: 'other' } }, null],
  ]);
});

it("[EVT2] reads a user's feeds again when an answer names gained or lost feeds", async () => {
  const without = await connect({ api_token: 'right' }, { ok: true, body: { feeds: { gained: [], lost: [] } } });
  await without.call('changes:get', { since: 'p' });
  expect(without.told).toHaveLength(1);
  const lost = { ok: true, body: { feeds: { gained: [], lost: ['root:a'] } } } as const;
  const { calls, told, call } = await connect({ api_token: 'right' }, lost);
  await call('changes:get', { since: 'p' });
  expect(told.slice(1)).toEqual([['reauthorize', user.id]]);
  expect(calls).toMatchObject([{ user, transport: 'socket', input: { value: { since: 'p' } } }]);
});

it('[GEN3 ZIP2] answers as a bug if an answer has no form for sockets, and goes on', async () => {
  const compressed = compressedReplyOf(await compressJson([Buffer.from('{"nodes":[]}')]), 'etag');
  const { told, call } = await connect({ api_token: 'right' }, compressed);
  for (const event of ['graph:get', 'graph:get']) {
    expect(await call(event, {})).toMatchObject({ ok: false, error: 'internal.exception' });
  }
  const error = expect.objectContaining({ message: 'a compressed answer is for REST alone' });
  expect(told.slice(1)).toEqual(Array(2).fill({ error, traceId: expect.any(String) }));
});

it('[AUTH2 SCOPE1] passes on the scopes of its token with each call', async () => {
  for (const [token, scopes] of [
    ['right', null],
    ['reading', ['read']],
    ['editing', ['read', 'edit']],
  ] as const) {
    const { calls, call } = await connect({ api_token: token });
    await call('node:add', {});
    expect(calls).toMatchObject([{ user, scopes }]);
  }
});

it('[AUTH2] closes when its token ends', async () => {
  const { told, ends } = await connect({ api_token: 'right' });
  ends.get(identity.token.id)?.();
  expect(told.slice(1)).toEqual([['closed', true]]);
});
