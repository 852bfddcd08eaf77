/** node:publish: give a node or its branch a public token. Rules: PUB1, PUB2, ACL4, ACL5. */
import { Op } from '@taskgraph/wire/codes';
import { isRefusal, refuse } from '@taskgraph/wire/errors';
import { timestamp } from '@taskgraph/wire/fields';
import { slotOf } from '@taskgraph/wire/ids';
import { z } from 'zod';
import { defineCommand } from '../define-command.ts';
import { callerOf, named, refusePastDue, refuseTrashed } from '../rules/caller.ts';
import { isPublished, namedForPublishing } from '../rules/publishing.ts';

export const nodePublish = defineCommand({
  event: 'node:publish',
  rest: { method: 'POST', path: '/api/node/public' },
  summary: 'Publishes a node or its branch for anonymous reading.',
  resource: 'node',
  payload: z.strictObject({
    ...named.shape,
    due: timestamp.nullable().optional(),
    branch: z.boolean().default(true),
  }),
  route: ({ id }) => slotOf(id),
  readSet: ({ id }) => ({ nodes: [id] }),
  decide(draft, payload, context) {
    const past = refusePastDue(payload, context.now);
    if (past !== null) return past;
    const node = namedForPublishing(draft, callerOf(draft, context), payload, {
      branch: payload.branch,
      refuseState: (found) =>
        refuseTrashed(found) ??
        (isPublished(found, context.now) ? refuse('conflict.already_public', 'The node is public already.') : null),
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
