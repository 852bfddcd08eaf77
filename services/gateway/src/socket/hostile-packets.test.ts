// Packets that no SDK sends, on real sockets with a hand-made bus. Each is refused or ends its
// connection, causes no internal failure, and leaves other connections alone.
import { openRawSocket, type RawSocket, untilConnected } from '@taskgraph/testkit/stack/raw-socket';
import type { ReadMessage, ReplyMessage } from '@taskgraph/wire/bus/calls';
import { refuse } from '@taskgraph/wire/errors';
import type { Server } from 'socket.io';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { createDispatch } from '../calls/dispatch.ts';
import { countInFlight } from '../calls/in-flight.ts';
import { appForSocketIo, createApp, listen } from '../http/uws.ts';
import { noLimits } from '../limits/limits.ts';
import { BOUNDS, QUOTAS } from '../test/support/raw-gateway.ts';
import { authorization } from '../test/support/subscriptions.ts';
import { unobserved } from '../test/support/unobserved.ts';
import { answeredBy } from '../test/support/worker-answers.ts';
import { createCallLimiter } from './call-limiter.ts';
import { connectionOf } from './connection.ts';
import { createConnectionQuotas } from './connection-quotas.ts';
import { createConnections } from './connections.ts';
import { createFeedLookup } from './feed-lookup.ts';
import { attachTo, createSocketServer } from './socket-server.ts';
import { serveSockets } from './sockets.ts';

const ID = '01890000-0000-7000-8000-000000000001';
const user = { id: ID, username: 'ann', email: 'ann@example.com' };
const identity = { user, token: { id: ID, kind: 'api' as const, readOnly: false, expires: null } };
const failures: unknown[] = [];
const sent: unknown[] = [];
const requester = {
  async read({ event }: ReadMessage): Promise<ReplyMessage> {
    if (event !== 'readers:feeds') return { ok: true, body: {} };
    const feeds = [{ ...authorization(`user:${ID}`, 1), level: 0 }];
    return { ok: true, body: { readers: [{ id: ID, feeds, position: 'p' }] } };
  },
  async sendCommandRaw(_partition: number, command: unknown): Promise<ReplyMessage> {
    sent.push(command);
    return { ok: true, body: {} };
  },
};

let url: string;
let io: Server;
let stop: () => void;
const open: RawSocket[] = [];

beforeAll(async () => {
  const app = createApp();
  io = createSocketServer({});
  const log = { error: (fields: object) => void failures.push(fields) };
  const connections = createConnections({ bounds: BOUNDS, limits: noLimits, log });
  const { backpressureBytes } = BOUNDS;
  attachTo(appForSocketIo(app, { connections, addressOf: (remote) => remote, backpressureBytes }), io);
  serveSockets(io, {
    authenticate: async (token) => (token === 'right' ? identity : refuse('unauthorized', 'No.')),
    dispatch: createDispatch({
      requester: { ...requester, readRaw: requester.read },
      newId: () => ID,
      deadlineMs: 1_000,
      audit: () => undefined,
    }),
    feedLookup: createFeedLookup({ ...answeredBy(requester.read), deadlineMs: 1_000 }),
    limits: noLimits,
    inFlight: countInFlight(),
    callLimiter: createCallLimiter(),
    observe: unobserved,
    quotas: createConnectionQuotas({ kind: 'sockets', bounds: QUOTAS, limits: noLimits }),
    connectionOf,
    log,
    subscriptions: {
      add: () => ({}) as never,
      feedsOf: (_, lookUp) => lookUp(),
      listen: () => null,
      remove: () => undefined,
      reauthorize: () => undefined,
    },
    tokens: { enter: () => ({}) as never, leave: () => undefined },
    allowedOrigins: [],
    cookies: { isSecure: true },
    isStopping: () => false,
  });
  const listener = await listen(app, '127.0.0.1', 0);
  url = `http://127.0.0.1:${listener.port}`;
  stop = listener.close;
});
afterEach(() => {
  for (const socket of open.splice(0)) socket.close();
  expect(failures.splice(0)).toEqual([]);
});
afterAll(async () => {
  stop();
  await io.close();
});

async function connected(): Promise<RawSocket> {
  const socket = openRawSocket(url, { auth: { api_token: 'right' } });
  open.push(socket);
  await untilConnected(socket);
  return socket;
}

/** Sends raw frames, and gives the code of the ack with the id 7, or why the connection ended. */
async function outcome(...frames: (string | Uint8Array)[]): Promise<string> {
  const socket = await connected();
  const ended = new Promise<string>((resolve) => socket.once('disconnect', (reason) => resolve(`ended: ${reason}`)));
  const answered = new Promise<string>((resolve) => {
    socket.io.engine.on('data', (data: unknown) => {
      const body = /^37\[(.*)\]$/s.exec(String(data))?.[1];
      if (body !== undefined) resolve(String(JSON.parse(body).error ?? 'ok'));
    });
  });
  for (const frame of frames) socket.io.engine.write(frame as string);
  return Promise.race([ended, answered]);
}

