// Taking back, or making again, what a command did to a link. Rules: HIS2 to HIS4, LNK3 to LNK8, ACL3.

import { mayRestoreOrSwap, mayTrashLink } from '@taskgraph/domain/access/visibility';
import type { StoredChange } from '@taskgraph/domain/state/batch';
import type { LinkState } from '@taskgraph/domain/state/state';
import { Level, Op } from '@taskgraph/wire/codes';
import type { Refusal } from '@taskgraph/wire/errors';
import { forbidden, forbiddenOnLink, type LinkWithEnds, refuseTrashed } from '../rules/caller.ts';
import { callerOnReturn } from '../rules/caller-visibility.ts';
import { refuseUpdateOfLink, restoreLink, reverseLink, trashLink, updateLink } from '../rules/moving-links.ts';
import { FORM, isSame, type Patch } from './fields.ts';
import { impossible, irreversible, type Reversal, type Reverting, sidesOf, unlessThere } from './reversal.ts';

export function linkReversal(reverting: Reverting, change: StoredChange): Reversal {
  const { draft } = reverting;
  const link = draft.link(change.id);
  if (link === null || change.op === Op.LINK_DELETE) return impossible(irreversible(change));
  const { expected, wanted } = sidesOf(reverting, change);
  if (wanted === null || wanted.inTrash === true) return trashing(reverting, link, wanted);
  if (expected === null || expected.inTrash === true) return restoring(reverting, link, wanted);
  return change.op === Op.LINK_SWAP ? reversing(reverting, link, wanted) : updating(reverting, link, wanted);
}

/** Those of the fields that a patch gives back. */
function formIn(wanted: Patch): Partial<LinkState> {
  return Object.fromEntries(FORM.filter((field) => field in wanted).map((field) => [field, wanted[field]]));
}

/** The mark of having blocked, where a patch gives it back: it went when the link became secondary (BLK9). */
function markIn(wanted: Patch | null): { readonly wasBlocker?: true } {
  return wanted?.wasBlocker === true ? { wasBlocker: true } : {};
}

function endsOf({ draft }: Reverting, link: LinkState): LinkWithEnds {
  return { link, source: draft.existingNode(link.source), target: draft.existingNode(link.target) };
}

function hidden({ caller }: Reverting, link: LinkState): boolean {
  return !caller.sees(link);
}

/** Refuses whoever may not do it by hand; of another's private link they learn nothing. */
function refuseUnless(reverting: Reverting, link: LinkState, may: (ends: LinkWithEnds) => boolean): Refusal | null {
  if (hidden(reverting, link)) return forbidden();
  const ends = endsOf(reverting, link);
  return may(ends) ? null : forbiddenOnLink(reverting.caller, ends, Level.EDITOR);
}

/** A link that came back in another form than it had goes to the trash in the form that it had there. */
function trashing(reverting: Reverting, link: LinkState, wanted: Patch | null): Reversal {
  const { draft, caller, context } = reverting;
  const form = wanted === null ? {} : formIn(wanted);
  return {
    forbids: refuseUnless(reverting, link, (ends) => mayTrashLink(caller, ends)),
    problem: null,
    apply: () => {
      if (link.inTrash) {
        // The batch trashed it afterwards, and it did not come back when that was taken back. It stays there by hand now, in the form that it has.
        draft.unmarkLink(link.id);
        return null;
      }
      // A link that came back in the other direction did not convey in this one (ACL3).
      const turned = form.source !== undefined && form.source !== link.source ? { conveys: false } : {};
      return trashLink(draft, endsOf(reverting, link), context, { ...form, ...turned, ...markIn(wanted) });
    },
    skipped: () => [],
  };
}

function restoring(reverting: Reverting, link: LinkState, wanted: Patch): Reversal {
  const { draft, caller } = reverting;
  return unlessThere(!link.inTrash, {
    forbids: refuseUnless(reverting, link, (ends) => mayRestoreOrSwap(callerOnReturn(draft, caller), ends)),
    problem: null,
    apply: () => {
      const former = { ...draft.existingLink(link.id), ...formIn(wanted) };
      return restoreLink(draft, caller, endsOf(reverting, former), markIn(wanted));
    },
    skipped: () => [],
  });
}

/** Undoing a swap is a swap, and is judged as one; its type and privacy come back where they may. */
function reversing(reverting: Reverting, link: LinkState, wanted: Patch): Reversal {
  const { draft, caller } = reverting;
  const type = 'type' in wanted ? (wanted.type as LinkState['type']) : link.type;
  // Only its owner judges privacy again (LNK8).
  const byOwner = 'private' in wanted && link.ownerId === caller.id;
  const forbids = refuseUnless(reverting, link, (ends) => mayRestoreOrSwap(caller, ends));
  if (link.source === wanted.source) {
    const { private: hidden, ...rest } = wanted;
    return { ...updating(reverting, link, byOwner ? wanted : rest), forbids };
  }
  return {
    forbids,
    problem: refuseTrashed(link),
    apply: () => {
      const present = draft.existingLink(link.id);
      const former = { ...present, type, private: byOwner ? wanted.private === true : present.private };
      return reverseLink(draft, caller, endsOf(reverting, former), markIn(wanted));
    },
    skipped: () => [],
  };
}

function updating(reverting: Reverting, link: LinkState, wanted: Patch): Reversal {
  const { draft, caller } = reverting;
  const update = {
    ...('type' in wanted ? { type: wanted.type as number } : {}),
    ...('private' in wanted ? { private: wanted.private as boolean } : {}),
  };
  const isThere = (Object.keys(update) as (keyof typeof update)[]).every((field) => isSame(link[field], update[field]));
  return unlessThere(isThere, {
    forbids: hidden(reverting, link) ? forbidden() : refuseUpdateOfLink(caller, endsOf(reverting, link), update),
    problem: refuseTrashed(link),
    apply: () => updateLink(draft, caller, endsOf(reverting, link), update, markIn(wanted)),
    skipped: () => [],
  });
}
