// An ended connection receives nothing, whatever packets its client sends in any state, and however
// its access ends. Rules: ACL7, AUTH1, AUTH2, PUB5, LIM4.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Socket } from 'socket.io';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RawGateway, startRawGateway } from '../test/support/raw-gateway.ts';
import type { RawClient } from '../test/support/raw-socket.ts';
import { closeWhenIdle } from './sockets.ts';

let gateway: RawGateway;
let ids = 0;

beforeAll(async () => {
  gateway = await startRawGateway();
});
afterAll(() => gateway?.stop());

/** Somebody with a feed, a token that a workers' table knows, and the words that connect them. */
interface Reader {
  readonly feed: string;
  readonly token: string;
  readonly tokenId: string;
  readonly user: string;
  readonly auth: object;
}

function newReader(kind: 'user' | 'public', expires: string | null = null): Reader {
  const id = String(ids++);
  const reader = { feed: `root:${id}`, token: `token-${id}`, tokenId: `id-${id}`, user: `user-${id}` };
  const feed = { feed: reader.feed, epoch: 1, seq: 1, due: null };
  if (kind === 'public') {
    gateway.known.published.set(reader.token, feed);
    return { ...reader, auth: { public_token: reader.token } };
  }
  gateway.known.users.set(reader.user, [feed]);
  const user = { id: reader.user, username: reader.user, email: `${reader.user}@example.com` };
  const token = { id: reader.tokenId, kind: 'api' as const, readOnly: false, expires };
  gateway.known.tokens.set(reader.token, { user, token });
  return { ...reader, auth: { api_token: reader.token } };
}

const STATES = ['before CONNECT', 'after a refused CONNECT', 'connected'] as const;
type State = (typeof STATES)[number];

/** A client in one of the states. */
async function clientIn(state: State, reader: Reader): Promise<RawClient> {
  const client = await gateway.dial();
  await client.receive('0{');
  if (state === 'before CONNECT') return client;
  const auth = state === 'connected' ? reader.auth : { api_token: 'wrong' };
  client.send(`40${JSON.stringify(auth)}`);
  await client.receive(state === 'connected' ? '42["connected"' : '44{');
  // Socket.IO's work of its next turn.
  await sleep(10);
  return client;
}

const diffsOf = (client: RawClient) => client.packets.filter((text) => text.includes('graph:diff'));

/** Publishes to the rooms of a feed, and waits until a reader of it has received the slice. */
async function publishWitnessed(feed: string): Promise<void> {
  const witness = newReader('user');
  gateway.known.users.set(witness.user, [{ feed, epoch: 1, seq: 1, due: null }]);
  const client = await clientIn('connected', witness);
  gateway.publish(feed);
  await client.receive('graph:diff');
  client.destroy();
}

/**
 * Each packet of Engine.IO and of Socket.IO, and what is none; with the states in which the
 * connection goes on after it.
 */
