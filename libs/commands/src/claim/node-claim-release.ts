/**
 * node:claim:release: end a claim without completing the node. Rules: CLAIM2, CLAIM3, GEN9, GEN10.
 */
import { Level } from '@taskgraph/wire/codes';
import { isRefusal } from '@taskgraph/wire/errors';
import { slotOf } from '@taskgraph/wire/ids';
import { defineCommand } from '../define-command.ts';
import { callerOf, namedNode, refuseTrashed } from '../rules/caller.ts';
import { claimEnded, endClaim } from '../rules/claims.ts';

export const nodeClaimRelease = defineCommand({
  name: 'node:claim:release',
  route: ({ id }) => slotOf(id),
  readSet: ({ id }) => ({ nodes: [id] }),
  decide(draft, { claimId, ...named }, context) {
    const node = namedNode(draft, callerOf(draft, context), named, {
      needed: Level.EDITOR,
      refuseState: (found) =>
        refuseTrashed(found) ?? (claimId === undefined || claimId === found.claimId ? null : claimEnded(found)),
    });
    if (isRefusal(node)) return node;
    endClaim(draft, node.id);
    return null;
  },
});
