/** node:claim:expire: end the claim on a node if its end has passed. Rules: CLAIM3, GEN9. */
import { anyId, slotOf } from '@taskgraph/wire/ids';
import { z } from 'zod';
import { defineSystemCommand } from '../define-command.ts';
import { notFound } from '../rules/caller.ts';
import { endClaim } from '../rules/claims.ts';

export const nodeClaimExpire = defineSystemCommand({
  name: 'node:claim:expire',
  resource: 'node',
  payload: z.strictObject({ id: anyId }),
  route: ({ id }) => slotOf(id),
  readSet: ({ id }) => ({ nodes: [id] }),
  decide(draft, { id }, { now }) {
    const node = draft.node(id);
    if (node === null) return notFound('node', { id });
    // It may have been renewed or ended since the job found it.
    if (node.claimUntil !== null && node.claimUntil <= now) endClaim(draft, id);
    return null;
  },
});
