/**
 * node:expire: end all expired grants on a node, and its expired publication, in one batch. Rules:
 * ACL5, PUB2, PUB5, NODE3, GEN9.
 */

import { grantOn, grantsOn } from '@taskgraph/domain/access/permissions';
import { isCurrent } from '@taskgraph/domain/access/reader-access';
import type { Draft } from '@taskgraph/domain/decision/draft';
import type { GrantState } from '@taskgraph/domain/state/state';
import { anyId, slotOf } from '@taskgraph/wire/ids';
import { z } from 'zod';
import { defineSystemCommand } from '../define-command.ts';
import { notFound } from '../rules/caller.ts';
import { endGrant } from '../rules/grants.ts';
import { endPublication } from '../rules/publications.ts';

export const nodeExpire = defineSystemCommand({
  name: 'node:expire',
  resource: 'node',
  payload: z.strictObject({ id: anyId }),
  route: ({ id }) => slotOf(id),
  readSet: ({ id }) => ({ nodes: [id], grantsOn: [id] }),
  decide(draft, { id }, context) {
    const node = draft.node(id);
    if (node === null) return notFound('node', { id });
    const over = grantsOn(draft.base, id).filter(
      (grant) => !isCurrent(grant, context.now) && !followsEnded(draft, grant),
    );
    for (const grant of over.sort((one, other) => (one.email < other.email ? -1 : 1))) endGrant(draft, grant);
    if (node.publicToken !== null && !isCurrent({ due: node.publicDue }, context.now)) endPublication(draft, id);
    return null;
  },
});

/** A copy ends in the batch of its original, which expires at the same time. */
function followsEnded(draft: Draft, { copyOf, email }: GrantState): boolean {
  const original = copyOf === null ? null : grantOn(draft.world, copyOf, email);
  return original !== null && !isCurrent(original, draft.now);
}
