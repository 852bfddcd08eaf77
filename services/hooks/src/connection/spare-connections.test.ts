import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createSpareConnections } from './spare-connections.ts';

let server: Server;
const sockets: Socket[] = [];
beforeEach(async () => {
  server = createServer((socket) => void socket.on('error', () => undefined));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
  server.close();
});

async function open(): Promise<Socket> {
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  sockets.push(socket);
  await once(socket, 'connect');
  return socket;
}

test('[HOOK7] a connection is taken once, under its key', async () => {
  const spares = createSpareConnections({ idleMs: 60_000, maximum: 2 });
  const socket = await open();
  spares.put('a', socket);
  expect(spares.take('b')).toBeUndefined();
  expect(spares.take('a')).toBe(socket);
  expect(spares.take('a')).toBeUndefined();
  expect(socket.destroyed).toBe(false);
});

test('[HOOK13] the number of connections is bounded, and the oldest is closed', async () => {
  const spares = createSpareConnections({ idleMs: 60_000, maximum: 2 });
  const [one, two, three, four] = [await open(), await open(), await open(), await open()];
  spares.put('a', one);
  spares.put('b', two);
  spares.put('c', three);
  expect([one.destroyed, two.destroyed, spares.size()]).toEqual([true, false, 2]);
  spares.put('b', four);
  expect([two.destroyed, three.destroyed]).toEqual([true, false]);
  spares.clear();
  expect([three.destroyed, four.destroyed, spares.size()]).toEqual([true, true, 0]);
});

test('[HOOK13] an unused connection is closed', async () => {
  const spares = createSpareConnections({ idleMs: 20, maximum: 2 });
  const socket = await open();
  spares.put('a', socket);
  await vi.waitFor(() => expect(socket.destroyed).toBe(true));
  expect(spares.size()).toBe(0);
});

test.each(['put', 'take'])('[HOOK8] a connection that its receiver has ended is not used, at %s', async (moment) => {
  const accepted: Socket[] = [];
  server.on('connection', (socket) => void accepted.push(socket));
  const spares = createSpareConnections({ idleMs: 60_000, maximum: 2 });
  const socket = await open();
  await vi.waitFor(() => expect(accepted).toHaveLength(1));
  if (moment === 'take') spares.put('a', socket);
  // Before the listeners of the connections that wait: as if nobody had listened in time.
  const taken = new Promise<Socket | undefined>((resolve) => {
    socket.prependOnceListener('end', () => {
      if (moment === 'put') spares.put('a', socket);
      resolve(spares.take('a'));
    });
  });
  accepted[0]?.end();
  expect(await taken).toBeUndefined();
});
