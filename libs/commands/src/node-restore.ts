/** node:restore: bring a node back from the trash, with the links that were trashed with a node. Rules: TRS3, BLK10, LNK4, LNK5. */
import { settle } from '@taskgraph/domain/blocking';
import { openDraft } from '@taskgraph/domain/draft';
import { Level } from '@taskgraph/wire/codes';
import { refuse } from '@taskgraph/wire/errors';
import { version } from '@taskgraph/wire/fields';
import { anyId, slotOf } from '@taskgraph/wire/ids';
import { z } from 'zod';
import { callerOf, forbidden, notFound, refuseStale } from './caller.ts';
import { defineCommand } from './define-command.ts';
import { restoreNode } from './trash.ts';

export const nodeRestore = defineCommand({
  event: 'node:restore',
  rest: { method: 'POST', path: '/api/node/restore' },
  summary: 'Brings a node back from the trash, with the links that went with it.',
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
    if (!node.inTrash) return refuse('not_trashed_node', 'The node is not in the trash.');
    const skipped = restoreNode(draft, id);
    settle(draft);
    return { changes: draft.changes, skipped };
  },
});
