/**
 * node:access:delete: end a grant at once, or leave one's own. Rules: ACL4, ACL7, ACL10, NODE3,
 * GEN10.
 */
import { isRefusal } from '@taskgraph/wire/errors';
import { slotOf } from '@taskgraph/wire/ids';
import { defineCommand } from '../define-command.ts';
import { callerOf, refuseStale } from '../rules/caller.ts';
import { endGrant, findGrantToEnd } from '../rules/grants.ts';

export const nodeAccessDelete = defineCommand({
  name: 'node:access:delete',
  route: ({ id }) => slotOf(id),
  readSet: ({ id, email }) => ({
    nodes: [id],
    grants: [`${id}|${email}`],
    copiesOf: [`${id}|${email}`],
    principals: [email],
  }),
  decide(draft, payload, context) {
    const found = findGrantToEnd(draft, callerOf(draft, context), payload);
    if (isRefusal(found)) return found;
    const refusal = refuseStale(found.grant, payload.version);
    if (refusal !== null) return refusal;
    endGrant(draft, found.grant);
    return null;
  },
});
