// Large commands on tens of thousands of nodes, two at a time, without a pause.
import type { TreeOwner } from '../plan.ts';
import { send } from '../raw-http.ts';
import { type Attack, type AttackContext, addressesOf, count, repeat } from './attack.ts';

const address = addressesOf(60);

export const largeCommands: Attack = async (context) => {
  await Promise.all(context.plan.largeTreeOwners.map((treeOwner, index) => repeatGrant(context, treeOwner, index)));
};

/** Grants the whole tree and revokes the grant. */
async function repeatGrant(context: AttackContext, { token, root }: TreeOwner, index: number): Promise<void> {
  const { plan } = context;
  const url = plan.urls[index % plan.urls.length] as string;
  const from = address(index);
  const email = (plan.plainUsers[index] as { email: string }).email;
  await repeat(context, 200, async () => {
    const grant = { id: root, email, level: 3, branch: true };
    const granted = await send({ url, from, method: 'POST', path: '/api/node/access', token, body: grant });
    count(context, `grant ${granted.status}`);
    const revoked = await send({
      url,
      from,
      method: 'DELETE',
      path: '/api/node/access',
      token,
      body: { id: root, email },
    });
    count(context, `revocation ${revoked.status}`);
    // A revocation may keep the memberships, so the root is also trashed and restored.
    const trashed = await send({ url, from, method: 'POST', path: '/api/node/trash', token, body: { id: root } });
    count(context, `trash ${trashed.status}`);
    const restored = await send({ url, from, method: 'POST', path: '/api/node/restore', token, body: { id: root } });
    count(context, `restore ${restored.status}`);
  });
}
