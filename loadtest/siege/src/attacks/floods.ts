// Floods of packets over sockets: calls without an ack, calls beyond the limit in flight, unknown
// events and namespaces, invalid packets.
import { connectRaw, openRaw } from '../raw-socket.ts';
import { type Attack, addressesOf, breach, count, pause, repeat } from './attack.ts';

const address = addressesOf(40);
const PACKETS_A_TURN = 50;

const PACKETS: readonly string[] = [
  '42["node:add",{"title":"without an ack"}]',
  '421["changes:get",{}]',
  '422["no:such:event",{}]',
  '40/elsewhere,{}',
  '40{"api_token":{"toString":1}}',
  '41/elsewhere,',
  '42["error",{}]',
  '451-["x",{"_placeholder":true,"num":0}]',
];

export const floods: Attack = async (context) => {
  const { plan, signal } = context;
  await repeat(context, 200, async (turn) => {
    const url = plan.urls[turn % plan.urls.length] as string;
    const { token } = plan.plainUsers[turn % plan.plainUsers.length] as { token: string };
    const socket = await connectRaw(url, address(turn), token);
    count(context, socket === null ? 'refused' : 'connected');
    if (socket === null) return;
    const packet = PACKETS[turn % PACKETS.length] as string;
    let sent = 0;
    while (socket.isOpen && sent < 5_000 && !signal.aborted) {
      for (let each = 0; each < PACKETS_A_TURN; each++) socket.send(packet);
      sent += PACKETS_A_TURN;
      await pause(signal, 20);
    }
    count(context, socket.isOpen ? `stayed open: ${packet.slice(0, 12)}` : 'closed by the gateway');
    socket.close();
  });
};

/** Connections that never authenticate. */
export const silence: Attack = async (context) => {
  const { plan, signal } = context;
  await repeat(context, 100, async (turn) => {
    const socket = await openRaw(plan.urls[turn % plan.urls.length] as string, address(5_000 + turn));
    count(context, socket === null ? 'refused' : 'opened');
    if (socket === null) return;
    void pause(signal, 45_000).then(() => {
      if (socket.isOpen && !signal.aborted) breach(context, 'a connection that never said who it is stayed for 45 s');
      socket.close();
    });
  });
};
