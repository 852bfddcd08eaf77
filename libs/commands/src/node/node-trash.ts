/**
 * node:trash: move a node to the trash with all its active links; its descendants stay. Rules:
 * TRS1, TRS4, BLK6, BLK10.
 */
import { recomputeStatuses } from '@taskgraph/domain/decision/status-cascade';
import { Level } from '@taskgraph/wire/codes';
import { isRefusal } from '@taskgraph/wire/errors';
import { slotOf } from '@taskgraph/wire/ids';
import { defineCommand } from '../define-command.ts';
import { callerOf, namedNode, refuseTrashedTwice } from '../rules/caller.ts';
import { trashNode } from '../rules/trash.ts';

export const nodeTrash = defineCommand({
  name: 'node:trash',
  route: ({ id }) => slotOf(id),
  readSet: ({ id }) => ({ nodes: [id], activeOn: [id] }),
  decide(draft, payload, context) {
    const node = namedNode(draft, callerOf(draft, context), payload, {
      needed: Level.EDITOR,
      refuseState: refuseTrashedTwice,
    });
    if (isRefusal(node)) return node;
    trashNode(draft, node.id, context);
    recomputeStatuses(draft);
    return null;
  },
});