const deep = (length: number) => '['.repeat(length / 2) + ']'.repeat(length / 2);
const many = (count: number) => Array.from({ length: count }, (_, index) => `"k${index}":1`).join(',');
const PLACEHOLDERS = Array.from({ length: 200 }, () => '{"_placeholder":true,"num":0}').join(',');
const REFUSED = /^bad_request/;
const ENDED = /^ended: transport close$/;

it.each<[what: string, ends: RegExp, ...frames: (string | Uint8Array)[]]>([
  ['a deep payload', REFUSED, `27["node:add",${deep(200_000)}]`],
  ['a deep field', REFUSED, `27["node:add",{"title":${deep(200_000)}}]`],
  ['a deep key', REFUSED, `27["node:add",{"idempotencyKey":${deep(200_000)}}]`],
  ['many fields', REFUSED, `27["node:add",{${many(15_000)}}]`],
  ['many payloads', REFUSED, `27["node:add"${',{}'.repeat(50_000)}]`],
  ['a list of a hundred thousand tags', REFUSED, `27["node:add",{"tags":[${'1,'.repeat(100_000)}1]}]`],
  ['fields of the prototype', REFUSED, '27["node:add",{"__proto__":{"title":"x"}}]'],
  ['another field of the prototype', REFUSED, '27["node:add",{"constructor":{"prototype":{}}}]'],
  ['an event of the prototype', REFUSED, '27["__proto__",{}]'],
  ['an event that is a number', REFUSED, '27[1,{}]'],
  ['an event without end', REFUSED, `27["${'x'.repeat(200_000)}",{}]`],
  ['binary for a payload', ENDED, '51-7["node:add",{"_placeholder":true,"num":0}]', new Uint8Array(8)],
  ['binary for a field', ENDED, '51-7["node:add",{"title":{"_placeholder":true,"num":0}}]', new Uint8Array(8)],
  ['binary for a key', ENDED, '51-7["node:add",{"idempotencyKey":{"_placeholder":true,"num":0}}]', new Uint8Array(8)],
  ['one buffer for many placeholders', ENDED, `51-7["node:add",{"tags":[${PLACEHOLDERS}]}]`, new Uint8Array(250_000)],
  ['an ack with an attachment', ENDED, '61-7[{"_placeholder":true,"num":0}]', new Uint8Array(8)],
  ['binary in a deep payload', ENDED, `51-7["node:add",${deep(200_000)}]`, new Uint8Array(8)],
  ['binary that is not said', ENDED, new Uint8Array(8)],
  ['text in place of binary', ENDED, '51-7["node:add",{}]', '27["node:add",{}]'],
  ['binary by a wrong number', ENDED, '51-7["node:add",{"_placeholder":true,"num":-1}]', new Uint8Array(8)],
  ['attachments without end', ENDED, '5999999999-7["node:add",{}]'],
  ['attachments of no number', ENDED, `5${'9'.repeat(200_000)}`],
  ['an event that is an object', ENDED, '27[{"toString":1},{}]'],
  ['a reserved event', ENDED, '27["disconnecting",{}]'],
  ['JSON that is none', ENDED, '27["node:add",{]'],
  ['a type that is none', ENDED, '9[]'],
])('[GEN3 GEN4] %s is refused or ends the connection: %s', async (_what, expected, ...frames) => {
  const [other, complaints] = [await connected(), vi.spyOn(console, 'error')];
  expect(await outcome(...frames)).toMatch(expected);
  expect(await other.emitWithAck('node:add', { title: 'others go on' })).toMatchObject({ ok: true });
  // A client that sends nonsense must not fill the log either.
  expect(complaints).not.toHaveBeenCalled();
  expect(sent.splice(0)).toHaveLength(1);
});

it('[GEN3] a connection learns which packet ended it', async () => {
  const socket = await connected();
  const closing = new Promise((resolve) => socket.once('closing', resolve));
  socket.io.engine.write('9[]');
  expect(await closing).toMatchObject({ ok: false, error: 'bad_request.invalid_packet' });
});

it('[LIM4] a packet with attachments ends its connection before it is decoded', async () => {
  const socket = await connected();
  const closing = new Promise<{ message: string }>((resolve) => socket.once('closing', resolve));
  // The first frame alone: were its attachment awaited, nothing would end the connection.
  socket.io.engine.write('51-7["node:add",{"title":{"_placeholder":true,"num":0}}]');
  expect(await closing).toMatchObject({
    ok: false,
    error: 'bad_request.invalid_packet',
    message: expect.stringContaining('binary'),
  });
});

it.each([[{ toString: 1 }], [{ toString: null, valueOf: null }], [[]], [['right']], [5], [true], [null]])(
  '[AUTH3] a token %j in the auth payload is unauthorized',
  async (api_token) => {
    const socket = openRawSocket(url, { auth: { api_token } });
    open.push(socket);
    const error = await new Promise<Error>((resolve) => socket.once('connect_error', resolve));
    expect(error).toMatchObject({ message: 'unauthorized', data: { ok: false, error: 'unauthorized' } });
  },
);
