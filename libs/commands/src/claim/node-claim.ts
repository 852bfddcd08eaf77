/**
 * node:claim: claim a node, by its id or as the first of the queue that is free. Rules: CLAIM1,
 * CLAIM2, CLAIM4.
 */
import { Level } from '@taskgraph/wire/codes';
import { isRefusal, refuse } from '@taskgraph/wire/errors';
import { slotOf } from '@taskgraph/wire/ids';
import { defineCommand } from '../define-command.ts';
import { callerOf, namedNode } from '../rules/caller.ts';
import { beginClaim, isClaimable, refuseUnclaimable } from '../rules/claims.ts';

export const nodeClaim = defineCommand({
  name: 'node:claim',
  // The claims of a queue share a worker, which gives each of them another candidate.
  route: ({ id, root }, actor) => slotOf(id ?? root ?? actor.id),
  readSet: ({ id }) => (id === undefined ? {} : { nodes: [id] }),
  decide(draft, { id, lease }, context) {
    const caller = callerOf(draft, context);
    if (id !== undefined) {
      const refuseState = (found: Parameters<typeof isClaimable>[0]) =>
        refuseUnclaimable(draft, caller, found, context);
      const node = namedNode(draft, caller, { id }, { needed: Level.EDITOR, refuseState });
      if (isRefusal(node)) return node;
      beginClaim(draft, id, lease, context);
      return null;
    }
    const { candidates } = context;
    if (candidates === undefined) return refuse('unavailable', 'The queue was not read; try again.', NOT_DONE);
    if (isRefusal(candidates)) return candidates;
    draft.requireNodes(candidates.ids);
    const free = candidates.ids.find((candidate) => {
      const node = draft.node(candidate);
      return node !== null && caller.may(node, Level.EDITOR) && isClaimable(node, context);
    });
    if (free !== undefined) beginClaim(draft, free, lease, context);
    return null;
  },
});

const NOT_DONE = { outcome: 'not_done' } as const;
