// The rules of grants, and how copies follow their originals (ACL4, NODE3).
import { Level, Op } from '@taskgraph/wire/codes';
import { changeGrant, type Draft, findGrant, removeGrant } from '../draft.ts';
import { actorLevel, atLeast } from '../refusals.ts';
import type { ModelNode } from '../state.ts';
import { branchLevelOf } from './access.ts';

/**
 * Whether the actor may manage grants and the publication of a node. `branch` is set if a branch
 * is, or becomes, part of it. Rules: ACL4, PUB1.
 */
export function mayShare(draft: Draft, node: ModelNode, branch: boolean): boolean {
  if (!atLeast(actorLevel(draft, node), Level.ADMIN)) return false;
  return !branch || atLeast(branchLevelOf(draft.state, draft.actor, node, draft.moment.now), Level.ADMIN);
}

/**
 * Updates the copies of a grant: they change with it, and end with it or when it becomes a branch
 * grant. Rules: NODE3.
 */
export function followOriginal(draft: Draft, nodeId: string, email: string): void {
  const original = findGrant(draft.state, nodeId, email);
  const copies = draft.state.grants.filter((grant) => grant.copyOf === nodeId && grant.email === email);
  for (const copy of copies.sort((a, b) => (a.nodeId < b.nodeId ? -1 : 1))) {
    if (original === undefined || original.branch) {
      removeGrant(draft, copy, 'effect');
    } else if (copy.level !== original.level || copy.due !== original.due) {
      const { level, due } = original;
      changeGrant(draft, Op.GRANT_UPDATE, copy, { level, due }, 'effect');
    }
    followOriginal(draft, copy.nodeId, email);
  }
}
