/** node:claim:renew: set the end of the caller's claim. Rules: CLAIM2, CLAIM3, GEN10. */
import { Level, Op } from '@taskgraph/wire/codes';
import { isRefusal } from '@taskgraph/wire/errors';
import { slotOf } from '@taskgraph/wire/ids';
import { defineCommand } from '../define-command.ts';
import { callerOf, namedNode, refuseTrashed } from '../rules/caller.ts';
import { endOfLease, refuseEndedClaim } from '../rules/claims.ts';

export const nodeClaimRenew = defineCommand({
  name: 'node:claim:renew',
  route: ({ id }) => slotOf(id),
  readSet: ({ id }) => ({ nodes: [id] }),
  decide(draft, { claimId, lease, ...named }, context) {
    const node = namedNode(draft, callerOf(draft, context), named, {
      needed: Level.EDITOR,
      refuseState: (found) => refuseTrashed(found) ?? refuseEndedClaim(found, claimId, context),
    });
    if (isRefusal(node)) return node;
    draft.changeNode(Op.NODE_UPDATE, node.id, { claimUntil: endOfLease(context.now, lease) });
    return null;
  },
});
