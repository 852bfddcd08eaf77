/** node:unpublish: take the public token away; what it opened closes at once. Rules: PUB1, PUB5, ACL4, ACL7. */
import { openDraft } from '@taskgraph/domain/decision/draft';
import { isRefusal } from '@taskgraph/wire/errors';
import { slotOf } from '@taskgraph/wire/ids';
import { defineCommand } from '../define-command.ts';
import { callerOf, named } from '../rules/caller.ts';
import { endPublication, namedForPublishing, refuseNotPublic } from '../rules/publishing.ts';

export const nodeUnpublish = defineCommand({
  event: 'node:unpublish',
  rest: { method: 'DELETE', path: '/api/node/public' },
  summary: 'Ends a publication.',
  resource: 'node',
  payload: named,
  route: ({ id }) => slotOf(id),
  readSet: ({ id }) => ({ nodes: [id] }),
  decide(world, payload, context) {
    const draft = openDraft(world, context.now);
    const node = namedForPublishing(draft, callerOf(world, context), payload, {
      branch: undefined,
      refuseState: (found) => refuseNotPublic(found, context.now),
    });
    if (isRefusal(node)) return node;
    endPublication(draft, node.id);
    return draft.changes;
  },
});
