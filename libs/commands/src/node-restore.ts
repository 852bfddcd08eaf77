/** node:restore: bring a node back from the trash, with the links that were trashed with a node. Rules: TRS2, TRS3, BLK10, LNK4, LNK5. */
import { settle } from '@taskgraph/domain/blocking';
import { openDraft } from '@taskgraph/domain/draft';
import type { NodeState } from '@taskgraph/domain/state';
import { Level } from '@taskgraph/wire/codes';
import { isRefusal, refuse } from '@taskgraph/wire/errors';
import { slotOf } from '@taskgraph/wire/ids';
import { callerOf, named, namedNode } from './caller.ts';
import { defineCommand } from './define-command.ts';
import { feedsOnRestore, restoreNode } from './trash.ts';

export const nodeRestore = defineCommand({
  event: 'node:restore',
  rest: { method: 'POST', path: '/api/node/restore' },
  summary: 'Brings a node back from the trash, with the links that went with it.',
  resource: 'node',
  limit: { points: 300, seconds: 60 },
  payload: named,
  route: ({ id }) => slotOf(id),
  needs: ({ id }) => ({ nodes: [id], linksOn: [id] }),
  decide(world, payload, context) {
    const draft = openDraft(world, context.now);
    const caller = callerOf(world, context);
    // In the trash a node belongs to what it would come back to, so that whoever trashed it can restore it (TRS2).
    const levelOf = (found: NodeState) =>
      !found.inTrash || found.ownerId === caller.id
        ? caller.level(found)
        : caller.levelWith(found, feedsOnRestore(draft, world, found));
    const node = namedNode(draft, { ...caller, level: levelOf }, payload, Level.EDITOR);
    if (isRefusal(node)) return node;
    if (!node.inTrash) return refuse('not_trashed_node', 'The node is not in the trash.');
    const skipped = restoreNode(draft, node.id);
    settle(draft);
    return { changes: draft.changes, skipped };
  },
});
