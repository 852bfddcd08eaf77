/**
 * node:unpublish: remove the public token; anonymous readers lose access at once. Rules: PUB1,
 * PUB5, ACL4, ACL7.
 */
import { isRefusal } from '@taskgraph/wire/errors';
import { slotOf } from '@taskgraph/wire/ids';
import { defineCommand } from '../define-command.ts';
import { callerOf } from '../rules/caller.ts';
import { endPublication, nodeToPublish, refuseNotPublic } from '../rules/publications.ts';

export const nodeUnpublish = defineCommand({
  name: 'node:unpublish',
  route: ({ id }) => slotOf(id),
  readSet: ({ id }) => ({ nodes: [id] }),
  decide(draft, payload, context) {
    const node = nodeToPublish(draft, callerOf(draft, context), payload, {
      branch: undefined,
      refuseState: (found) => refuseNotPublic(found, context.now),
    });
    if (isRefusal(node)) return node;
    endPublication(draft, node.id);
    return null;
  },
});
