/** node:trash: move a node to the trash with every active link on it; its descendants stay. Rules: TRS1, TRS4, BLK6, BLK10. */
import { settle } from '@taskgraph/domain/blocking';
import { openDraft } from '@taskgraph/domain/draft';
import { Level } from '@taskgraph/wire/codes';
import { refuse } from '@taskgraph/wire/errors';
import { version } from '@taskgraph/wire/fields';
import { anyId, slotOf } from '@taskgraph/wire/ids';
import { z } from 'zod';
import { callerOf, forbidden, notFound, refuseStale } from './caller.ts';
import { defineCommand } from './define-command.ts';
import { trashNode } from './trash.ts';

export const nodeTrash = defineCommand({
  event: 'node:trash',
  rest: { method: 'POST', path: '/api/node/trash' },
  summary: 'Moves a node to the trash, with all links on it.',
  resource: 'node',
  limit: { points: 300, seconds: 60 },
  payload: z.strictObject({ id: anyId, version: version.optional() }),
  route: ({ id }) => slotOf(id),
  needs: ({ id }) => ({ nodes: [id], linksOn: [id] }),
  decide(world, { id, version: guard }, context) {
    const draft = openDraft(world, context.now);
    const node = draft.node(id);
    if (node === null) return notFound('node');
    if (!callerOf(world, context).may(node, Level.EDITOR)) return forbidden();
    const stale = refuseStale(node, guard);
    if (stale !== null) return stale;
    if (node.inTrash) return refuse('conflict.already_trashed', 'The node is already in the trash.');
    trashNode(draft, id, context.batchId);
    settle(draft);
    return draft.changes;
  },
});
