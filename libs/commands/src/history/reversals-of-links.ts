// The reversal of a change of a link. Rules: HIS2 to HIS4, LNK3 to LNK8, ACL3.

import { mayRestoreOrSwap, mayTrashLink } from '@taskgraph/domain/access/trash-visibility';
import type { StoredChange } from '@taskgraph/domain/state/batch';
import type { LinkState } from '@taskgraph/domain/state/state';
import { Level, Op } from '@taskgraph/wire/codes';
import type { Refusal } from '@taskgraph/wire/errors';
import { forbidden, forbiddenOnLink, type LinkWithEnds, refuseTrashed } from '../rules/caller.ts';
import { callerIfRestored } from '../rules/caller-visibility.ts';
import { refuseUpdateOfLink, restoreLink, reverseLink, trashLink, updateLink } from '../rules/link-changes.ts';
import { FORM, isSame, type Patch } from './fields.ts';
import {
  impossibleReversal,
  type Reversal,
  type RevertContext,
  refuseIrreversible,
  sidesOf,
  unlessInPlace,
} from './reversal.ts';

export function linkReversal(revert: RevertContext, change: StoredChange): Reversal {
  const { draft } = revert;
  const link = draft.link(change.id);
  if (link === null || change.op === Op.LINK_DELETE) return impossibleReversal(refuseIrreversible(change));
  const { expected, wanted } = sidesOf(revert, change);
  if (wanted === null || wanted.inTrash === true) return reversalByTrash(revert, link, wanted);
  if (expected === null || expected.inTrash === true) return reversalByRestore(revert, link, wanted);
  return change.op === Op.LINK_SWAP ? reversalBySwap(revert, link, wanted) : reversalByUpdate(revert, link, wanted);
}

/** The form fields of a patch. */
function formIn(wanted: Patch): Partial<LinkState> {
  return Object.fromEntries(FORM.filter((field) => field in wanted).map((field) => [field, wanted[field]]));
}

/** Restores the mark of having blocked, which a link loses when it becomes secondary (BLK9). */
function markIn(wanted: Patch | null): { readonly wasBlocker?: true } {
  return wanted?.wasBlocker === true ? { wasBlocker: true } : {};
}

function endsOf({ draft }: RevertContext, link: LinkState): LinkWithEnds {
  return { link, source: draft.existingNode(link.source), target: draft.existingNode(link.target) };
}

function isHidden({ caller }: RevertContext, link: LinkState): boolean {
  return !caller.sees(link);
}

/**
 * Refuses callers who could not do it by a command. They learn nothing of another user's private
 * link.
 */
function refuseUnless(revert: RevertContext, link: LinkState, may: (ends: LinkWithEnds) => boolean): Refusal | null {
  if (isHidden(revert, link)) return forbidden();
  const ends = endsOf(revert, link);
  return may(ends) ? null : forbiddenOnLink(revert.caller, ends, Level.EDITOR);
}

/** A link that was restored in another form returns to the trash in its former form. */
function reversalByTrash(revert: RevertContext, link: LinkState, wanted: Patch | null): Reversal {
  const { draft, caller, context } = revert;
  const form = wanted === null ? {} : formIn(wanted);
  return {
    forbids: refuseUnless(revert, link, (ends) => mayTrashLink(caller, ends)),
    problem: null,
    apply: () => {
      if (link.inTrash) {
        // The batch trashed it later, and undoing that did not restore it. From now on it is
        // trashed on its own, in its current form.
        draft.unmarkLink(link.id);
        return null;
      }
      // A link that was restored in the opposite direction did not propagate in this one (ACL3).
      const swapped = form.source !== undefined && form.source !== link.source ? { conveys: false } : {};
      return trashLink(draft, endsOf(revert, link), context, { ...form, ...swapped, ...markIn(wanted) });
    },
    skipped: () => [],
  };
}

function reversalByRestore(revert: RevertContext, link: LinkState, wanted: Patch): Reversal {
  const { draft, caller } = revert;
  return unlessInPlace(!link.inTrash, {
    forbids: refuseUnless(revert, link, (ends) => mayRestoreOrSwap(callerIfRestored(draft, caller), ends)),
    problem: null,
    apply: () => {
      const former = { ...draft.existingLink(link.id), ...formIn(wanted) };
      return restoreLink(draft, caller, endsOf(revert, former), markIn(wanted));
    },
    skipped: () => [],
  });
}

/** The undo of a swap is a swap with the same rules. Type and privacy are restored if allowed. */
function reversalBySwap(revert: RevertContext, link: LinkState, wanted: Patch): Reversal {
  const { draft, caller } = revert;
  const type = 'type' in wanted ? (wanted.type as LinkState['type']) : link.type;
  // Only the owner's undo restores privacy (LNK8).
  const byOwner = 'private' in wanted && link.ownerId === caller.id;
  const forbids = refuseUnless(revert, link, (ends) => mayRestoreOrSwap(caller, ends));
  if (link.source === wanted.source) {
    const { private: isHidden, ...rest } = wanted;
    return { ...reversalByUpdate(revert, link, byOwner ? wanted : rest), forbids };
  }
  return {
    forbids,
    problem: refuseTrashed(link),
    apply: () => {
      const present = draft.existingLink(link.id);
      const former = { ...present, type, private: byOwner ? wanted.private === true : present.private };
      return reverseLink(draft, caller, endsOf(revert, former), markIn(wanted));
    },
    skipped: () => [],
  };
}

function reversalByUpdate(revert: RevertContext, link: LinkState, wanted: Patch): Reversal {
  const { draft, caller } = revert;
  const update = {
    ...('type' in wanted ? { type: wanted.type as number } : {}),
    ...('private' in wanted ? { private: wanted.private as boolean } : {}),
  };
  const isThere = (Object.keys(update) as (keyof typeof update)[]).every((field) => isSame(link[field], update[field]));
  return unlessInPlace(isThere, {
    forbids: isHidden(revert, link) ? forbidden() : refuseUpdateOfLink(caller, endsOf(revert, link), update),
    problem: refuseTrashed(link),
    apply: () => updateLink(draft, caller, endsOf(revert, link), update, markIn(wanted)),
    skipped: () => [],
  });
}
