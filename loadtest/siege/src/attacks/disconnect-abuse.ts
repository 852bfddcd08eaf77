// Users who repeatedly gain and lose access to a shared branch, and sometimes disconnect from the
// namespace just before. They must receive no slice that is committed after the revocation.

import type { GrantCycle } from '../plan.ts';
import { send } from '../raw-http.ts';
import { connectRaw, type RawSocket } from '../raw-socket.ts';
import { type Attack, type AttackContext, addressesOf, breach, count, pause, repeat } from './attack.ts';

const address = addressesOf(20);
/**
 * The interval between two grants. With 60 grants and revocations a minute it is below every limit
 * of the owner.
 */
const TURN_MS = 2_000;
const INSIDE_MS = 800;
/** A slice in flight at the revocation may still arrive; one committed later may not. */
const GRACE_MS = 0;

export const disconnectAbuse: Attack = async (context) => {
  await Promise.all(context.plan.grantCycles.map((grantCycle, index) => cycleGrant(context, grantCycle, index)));
};

async function cycleGrant(
  context: AttackContext,
  { owner, branch, grantee }: GrantCycle,
  index: number,
): Promise<void> {
  const { plan, signal } = context;
  const url = plan.urls[index % plan.urls.length] as string;
  const from = address(index);
  let socket: RawSocket | null = null;
  let endedAt: string | null = null;
  const listen = (packet: string) => {
    if (!packet.startsWith('42["graph:diff"')) return;
    const [, slice] = JSON.parse(packet.slice(2)) as [string, { feed: string; ts?: string }];
    count(context, 'slices heard');
    if (slice.feed !== `root:${branch}` || endedAt === null || slice.ts === undefined) return;
    if (Date.parse(slice.ts) > Date.parse(endedAt) + GRACE_MS) {
      breach(context, `a stranger heard what was committed at ${slice.ts}, after ${endedAt}`);
    }
  };
  await repeat(context, TURN_MS - INSIDE_MS, async (turn) => {
    if (socket === null || !socket.isOpen) {
      // The service accepts ten connections a minute from an address.
      socket = await connectRaw(url, address(100 + index * 50 + (turn % 50)), grantee.token);
      socket?.onPacket(listen);
      count(context, socket === null ? 'connection refused' : 'connected');
    }
    const granting = { id: branch, email: grantee.email, level: 3, branch: true };
    endedAt = null;
    const granted = await send({
      url,
      from,
      method: 'POST',
      path: '/api/node/access',
      token: owner.token,
      body: granting,
    });
    count(context, `grant ${granted.status}`);
    await pause(signal, INSIDE_MS);
    // Every third time it first leaves the namespace and keeps the connection.
    if (turn % 3 === 2) socket?.send('41');
    const body = { id: branch, email: grantee.email };
    const revoked = await send({ url, from, method: 'DELETE', path: '/api/node/access', token: owner.token, body });
    count(context, `revocation ${revoked.status}`);
    endedAt = /"ts":"([^"]+)"/.exec(revoked.beginning)?.[1] ?? null;
  });
  socket = socket as RawSocket | null;
  socket?.close();
}
