import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { frameOf } from '@taskgraph/testkit/sockets/websocket-frames';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openRawConnection } from './raw-connection.ts';

const server = createServer((_, response) => response.writeHead(403).end());
const sockets = new Set<Socket>();
server.on('connection', (socket) => void sockets.add(socket));
let url = '';
let upgrade: (request: IncomingMessage, socket: Socket) => void = () => undefined;

beforeEach(async () => {
  server.removeAllListeners('upgrade').on('upgrade', (request, socket) => upgrade(request, socket as Socket));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  await new Promise((resolve) => void server.close(resolve));
});

/** A text frame as a server sends it, without a mask. */
function textOf(text: string): Buffer {
  return Buffer.concat([Buffer.from([0x81, text.length]), Buffer.from(text)]);
}

const ACCEPT = 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n';

test('a connection answers pings, and passes on and sends packets unchanged', async () => {
  const [received, sent]: [Buffer[], string[]] = [[], []];
  const peer = new Promise<Socket>((resolve) => {
    upgrade = (request, socket) => {
      expect([request.url, socket.remoteAddress]).toEqual(['/path/?EIO=4&transport=websocket', '127.0.2.7']);
      socket.on('data', (bytes: Buffer) => received.push(bytes));
      socket.write(Buffer.concat([Buffer.from(ACCEPT), textOf('0{}'), textOf('2')]));
      resolve(socket);
    };
  });
  const options = { url, path: '/path', localAddress: '127.0.2.7', openLimitMs: 5_000 };
  const connection = await openRawConnection({ ...options, onPacket: (packet) => void sent.push(packet.toString()) });
  connection?.send('40{}');
  connection?.send(Uint8Array.from([1, 2, 3]));
  const all = Buffer.concat([frameOf('3'), frameOf('40{}'), frameOf(Uint8Array.from([1, 2, 3]))]);
  await expect.poll(() => Buffer.concat(received)).toEqual(all);
  expect(all[all.length - 9]).toBe(0x82);
  expect(sent).toEqual(['0{}']);
  expect(connection?.isOpen).toBe(true);
  (await peer).destroy();
  await connection?.ended;
  expect(connection?.isOpen).toBe(false);
});

test('a refused connection or upgrade, or one without an answer, gives null', async () => {
  const open = (openLimitMs: number) => openRawConnection({ url, path: '/', openLimitMs, onPacket: () => undefined });
  upgrade = (_, socket) => void socket.end('HTTP/1.1 429 Too Many Requests\r\n\r\n');
  expect(await open(5_000)).toBeNull();
  upgrade = () => undefined;
  expect(await open(50)).toBeNull();
  url = 'http://127.0.0.1:1';
  expect(await open(5_000)).toBeNull();
});
