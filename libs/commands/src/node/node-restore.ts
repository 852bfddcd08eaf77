/**
 * node:restore: restore a node from the trash, with the links that were trashed with a node. Rules:
 * TRS2, TRS3, BLK10, LNK4, LNK5.
 */
import { recomputeStatuses } from '@taskgraph/domain/decision/status-cascade';
import { Level } from '@taskgraph/wire/codes';
import { isRefusal } from '@taskgraph/wire/errors';
import { slotOf } from '@taskgraph/wire/ids';
import { defineCommand } from '../define-command.ts';
import { callerOf, namedNode, refuseActiveNode } from '../rules/caller.ts';
import { callerIfRestored } from '../rules/caller-visibility.ts';
import { restoreNode } from '../rules/trash.ts';

export const nodeRestore = defineCommand({
  name: 'node:restore',
  route: ({ id }) => slotOf(id),
  readSet: ({ id }) => ({ nodes: [id], activeOn: [id], returningOn: [id] }),
  decide(draft, payload, context) {
    const caller = callerOf(draft, context);
    const judged = callerIfRestored(draft, caller);
    const node = namedNode(draft, judged, payload, { needed: Level.EDITOR, refuseState: refuseActiveNode });
    if (isRefusal(node)) return node;
    const skipped = restoreNode(draft, node.id, caller);
    recomputeStatuses(draft);
    return { skipped };
  },
});
