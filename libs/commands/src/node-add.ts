/** node:add: create a node, alone or as a child of `target`. Rules: NODE1 to NODE5, BLK2, BLK5, LNK2. */
import { settle } from '@taskgraph/domain/blocking';
import { openDraft } from '@taskgraph/domain/draft';
import type { NodeState } from '@taskgraph/domain/state';
import { Level, LinkType, Op, Status } from '@taskgraph/wire/codes';
import { refuse } from '@taskgraph/wire/errors';
import { writableNodeFields } from '@taskgraph/wire/fields';
import { anyId, slotOf } from '@taskgraph/wire/ids';
import { z } from 'zod';
import { callerOf, forbidden, notFound, refuseTooManyLinks } from './caller.ts';
import { type DecisionContext, defineCommand } from './define-command.ts';
import { refuseBlockedByHand } from './status.ts';

const payload = z.strictObject({ target: anyId.optional(), ...writableNodeFields });

export const nodeAdd = defineCommand({
  event: 'node:add',
  rest: { method: 'POST', path: '/api/node' },
  summary: 'Creates a node, alone or as a child of another node.',
  resource: 'node',
  limit: { points: 300, seconds: 60 },
  payload,
  check: refuseBlockedByHand,
  // A child takes its parent's slot, so that what one tree does meets in one actor.
  route: ({ target }, actor) => slotOf(target ?? actor.id),
  needs: ({ target }) => (target === undefined ? {} : { nodes: [target] }),
  decide(world, { target, ...fields }, context) {
    const draft = openDraft(world, context.now);
    if (target === undefined) {
      draft.addNode(Op.NODE_ADD, newNode(fields, context, context.actor.id, slotOf(context.actor.id)));
      return draft.changes;
    }
    const parent = draft.node(target);
    if (parent === null) return notFound('node');
    if (!callerOf(world, context).may(parent, Level.EDITOR)) return forbidden();
    if (parent.inTrash) return refuse('conflict.target_in_trash', 'The parent is in the trash.');
    const tooMany = refuseTooManyLinks(draft, parent.id);
    if (tooMany !== null) return tooMany;
    // The parent's owner owns the child and its link, whoever made them (NODE3).
    const child = newNode(fields, context, parent.ownerId, slotOf(parent.id));
    draft.addNode(Op.NODE_ADD, child);
    draft.addLink(Op.LINK_ADD, {
      id: context.newId(slotOf(parent.id)),
      source: child.id,
      target: parent.id,
      type: parent.independent ? LinkType.SECONDARY : LinkType.PRIMARY,
      version: 1,
      wasBlocker: false,
      private: false,
      ownerId: parent.ownerId,
      conveys: true,
      inTrash: false,
      trashedWithNode: false,
      lastBatchID: null,
      createdTime: context.now,
      lastEditedTime: context.now,
    });
    settle(draft);
    return draft.changes;
  },
});

type Fields = Omit<z.infer<typeof payload>, 'target'>;

function newNode(fields: Fields, context: DecisionContext, ownerId: string, slot: number): NodeState {
  return {
    id: context.newId(slot),
    ownerId,
    title: fields.title ?? '',
    description: fields.description ?? '',
    status: (fields.status ?? Status.AVAILABLE) as Status,
    statusBefore: null,
    openBlockers: 0,
    dueDate: fields.dueDate ?? null,
    type: 0,
    tags: fields.tags ?? [],
    priority: fields.priority ?? 0,
    independent: fields.independent ?? false,
    volume: fields.volume ?? 0,
    version: 1,
    assignee: fields.assignee ?? [],
    createdTime: context.now,
    lastEditedTime: context.now,
    x: fields.x ?? 0,
    y: fields.y ?? 0,
    z: fields.z ?? 0,
    pinned: fields.pinned ?? false,
    collapsed: fields.collapsed ?? false,
    publicToken: null,
    publicDue: null,
    publicBranch: false,
    inTrash: false,
    lastBatchID: null,
  };
}