const OPEN_WHEN_CONNECTED: readonly State[] = ['connected'];
const NEVER: readonly State[] = [];
const PACKETS: readonly (readonly [message: string, send: (client: RawClient) => void, open: readonly State[]])[] = [
  ['nothing', () => undefined, STATES],
  ['0, open', (client) => client.send('0{}'), NEVER],
  ['1, close', (client) => client.send('1'), NEVER],
  ['2, ping', (client) => client.send('2'), NEVER],
  ['2probe, a ping that probes', (client) => client.send('2probe'), NEVER],
  ['3, pong', (client) => client.send('3'), STATES],
  ['4, an empty message', (client) => client.send('4'), NEVER],
  ['5, upgrade', (client) => client.send('5'), NEVER],
  ['6, noop', (client) => client.send('6'), NEVER],
  ['7, no type of Engine.IO', (client) => client.send('7'), NEVER],
  ['an empty frame', (client) => client.send(''), NEVER],
  ['40, CONNECT with a wrong token', (client) => client.send('40{"api_token":"wrong"}'), STATES.slice(0, 2)],
  ['40, CONNECT that is not JSON', (client) => client.send('40{'), NEVER],
  ['40, CONNECT twice at once', (client) => ['40{"api_token":"wrong"}', '40{}'].forEach(client.send), NEVER],
  ['40/x, CONNECT to another namespace', (client) => client.send('40/x,'), STATES],
  ['40 with a namespace of 200 letters', (client) => client.send(`40/${'x'.repeat(200)},`), NEVER],
  ['41, DISCONNECT', (client) => client.send('41'), NEVER],
  ['41 twice', (client) => ['41', '41'].forEach(client.send), NEVER],
  ['41/x, DISCONNECT from another namespace', (client) => client.send('41/x,'), NEVER],
  ['42, EVENT with an ack', (client) => client.send('421["graph:get",{}]'), OPEN_WHEN_CONNECTED],
  ['42, EVENT without an ack', (client) => client.send('42["node:add",{}]'), OPEN_WHEN_CONNECTED],
  ['42, EVENT that is not JSON', (client) => client.send('42["node:add",'), NEVER],
  ['42, EVENT with a reserved name', (client) => client.send('42["disconnect"]'), NEVER],
  ['42, EVENT that is not a list', (client) => client.send('42{}'), NEVER],
  ['42/x, EVENT to another namespace', (client) => client.send('42/x,["node:add",{}]'), NEVER],
  ['43, ACK', (client) => client.send('431[]'), NEVER],
  ['44, CONNECT_ERROR', (client) => client.send('44{"message":"no"}'), NEVER],
  [
    '45, BINARY_EVENT with its attachment',
    (client) => {
      client.send('451-1["node:add",{"_placeholder":true,"num":0}]');
      client.sendBinary(Buffer.from('a'));
    },
    NEVER,
  ],
  ['45 without its attachment', (client) => client.send('451-["node:add",{"_placeholder":true,"num":0}]'), NEVER],
  ['46, BINARY_ACK', (client) => client.send('461-1[]'), NEVER],
  ['47, no type of Socket.IO', (client) => client.send('47'), NEVER],
  ['binary', (client) => client.sendBinary(Buffer.from('40')), NEVER],
  ['garbage in place of a frame', (client) => client.sendBytes(Buffer.from('garbage that is not a frame')), NEVER],
  ['a frame that is too long', (client) => client.send(`42${'x'.repeat(300_000)}`), NEVER],
  ['a WebSocket close frame', (client) => client.sendBytes(Buffer.from([0x88, 0x80, 0, 0, 0, 0])), NEVER],
];

/** Whether the sent packets end the connection. If so, it has ended when this resolves. */
async function endOf(client: RawClient, isOpen: boolean): Promise<void> {
  if (!isOpen) return client.end();
  await sleep(20);
  expect(client.ended).toBe(false);
}

describe.concurrent('[LIM4 ACL7] after each packet in each state the connection continues, or ends and receives nothing', () => {
  for (const state of STATES) {
    test.each(PACKETS)(`${state}: %s`, async (_, send, open) => {
      const reader = newReader('user');
      const client = await clientIn(state, reader);
      send(client);
      await endOf(client, open.includes(state));
      const before = diffsOf(client).length;
      await publishWitnessed(reader.feed);
      const isReading = open.includes(state) && state === 'connected';
      if (isReading) await client.receive('graph:diff');
      await sleep(20);
      expect(diffsOf(client).length - before).toBe(isReading ? 1 : 0);
    });
  }
});

/** How access ends. `closes` says whether the connection does. */
const ENDS: readonly {
  readonly end: string;
  readonly kind: 'user' | 'public';
  readonly closes: boolean;
  readonly expiresMs?: number;
  readonly act: (reader: Reader) => void;
}[] = [
  {
    end: 'its token is revoked',
    kind: 'user',
    closes: true,
    act: ({ tokenId }) => gateway.tokens.end({ tokens: [tokenId] }),
  },
  {
    end: 'it has logged out, and the control message got lost',
    kind: 'user',
    closes: true,
    act: ({ token }) => {
      gateway.known.tokens.delete(token);
      void gateway.tokens.check();
    },
  },
  {
    end: 'its user is disabled',
    kind: 'user',
    closes: true,
    act: ({ user }) => gateway.tokens.end({ users: [user] }),
  },
  { end: 'its session expires', kind: 'user', closes: true, expiresMs: 2_000, act: () => undefined },
  {
    end: 'its public token is unpublished',
    kind: 'public',
    closes: true,
    act: ({ token }) => {
      gateway.known.published.delete(token);
      gateway.subscriptions.reauthorizeAll();
    },
  },
  {
    end: 'its grant is lost',
    kind: 'user',
    closes: false,
    act: ({ user }) => {
      gateway.known.users.set(user, []);
      gateway.subscriptions.reauthorize([user]);
    },
  },
];

