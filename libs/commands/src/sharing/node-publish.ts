/** node:publish: give a node or its branch a public token. Rules: PUB1, PUB2, ACL4, ACL5. */
import { Op } from '@taskgraph/wire/codes';
import { isRefusal, refuse } from '@taskgraph/wire/errors';
import { slotOf } from '@taskgraph/wire/ids';
import { defineCommand } from '../define-command.ts';
import { callerOf, refusePastDue, refuseTrashed } from '../rules/caller.ts';
import { isPublished, nodeToPublish } from '../rules/publications.ts';

export const nodePublish = defineCommand({
  name: 'node:publish',
  route: ({ id }) => slotOf(id),
  readSet: ({ id }) => ({ nodes: [id] }),
  decide(draft, payload, context) {
    const past = refusePastDue(payload, context.now);
    if (past !== null) return past;
    const node = nodeToPublish(draft, callerOf(draft, context), payload, {
      branch: payload.branch,
      refuseState: (found) =>
        refuseTrashed(found) ??
        (isPublished(found, context.now)
          ? refuse('conflict.already_public', 'The node is already public.', { id: found.id })
          : null),
    });
    if (isRefusal(node)) return node;
    draft.changeNode(Op.NODE_PUBLISH, node.id, {
      publicToken: context.newToken(),
      publicDue: payload.due ?? null,
      publicBranch: payload.branch,
    });
    return null;
  },
});
