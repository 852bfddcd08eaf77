/** node:delete: delete a trashed node permanently, with its trashed links. Rules: TRS5. */
import { Level } from '@taskgraph/wire/codes';
import { isRefusal } from '@taskgraph/wire/errors';
import { slotOf } from '@taskgraph/wire/ids';
import { defineCommand } from '../define-command.ts';
import { callerOf, namedNode, refuseActiveNode } from '../rules/caller.ts';
import { deleteNode } from '../rules/trash.ts';

export const nodeDelete = defineCommand({
  name: 'node:delete',
  route: ({ id }) => slotOf(id),
  readSet: ({ id }) => ({ nodes: [id], linksOn: [id], grantsOn: [id] }),
  decide(draft, payload, context) {
    const node = namedNode(draft, callerOf(draft, context), payload, {
      needed: Level.OWNER,
      refuseState: refuseActiveNode,
    });
    if (isRefusal(node)) return node;
    deleteNode(draft, node.id);
    return null;
  },
});
