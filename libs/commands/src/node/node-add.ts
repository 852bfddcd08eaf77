/**
 * node:add: create a node, alone or as a child of `target`. Rules: NODE1 to NODE5, BLK2, BLK5,
 * LNK2, ACL10, BOT1.
 */

import { grantOn } from '@taskgraph/domain/access/permissions';
import { isCurrent } from '@taskgraph/domain/access/reader-access';
import { recomputeStatuses } from '@taskgraph/domain/decision/status-cascade';
import { newLink, newNode } from '@taskgraph/domain/state/new-entities';
import type { GrantState, NodeState } from '@taskgraph/domain/state/state';
import { Level, LinkType, Op } from '@taskgraph/wire/codes';
import { refuse } from '@taskgraph/wire/errors';
import { slotOf } from '@taskgraph/wire/ids';
import { defineCommand } from '../define-command.ts';
import { refuseNodeOwnedByBot } from '../rules/bots.ts';
import { type Caller, callerOf, notFound, refuseBelow } from '../rules/caller.ts';
import { refuseTooManyLinks } from '../rules/degree-limits.ts';
import { refuseTooManyGrants } from '../rules/grants.ts';

export const nodeAdd = defineCommand({
  name: 'node:add',
  // A child has its parent's slot, so that commands on one tree share a slot.
  route: ({ target }, actor) => slotOf(target ?? actor.id),
  readSet: ({ target }) => (target === undefined ? {} : { nodes: [target] }),
  decide(draft, { target, ...fields }, context) {
    const ofBot = refuseNodeOwnedByBot(context.actor, { target });
    if (ofBot !== null) return ofBot;
    if (target === undefined) {
      const { id: ownerId } = context.actor;
      draft.addNode(Op.NODE_ADD, newNode({ id: context.newId(slotOf(ownerId)), ownerId }, context.now, fields));
      return null;
    }
    const parent = draft.node(target);
    if (parent === null) return notFound('node', { id: target });
    const caller = callerOf(draft, context);
    const below = refuseBelow(caller, parent, Level.EDITOR);
    if (below !== null) return below;
    if (parent.inTrash) return refuse('conflict.target_in_trash', 'The parent is in the trash.', { id: target });
    const tooMany = refuseTooManyLinks(draft, parent, caller);
    if (tooMany !== null) return tooMany;
    // The parent's owner owns the child and its link, whoever created them (NODE3).
    const { ownerId } = parent;
    const slot = slotOf(parent.id);
    const child = newNode({ id: context.newId(slot), ownerId }, context.now, fields);
    draft.addNode(Op.NODE_ADD, child);
    // The link is a side effect of the node: undo trashes the node, whatever happened to the link
    // since (HIS2).
    const ends = { source: child.id, target: parent.id };
    const type = parent.independent ? LinkType.SECONDARY : LinkType.PRIMARY;
    const id = context.newId(slot);
    const link = newLink({ id, ...ends, type, private: false, ownerId, conveys: true }, context.now);
    draft.asEffect(() => draft.addLink(Op.LINK_ADD, link));
    recomputeStatuses(draft);
    const copy = grantToCopy(caller, parent, context.now);
    if (copy === null) return null;
    // Without the copy, the caller would not see the new node, so both are refused.
    const tooManyGrants = refuseTooManyGrants(draft, parent, caller.email);
    if (tooManyGrants !== null) return tooManyGrants;
    draft.asEffect(() => {
      draft.addGrant(Op.GRANT_UPSERT, { ...copy, nodeId: child.id, version: 1, showing: true, copyOf: parent.id });
    });
    return null;
  },
});

/**
 * The grant of a caller who can edit the parent alone. It is copied to the child, because otherwise
 * the caller would not see it. The copy follows the original (NODE3).
 */
function grantToCopy(caller: Caller, parent: NodeState, now: string): GrantState | null {
  if (parent.ownerId === caller.id) return null;
  const grant = grantOn(caller.world, parent.id, caller.email);
  return grant !== null && !grant.branch && isCurrent(grant, now) ? grant : null;
}
