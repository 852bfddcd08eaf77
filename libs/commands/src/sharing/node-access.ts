/**
 * node:access: grant an e-mail a level on a node or branch, or replace its grant. Rules: ACL4,
 * ACL5, ACL10, NODE3, GEN9, GEN10.
 */
import { type Level, Op } from '@taskgraph/wire/codes';
import { isRefusal } from '@taskgraph/wire/errors';
import { slotOf } from '@taskgraph/wire/ids';
import { defineCommand } from '../define-command.ts';
import { callerOf, refusePastDue, refuseStale, refuseTrashed } from '../rules/caller.ts';
import { changeGrant, findGrant, refuseOwnerGrant, refuseTooManyGrants } from '../rules/grants.ts';

export const nodeAccess = defineCommand({
  name: 'node:access',
  route: ({ id }) => slotOf(id),
  readSet: ({ id, email }) => ({
    nodes: [id],
    grants: [`${id}|${email}`],
    grantsTo: [{ node: id, email }],
    principals: [email],
  }),
  decide(draft, payload, context) {
    const past = refusePastDue(payload, context.now);
    if (past !== null) return past;
    const found = findGrant(draft, callerOf(draft, context), payload);
    if (isRefusal(found)) return found;
    const { node, grant } = found;
    const { email, branch, due } = payload;
    const refusal =
      refuseOwnerGrant(context.userOf(node.ownerId), email) ??
      refuseTrashed(node) ??
      refuseStale(grant, payload.version) ??
      (grant === null ? refuseTooManyGrants(draft, node, email) : null);
    if (refusal !== null) return refusal;
    const terms = { level: payload.level as Level, due: due ?? null, branch };
    if (grant !== null) changeGrant(draft, Op.GRANT_UPSERT, grant, terms);
    else {
      const fresh = { nodeId: node.id, email, version: 1, showing: true, copyOf: null };
      draft.addGrant(Op.GRANT_UPSERT, { ...fresh, ...terms });
    }
    return null;
  },
});
