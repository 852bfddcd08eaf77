/**
 * node:publish:update: change the end of a publication, or whether it covers the branch. Rules:
 * PUB1, PUB2, ACL4, ACL5, GEN9.
 */

import { Op } from '@taskgraph/wire/codes';
import { definedFields } from '@taskgraph/wire/defined-fields';
import { isRefusal } from '@taskgraph/wire/errors';
import { slotOf } from '@taskgraph/wire/ids';
import { defineCommand } from '../define-command.ts';
import { callerOf, refusePastDue, refuseTrashed } from '../rules/caller.ts';
import { nodeToPublish, refuseNotPublic } from '../rules/publications.ts';

export const nodePublishUpdate = defineCommand({
  name: 'node:publish:update',
  route: ({ id }) => slotOf(id),
  readSet: ({ id }) => ({ nodes: [id] }),
  decide(draft, payload, context) {
    const past = refusePastDue(payload, context.now);
    if (past !== null) return past;
    const node = nodeToPublish(draft, callerOf(draft, context), payload, {
      branch: payload.branch,
      refuseState: (found) => refuseTrashed(found) ?? refuseNotPublic(found, context.now),
    });
    if (isRefusal(node)) return node;
    draft.changeNode(Op.NODE_PUBLISH, node.id, {
      ...definedFields({ publicDue: payload.due, publicBranch: payload.branch }),
    });
    return null;
  },
});
