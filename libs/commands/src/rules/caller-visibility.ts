// Whether a caller may learn of a stored change: they see the entity now, or would see it after a
// restore. Rules: HIS3, HIS7, TRS2, ACL9.

import { asIfRestored, disclosureOf, type Observer } from '@taskgraph/domain/access/trash-visibility';
import type { Draft } from '@taskgraph/domain/decision/draft';
import type { StoredChange } from '@taskgraph/domain/state/batch';
import type { Caller } from './caller.ts';
import { feedsOnRestore } from './trash.ts';

/** The caller's view of a draft. */
function observerOf(draft: Draft, caller: Caller): Observer {
  return {
    ...caller,
    node: draft.node,
    link: draft.link,
    feedsOnRestore: ({ id }) => feedsOnRestore(draft, caller, draft.existingNode(id)),
    formerReaders: draft.formerReaders,
  };
}

/** The caller with the levels that a restore would give on trashed nodes (TRS2). */
export function callerIfRestored(draft: Draft, caller: Caller): Observer {
  return asIfRestored(observerOf(draft, caller));
}

export function isDisclosed({ draft, caller }: { draft: Draft; caller: Caller }, change: StoredChange): boolean {
  return disclosureOf(observerOf(draft, caller), change) !== null;
}
