// Requests that never end: headers and bodies sent byte by byte, and answers that the client never
// reads.
import type { Socket } from 'node:net';
import { openConnection } from '../raw-http.ts';
import { type Attack, addressesOf, count, repeat } from './attack.ts';

const address = addressesOf(50);
const CONNECTIONS = 300;

export const slow: Attack = async (context) => {
  const { plan } = context;
  const sockets: Socket[] = [];
  await repeat(context, 40, async (turn) => {
    for (const socket of sockets) if (!socket.destroyed && turn % 25 === 0) socket.write('x');
    for (const [at, socket] of [...sockets.entries()].reverse()) if (socket.destroyed) sockets.splice(at, 1);
    if (sockets.length >= CONNECTIONS) return;
    const socket = await openConnection(plan.urls[turn % plan.urls.length] as string, address(turn % 500));
    count(context, socket === null ? 'refused' : 'opened');
    if (socket === null) return;
    socket.once('close', () => count(context, 'closed'));
    const { token } = plan.largeNodeOwners[turn % plan.largeNodeOwners.length] as { token: string };
    const beginnings = [
      'GET /api/health HTTP/1.1\r\nHost: a\r\nX-Slow: ',
      'POST /api/login HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 200000\r\n\r\n{"email":"',
      `GET /api/graph?limit=5000 HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\n\r\n`,
    ];
    socket.write(beginnings[turn % beginnings.length] as string);
    socket.pause();
    sockets.push(socket);
  });
  for (const socket of sockets) socket.destroy();
};
