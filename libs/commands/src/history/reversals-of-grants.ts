// The reversal of a change of a grant. Rules: HIS2 to HIS4, ACL4, ACL10, NODE3.

import { grantOn } from '@taskgraph/domain/access/permissions';
import { isCurrent } from '@taskgraph/domain/access/reader-access';
import type { Draft } from '@taskgraph/domain/decision/draft';
import type { StoredChange } from '@taskgraph/domain/state/batch';
import { grantKey } from '@taskgraph/domain/state/change';
import { NotLoaded } from '@taskgraph/domain/state/read-set';
import type { GrantState, NodeState } from '@taskgraph/domain/state/state';
import { Level, Op } from '@taskgraph/wire/codes';
import type { Refusal } from '@taskgraph/wire/errors';
import { refuseBelow, refuseSharing, refuseTrashed } from '../rules/caller.ts';
import { changeGrant, endGrant, refuseTooManyGrants } from '../rules/grants.ts';
import { TERMS } from './fields.ts';
import {
  impossibleReversal,
  type Reversal,
  type RevertContext,
  refuseExpired,
  refuseIrreversible,
  sidesOf,
  unlessInPlace,
} from './reversal.ts';

export function grantReversal(revert: RevertContext, change: StoredChange): Reversal {
  const { draft, caller, context } = revert;
  const node = draft.node(change.id);
  if (node === null) return impossibleReversal(refuseIrreversible(change));
  const { expected, wanted } = sidesOf(revert, change) as Record<'expected' | 'wanted', GrantState | null>;
  const present = grantOn(draft.world, change.id, change.email ?? '');
  const concernsBranch = [change.before, change.after, present].some((side) => side?.branch === true);
  const terms = changedTerms(change);
  // Users may give up their own grant at any level (ACL10).
  const own = wanted === null && change.email === caller.email;
  const leaves = own && present !== null && isCurrent(present, context.now);
  // The terms of a missing grant are restored with the change that created or ended it.
  const isUpdate = change.before !== null && change.after !== null;
  return unlessInPlace(isThere(present, wanted, terms) || (isUpdate && present === null), {
    forbids: leaves ? null : concernsBranch ? refuseSharing(caller, node) : refuseBelow(caller, node, Level.ADMIN),
    problem:
      wanted === null
        ? null
        : refuseReturn(node, { ...wanted, due: terms.includes('due') ? wanted.due : null }, context.now),
    apply: () => {
      if (wanted === null) {
        if (present !== null) endGrant(draft, present);
      } else if (present === null) {
        const tooMany = refuseTooManyGrants(draft, node, wanted.email);
        if (tooMany !== null) return tooMany;
        draft.addGrant(Op.GRANT_UPSERT, { ...restoredGrant(wanted, expected ?? wanted), copyOf: null });
      } else
        changeGrant(draft, Op.GRANT_UPDATE, present, Object.fromEntries(terms.map((term) => [term, wanted[term]])));
      return null;
    },
    skipped: () => [],
  });
}

/** The terms that a change set: all if the grant was created or ended. */
function changedTerms({ before, after }: StoredChange): readonly (typeof TERMS)[number][] {
  return before === null || after === null ? TERMS : TERMS.filter((term) => before[term] !== after[term]);
}

function isThere(
  present: GrantState | null,
  wanted: GrantState | null,
  terms: readonly (typeof TERMS)[number][],
): boolean {
  if (present === null || wanted === null) return present === wanted;
  return terms.every((term) => present[term] === wanted[term]);
}

/** A trashed node accepts only the end of grants. An expired grant does not return. */
function refuseReturn(node: NodeState, { due, email }: Pick<GrantState, 'due' | 'email'>, now: string): Refusal | null {
  return refuseTrashed(node) ?? (isCurrent({ due }, now) ? null : refuseExpired({ id: node.id, email }));
}

/**
 * The version continues after that of the deleted grant (HIS4). A grant that a user removed
 * directly no longer follows an original (NODE3).
 */
function restoredGrant(wanted: GrantState, last: GrantState): GrantState {
  return { ...wanted, version: Math.max(wanted.version, last.version) + 1 };
}

/** Requests all grants in one load: an original may have 2,000 copies. */
function requireGrants({ world }: Draft, copies: readonly GrantState[]): void {
  const keys = copies.flatMap(({ nodeId, email, copyOf }) =>
    [nodeId, ...(copyOf === null ? [] : [copyOf])].map((id) => grantKey(id, email)),
  );
  const grants = [...new Set(keys)].filter((key) => !world.grants.has(key));
  if (grants.length > 0) throw new NotLoaded({ grants });
}

/**
 * Restores copies that ended with their original, with the original's current terms and even on
 * trashed nodes, unless a new grant exists or the limit is reached (ACL10).
 */
export function restoreCopies(revert: RevertContext): void {
  const { draft, batch, kind, context } = revert;
  const copies = batch.changes
    .filter((change) => kind === 'undo' && change.kind === 'grant' && change.effect && change.op === Op.GRANT_DELETE)
    // For a node that was deleted since, the copy may be reduced to its existence (TRS5).
    .filter(({ before }) => before !== null && 'nodeId' in before)
    .map(({ before }) => before as unknown as GrantState);
  requireGrants(draft, copies);
  for (const copy of copies) {
    const node = draft.node(copy.nodeId);
    const isFree =
      node !== null &&
      grantOn(draft.world, copy.nodeId, copy.email) === null &&
      refuseTooManyGrants(draft, node, copy.email) === null;
    const original = copy.copyOf === null ? null : grantOn(draft.world, copy.copyOf, copy.email);
    if (isFree && original !== null && !original.branch && isCurrent(original, context.now)) {
      const { level, due } = original;
      draft.addGrant(Op.GRANT_UPSERT, { ...restoredGrant(copy, copy), level, due });
    }
  }
}