describe('[ACL7 AUTH1 AUTH2 PUB5] at each end of access, after each packet that leaves the connection open', () => {
  for (const { end, kind, closes, expiresMs, act } of ENDS) {
    const packets = PACKETS.filter(([, , open]) => open.includes('connected'));
    // Without a close no event shows the end: these wait a moment, beside no other tests.
    test.each(packets)(`${end}: %s`, { concurrent: closes }, async (_, send) => {
      const expires = expiresMs === undefined ? null : new Date(Date.now() + expiresMs).toISOString();
      const reader = newReader(kind, expires);
      const client = await clientIn('connected', reader);
      send(client);
      gateway.publish(reader.feed);
      await client.receive('graph:diff');
      act(reader);
      if (closes) await client.end();
      else await sleep(50);
      const before = diffsOf(client).length;
      await publishWitnessed(reader.feed);
      await sleep(20);
      expect(client.ended).toBe(closes);
      expect(diffsOf(client).length).toBe(before);
    });
  }
});

/** The ways in which any part of the server drops a socket. */
const LETTING_GO: readonly (readonly [way: string, act: (socket: Socket) => unknown])[] = [
  ['leaves the namespace', (socket) => socket.disconnect()],
  ['disconnects', (socket) => socket.disconnect(true)],
  ['disconnects all', () => gateway.io.disconnectSockets()],
  ['closes the engine’s connection', (socket) => socket.conn.close()],
  ['discards the engine’s connection', (socket) => socket.conn.close(true)],
  ['closes it when it is idle', closeWhenIdle],
];

test.each(LETTING_GO)('[ACL7] this side %s: the connection ends and receives nothing', async (_, act) => {
  const reader = newReader('user');
  const client = await clientIn('connected', reader);
  const id = /"sid":"([^"]+)"/.exec(await client.receive('40{'))?.[1] ?? '';
  act(gateway.io.sockets.sockets.get(id) as Socket);
  await publishWitnessed(reader.feed);
  await client.end();
  expect(diffsOf(client)).toEqual([]);
});

test('[ACL7] a connection that answers no ping ends and receives nothing', async () => {
  const quick = await startRawGateway({ pingMs: 50 });
  const { feed, user, token } = newReader('user');
  quick.known.users.set(user, gateway.known.users.get(user) as never);
  quick.known.tokens.set(token, gateway.known.tokens.get(token) as never);
  const client = await quick.dial();
  client.send(`40{"api_token":"${token}"}`);
  await client.receive('42["connected"');
  client.pause();
  while (quick.connections.ended.server === 0) await sleep(10);
  quick.publish(feed);
  await sleep(20);
  client.resume();
  await client.end();
  expect(diffsOf(client)).toEqual([]);
  await quick.stop();
});

test('[ACL7] a connection that stops reading and ends meanwhile receives nothing later', async () => {
  const reader = newReader('user');
  const client = await clientIn('connected', reader);
  client.pause();
  gateway.publish(reader.feed, 'before');
  await sleep(20);
  gateway.tokens.end({ tokens: [reader.tokenId] });
  gateway.publish(reader.feed, 'after');
  await publishWitnessed(reader.feed);
  client.resume();
  await client.end();
  expect(diffsOf(client).map((text) => /"title":"(\w+)"/.exec(text)?.[1])).toEqual(['before']);
});

test('none of these cases is reported as a failure of the gateway', () => {
  expect(gateway.problems).toEqual([]);
});
