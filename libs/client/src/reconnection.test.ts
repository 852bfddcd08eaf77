// The order of calls across lost connections, with a Socket.IO server.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Server, type Socket } from 'socket.io';
import { afterEach, expect, it } from 'vitest';
import { connect, type TaskgraphClient } from './connect.ts';

/**
 * Answers calls of `node:update`, except on connections that the test breaks.
 */
async function startServer(breaksAfter: readonly number[]) {
  const http = createServer();
  const server = new Server(http, { path: '/ext-socket.io' });
  const received: string[][] = [];
  server.on('connection', (socket: Socket) => {
    const titles: string[] = [];
    const breaksAt = breaksAfter[received.length];
    received.push(titles);
    const answer = ({ title }: { title: string }, ack: (body: object) => void) => {
      titles.push(title);
      if (breaksAt === undefined) ack({ ok: true, diff: {} });
      // Like a network: without a closing message.
      else if (titles.length === breaksAt) socket.conn.transport.close();
    };
    socket.on('node:update', answer);
    socket.emit('connected', { ok: true, uid: 'u', client: 'api', serverTime: '', feeds: {}, position: 'p' });
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  return { url, received, close: () => server.close() };
}

let closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing) await close();
  closing = [];
});

async function setUp(breaksAfter: readonly number[]) {
  const server = await startServer(breaksAfter);
  const client = await connect({ url: server.url, token: 't' });
  closing = [() => client.close(), () => server.close()];
  return { ...server, client };
}

const ID = '01890000-0000-7000-8000-000000000000';
const titled = (count: number, from = 0) => Array.from({ length: count }, (_, at) => `title ${from + at}`);
const update = (client: TaskgraphClient, titles: readonly string[]) =>
  titles.map((title) => client.node.update({ id: ID, title }));

it('[GEN8] calls in flight are sent again in order, before all later calls', async () => {
  const { client, received } = await setUp([40]);
  const earlier = update(client, titled(250));
  await new Promise((resolve) => setTimeout(resolve, 20));
  const later = update(client, titled(50, 250));
  await Promise.all([...earlier, ...later]);
  expect(received).toHaveLength(2);
  // At most 200 are in flight. The others waited and follow.
  expect(received[1]).toEqual(titled(300));
});

it('[GEN8] the order survives repeated connection losses', async () => {
  const { client, received } = await setUp([3, 7, 1, 60]);
  await Promise.all(update(client, titled(100)));
  expect(received.slice(1)).toHaveLength(4);
  expect(received.at(-1)).toEqual(titled(100));
});

it('a call that was sent and has no answer in time does not fail as never sent', async () => {
  const { client } = await setUp([1, 1, 1, 1, 1, 1, 1, 1, 1, 1]);
  const call = client.node.update({ id: ID, title: 'lost' }, { timeoutMs: 700 });
  await expect(call).rejects.toMatchObject({ code: 'client.timeout', message: expect.stringContaining('answer') });
});
