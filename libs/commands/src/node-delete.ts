/** node:delete: delete a trashed node for good, with its trashed links. Irreversible. Rules: TRS5. */
import { openDraft } from '@taskgraph/domain/draft';
import { Level, Op } from '@taskgraph/wire/codes';
import { refuse } from '@taskgraph/wire/errors';
import { version } from '@taskgraph/wire/fields';
import { anyId, slotOf } from '@taskgraph/wire/ids';
import { z } from 'zod';
import { callerOf, forbidden, notFound, refuseStale } from './caller.ts';
import { defineCommand } from './define-command.ts';

export const nodeDelete = defineCommand({
  event: 'node:delete',
  rest: { method: 'DELETE', path: '/api/node' },
  summary: 'Deletes a trashed node for good, with its trashed links.',
  resource: 'node',
  limit: { points: 300, seconds: 60 },
  payload: z.strictObject({ id: anyId, version: version.optional() }),
  route: ({ id }) => slotOf(id),
  needs: ({ id }) => ({ nodes: [id], linksOn: [id] }),
  decide(world, { id, version: guard }, context) {
    const draft = openDraft(world, context.now);
    const node = draft.node(id);
    if (node === null) return notFound('node');
    if (!callerOf(world, context).may(node, Level.OWNER)) return forbidden();
    const stale = refuseStale(node, guard);
    if (stale !== null) return stale;
    if (!node.inTrash) return refuse('not_trashed_node', 'Only what is in the trash can be deleted.');
    // A trashed node has no active link, so no status moves.
    for (const link of draft.linksOn(id)) draft.deleteLink(Op.LINK_DELETE, link.id);
    draft.deleteNode(Op.NODE_DELETE, id);
    return draft.changes;
  },
});
