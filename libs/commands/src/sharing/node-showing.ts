/**
 * node:showing: show or hide the nodes of one's own grant. Only the grantee's feeds change. Rules:
 * ACL6.
 */
import { Level } from '@taskgraph/wire/codes';
import { slotOf } from '@taskgraph/wire/ids';
import { defineCommand } from '../define-command.ts';
import { callerOf, notFound, refuseBelow } from '../rules/caller.ts';
import { currentGrant } from '../rules/grants.ts';

export const nodeShowing = defineCommand({
  name: 'node:showing',
  route: ({ id }) => slotOf(id),
  readSet: ({ id }) => ({ nodes: [id] }),
  decide(draft, { id, showing }, context) {
    const node = draft.node(id);
    if (node === null) return notFound('node', { id });
    const caller = callerOf(draft, context);
    const below = refuseBelow(caller, node, Level.VIEWER);
    if (below !== null) return below;
    const grant = currentGrant(draft, id, caller.email);
    if (grant === null) return notFound('grant', { id, email: caller.email });
    if (grant.showing !== showing) draft.record({ kind: 'showing', id, email: caller.email, showing });
    return null;
  },
});
