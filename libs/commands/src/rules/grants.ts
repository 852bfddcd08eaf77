// Grants: permissions to give and end them, and copies that follow their original. Rules: ACL4,
// ACL5, NODE3, GEN10.

import { MAXIMUM_GRANTS_BY_OWNER } from '@taskgraph/domain/access/grant-limit';
import { grantOn } from '@taskgraph/domain/access/permissions';
import { isCurrent } from '@taskgraph/domain/access/reader-access';
import type { Draft } from '@taskgraph/domain/decision/draft';
import { grantKey } from '@taskgraph/domain/state/change';
import type { GrantState, NodeState } from '@taskgraph/domain/state/state';
import { Level, Op } from '@taskgraph/wire/codes';
import { isRefusal, type Refusal, refuse } from '@taskgraph/wire/errors';
import { type Caller, notFound, refuseBelow, refuseSharing } from './caller.ts';

export interface NamedGrant {
  readonly node: NodeState;
  readonly grant: GrantState | null;
}

/**
 * The grant that a command names. Checks in order: existence of the node, permission (GEN3). An
 * admin of one node alone may not touch a present or future branch grant, which would share the
 * nodes below (ACL4).
 */
export function findGrant(
  draft: Draft,
  caller: Caller,
  wanted: { readonly id: string; readonly email: string; readonly branch?: boolean | undefined },
): NamedGrant | Refusal {
  const node = draft.node(wanted.id);
  if (node === null) return notFound('node', { id: wanted.id });
  const below = refuseBelow(caller, node, Level.ADMIN);
  if (below !== null) return below;
  const grant = grantOn(draft.world, node.id, wanted.email);
  const concernsBranch = wanted.branch === true || grant?.branch === true;
  return (concernsBranch ? refuseSharing(caller, node) : null) ?? { node, grant };
}

/** Like `findGrant`, but a missing grant is refused, after the permission check (GEN3). */
export function findExistingGrant(
  draft: Draft,
  caller: Caller,
  wanted: Parameters<typeof findGrant>[2],
): { readonly node: NodeState; readonly grant: GrantState } | Refusal {
  const found = findGrant(draft, caller, wanted);
  if (isRefusal(found)) return found;
  return found.grant === null ? grantNotFound(wanted) : { node: found.node, grant: found.grant };
}

/**
 * The grant to end: the caller's own, which they may leave at any level (ACL10), or the result of
 * `findExistingGrant`.
 */
export function findGrantToEnd(
  draft: Draft,
  caller: Caller,
  wanted: { readonly id: string; readonly email: string },
): ReturnType<typeof findExistingGrant> {
  const node = draft.node(wanted.id);
  if (node === null || wanted.email !== caller.email) return findExistingGrant(draft, caller, wanted);
  const own = currentGrant(draft, node.id, caller.email);
  if (own !== null) return { node, grant: own };
  const found = findExistingGrant(draft, caller, wanted);
  // A caller who sees the node otherwise may learn that they have no grant of their own.
  return isRefusal(found) && caller.may(node, Level.VIEWER) ? grantNotFound(wanted) : found;
}

function grantNotFound({ id, email }: { readonly id: string; readonly email: string }): Refusal {
  return notFound('grant', { id, email });
}

type Terms = Partial<Pick<GrantState, 'level' | 'due' | 'branch'>>;

/** Changes a grant directly. It no longer follows an original, and its own copies follow it. */
export function changeGrant(draft: Draft, op: Op, grant: GrantState, terms: Terms): void {
  const given = Object.fromEntries(Object.entries(terms).filter(([, value]) => value !== undefined)) as Terms;
  const moves = Object.entries(given).some(([field, value]) => grant[field as keyof Terms] !== value);
  if (!moves) return;
  draft.changeGrant(op, grant, { ...given, copyOf: null });
  const changed = grantOn(draft.world, grant.nodeId, grant.email);
  if (changed !== null) draft.asEffect(() => changeCopies(draft, changed));
}

/** Ends a grant, and the copies that follow it. */
export function endGrant(draft: Draft, grant: GrantState): void {
  draft.deleteGrant(Op.GRANT_DELETE, grant);
  draft.asEffect(() => endCopies(draft, grant));
}

function changeCopies(draft: Draft, original: GrantState): void {
  // A copy covers one node alone, so it ends when its original becomes a branch grant.
  if (original.branch) {
    endCopies(draft, original);
    return;
  }
  for (const copy of copiesOf(draft, original)) {
    draft.changeGrant(Op.GRANT_UPDATE, copy, { level: original.level, due: original.due });
    const now = grantOn(draft.world, copy.nodeId, copy.email);
    if (now !== null) changeCopies(draft, now);
  }
}

function endCopies(draft: Draft, original: GrantState): void {
  for (const copy of copiesOf(draft, original)) {
    draft.deleteGrant(Op.GRANT_DELETE, copy);
    endCopies(draft, copy);
  }
}

function copiesOf(draft: Draft, { nodeId, email: of }: GrantState): GrantState[] {
  return draft
    .copiesOf(grantKey(nodeId, of))
    .map((key) => draft.world.grants.get(key))
    .filter((grant) => grant !== undefined && grant !== null);
}

/** The grant, if it has not expired. A job ends expired grants. */
export function currentGrant(draft: Draft, nodeId: string, of: string): GrantState | null {
  const grant = grantOn(draft.world, nodeId, of);
  return grant !== null && isCurrent(grant, draft.now) ? grant : null;
}

/**
 * Refuses another grant to an e-mail at its limit on this owner's nodes (ACL10). Grants count for
 * the owner, not for the admin who gives them: admins act for the owner, copies and undos have no
 * other giver, and the count changes under the owner's lock alone. So no user can exhaust the
 * grants that others may give to an e-mail.
 */
export function refuseTooManyGrants(draft: Draft, node: Pick<NodeState, 'id' | 'ownerId'>, of: string): Refusal | null {
  if (draft.grantsTo(node, of) < MAXIMUM_GRANTS_BY_OWNER) return null;
  const most = MAXIMUM_GRANTS_BY_OWNER;
  return refuse('conflict.too_many_grants', `An e-mail can have at most ${most} grants by one owner.`, {
    id: node.id,
    email: of,
    most,
  });
}

/** Refuses a grant to the node's owner. */
export function refuseOwnerGrant(owner: { readonly email: string }, of: string): Refusal | null {
  if (owner.email.toLowerCase() !== of) return null;
  return refuse('bad_request.owner_grant', "The node's owner needs no grant.", { path: 'email' });
}
