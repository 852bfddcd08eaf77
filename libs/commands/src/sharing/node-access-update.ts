/**
 * node:access:update: change the given fields of a grant. Rules: ACL4, ACL5, NODE3, GEN9, GEN10.
 */

import { type Level, Op } from '@taskgraph/wire/codes';
import { definedFields } from '@taskgraph/wire/defined-fields';
import { isRefusal } from '@taskgraph/wire/errors';
import { slotOf } from '@taskgraph/wire/ids';
import { defineCommand } from '../define-command.ts';
import { callerOf, refusePastDue, refuseStale, refuseTrashed } from '../rules/caller.ts';
import { changeGrant, findExistingGrant } from '../rules/grants.ts';

export const nodeAccessUpdate = defineCommand({
  name: 'node:access:update',
  route: ({ id }) => slotOf(id),
  readSet: ({ id, email }) => ({
    nodes: [id],
    grants: [`${id}|${email}`],
    copiesOf: [`${id}|${email}`],
    principals: [email],
  }),
  decide(draft, payload, context) {
    const past = refusePastDue(payload, context.now);
    if (past !== null) return past;
    const found = findExistingGrant(draft, callerOf(draft, context), payload);
    if (isRefusal(found)) return found;
    const { node, grant } = found;
    const refusal = refuseTrashed(node) ?? refuseStale(grant, payload.version);
    if (refusal !== null) return refusal;
    const { level, due, branch } = payload;
    changeGrant(draft, Op.GRANT_UPDATE, grant, {
      ...(level === undefined ? {} : { level: level as Level }),
      ...definedFields({ due, branch }),
    });
    return null;
  },
});
