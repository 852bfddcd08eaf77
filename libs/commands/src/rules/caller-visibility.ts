// Whether a caller may know of a stored change: the entity is in their sight now, or would be if it came back. Rules: HIS3, HIS7, TRS2, ACL9.

import { asIfRestored, disclosureOf, type Observer } from '@taskgraph/domain/access/visibility';
import type { Draft } from '@taskgraph/domain/decision/draft';
import type { StoredChange } from '@taskgraph/domain/state/batch';
import type { Caller } from './caller.ts';
import { feedsOnRestore } from './trash.ts';

/** The caller, looking at a draft. */
function observerOf(draft: Draft, caller: Caller): Observer {
  return {
    ...caller,
    node: draft.node,
    link: draft.link,
    feedsOnRestore: ({ id }) => feedsOnRestore(draft, caller, draft.existingNode(id)),
    recallers: draft.recallers,
  };
}

/** The caller as a restore judges them: nodes in the trash count as what they would come back to (TRS2). */
export function callerIfRestored(draft: Draft, caller: Caller): Observer {
  return asIfRestored(observerOf(draft, caller));
}

export function isDisclosed({ draft, caller }: { draft: Draft; caller: Caller }, change: StoredChange): boolean {
  return disclosureOf(observerOf(draft, caller), change) !== null;
}
