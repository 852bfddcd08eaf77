// Publications: permissions and validity. Rules: PUB1, PUB2, ACL4, ACL5.
import { isCurrent } from '@taskgraph/domain/access/reader-access';
import type { Draft } from '@taskgraph/domain/decision/draft';
import type { NodeState } from '@taskgraph/domain/state/state';
import { Level, Op } from '@taskgraph/wire/codes';
import { type Refusal, refuse } from '@taskgraph/wire/errors';
import type { VersionedId } from '@taskgraph/wire/operations/payloads';
import { type Caller, namedNode, refuseSharing } from './caller.ts';

/** Whether anonymous readers may read a node by its token. A job ends expired publications. */
export function isPublished(node: NodeState, now: string): boolean {
  return node.publicToken !== null && isCurrent({ due: node.publicDue }, now);
}

/** Refuses to change a missing publication. */
export function refuseNotPublic(node: NodeState, now: string): Refusal | null {
  return isPublished(node, now) ? null : refuse('conflict.not_public', 'The node is not public.', { id: node.id });
}

/** Removes a node's public token. */
export function endPublication(draft: Draft, id: string): void {
  draft.changeNode(Op.NODE_PUBLISH, id, { publicToken: null, publicDue: null, publicBranch: false });
}

/**
 * The node of a publication. If the publication covers a branch before or after, the caller needs
 * the right to share the branch.
 */
export function nodeToPublish(
  draft: Draft,
  caller: Caller,
  payload: VersionedId,
  {
    branch,
    refuseState,
  }: { readonly branch: boolean | undefined; readonly refuseState: (node: NodeState) => Refusal | null },
): NodeState | Refusal {
  const node = draft.node(payload.id);
  const concernsBranch = branch === true || (node !== null && node.publicToken !== null && node.publicBranch);
  const refusal = node !== null && concernsBranch ? refuseSharing(caller, node) : null;
  return refusal ?? namedNode(draft, caller, payload, { needed: Level.ADMIN, refuseState });
}
