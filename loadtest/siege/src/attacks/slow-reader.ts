// Sockets that never read: 200 of them, on a branch that changes continuously, replaced when they
// are closed.
import { connectRaw, type RawSocket } from '../raw-socket.ts';
import { type Attack, addressesOf, count, repeat } from './attack.ts';

const address = addressesOf(30);
const SOCKETS = 200;

export const slowReader: Attack = async (context) => {
  const { plan } = context;
  const sockets: RawSocket[] = [];
  await repeat(context, 50, async (turn) => {
    for (const [at, socket] of [...sockets.entries()].reverse()) if (!socket.isOpen) sockets.splice(at, 1);
    if (sockets.length >= SOCKETS) return;
    // Includes the owners of large nodes, so that large buffers build up.
    const users = [...plan.largeNodeOwners, ...plan.grantCycles.map(({ grantee }) => grantee), ...plan.plainUsers];
    const { token } = users[turn % users.length] as { token: string };
    const socket = await connectRaw(plan.urls[turn % plan.urls.length] as string, address(turn), token);
    count(context, socket === null ? 'refused' : 'connected');
    if (socket === null) return;
    // Calls with large answers, which the socket never reads.
    for (let call = 0; call < 5; call++) socket.send(`42${call}["graph:get",{"limit":5000}]`);
    socket.pause();
    sockets.push(socket);
  });
  for (const socket of sockets) socket.close();
};
