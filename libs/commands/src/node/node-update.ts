/** node:update: change the given fields of a node. Rules: NODE2, BLK2 to BLK8, CLAIM2, CLAIM3, GEN9, GEN10. */

import type { Draft } from '@taskgraph/domain/decision/draft';
import { mustBeBlocked, recomputeStatuses } from '@taskgraph/domain/decision/status-cascade';
import { Level, Op, Status } from '@taskgraph/wire/codes';
import { isRefusal } from '@taskgraph/wire/errors';
import { slotOf } from '@taskgraph/wire/ids';
import { defineCommand } from '../define-command.ts';
import { callerOf, namedNode, refuseTrashed } from '../rules/caller.ts';
import { assigneesWithoutClaim, endPassedClaim, refuseEndedClaim } from '../rules/claims.ts';
import { refuseWhileBlocked } from '../rules/status.ts';

export const nodeUpdate = defineCommand({
  name: 'node:update',
  route: ({ id }) => slotOf(id),
  readSet: ({ id, status, independent }) => ({
    nodes: [id],
    ...(status === undefined ? {} : { targetsOf: [id] }),
    ...(independent === false ? { sourcesOf: [id] } : {}),
  }),
  decide(draft, { id, version: guard, status, claim, ...fields }, context) {
    const caller = callerOf(draft, context);
    const node = namedNode(
      draft,
      caller,
      { id, version: guard },
      {
        needed: Level.EDITOR,
        refuseState: (found) =>
          refuseTrashed(found) ??
          (claim === undefined ? null : refuseEndedClaim(found, claim, context)) ??
          (status === undefined ? null : refuseWhileBlocked(draft, caller, found)),
      },
    );
    if (isRefusal(node)) return node;
    const given = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
    // Otherwise the expiry of the passed claim would undo a start by hand.
    if (status === Status.IN_PROGRESS && claim === undefined) endPassedClaim(draft, id, context);
    draft.changeNode(Op.NODE_UPDATE, id, {
      ...(status === Status.AVAILABLE ? assigneesWithoutClaim(node) : {}),
      ...given,
    });
    if (status !== undefined) setStatus(draft, id, status as Status);
    recomputeStatuses(draft);
    return null;
  },
});

/**
 * One NODE_STATUS, even if the same update makes the node Blocked. The node then stores the status
 * for later (BLK3, BLK8).
 */
function setStatus(draft: Draft, id: string, status: Status): void {
  const blocked = mustBeBlocked(draft.existingNode(id));
  const patch = blocked ? { status: Status.BLOCKED, statusBefore: status } : { status, statusBefore: null };
  draft.changeNode(Op.NODE_STATUS, id, patch);
}
