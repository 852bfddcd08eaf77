// Trash and restore of nodes with their links. Rules: TRS1, TRS3, LNK2, LNK4, LNK5.

import { grantsOn, inheritedFeedsOf } from '@taskgraph/domain/access/permissions';
import { createDraft, type Draft } from '@taskgraph/domain/decision/draft';
import { parentsAfterRestore, restorableLinks } from '@taskgraph/domain/decision/restore';
import type { LinkState, NodeState } from '@taskgraph/domain/state/state';
import { LinkType, Op } from '@taskgraph/wire/codes';
import type { DecisionContext } from '../define-command.ts';
import type { Caller } from './caller.ts';
import { linkDegreeOf } from './degree-limits.ts';
import { endGrant } from './grants.ts';

/**
 * Trashes a node and all its active links, of any owner. Links go first, because they are judged by
 * active ends.
 */
export function trashNode(draft: Draft, id: string, { batchId, actor }: DecisionContext): void {
  const trashed = { inTrash: true, lastBatchID: batchId, trashedWithNode: true, trashedBy: actor.id };
  draft.asEffect(() => {
    for (const link of draft.activeOn(id)) draft.changeLink(Op.LINK_TRASH, link.id, trashed);
  });
  draft.changeNode(Op.NODE_TRASH, id, { inTrash: true, lastBatchID: batchId });
}

/**
 * Deletes a trashed node permanently, with its links and grants (TRS5). It has no active link, so
 * no status changes.
 */
export function deleteNode(draft: Draft, id: string): void {
  for (const link of draft.linksOn(id)) draft.deleteLink(Op.LINK_DELETE, link.id);
  draft.asEffect(() => {
    for (const grant of grantsOn(draft.base, id)) endGrant(draft, grant);
  });
  draft.deleteNode(Op.NODE_DELETE, id);
}

/** The feeds that a trashed node would have after a restore now, besides its own (TRS2). */
export function feedsOnRestore(draft: Draft, caller: Pick<Caller, 'world' | 'userOf'>, { id }: NodeState): string[] {
  const parents = parentsAfterRestore(id, draft.returningOn(id));
  if (parents.length === 0) return [];
  // Links that would stay in the trash give nothing (TRS3).
  const skipped = restoreNode(createDraft(draft.world, { ...draft, movesLinks: draft.movesLinks() }), id, caller);
  const targets = parents.filter((link) => !skipped.includes(link.id)).map(({ target }) => draft.existingNode(target));
  return [...new Set(targets.flatMap((target) => inheritedFeedsOf(caller.world, target)))];
}

/**
 * Restores a node, with the links that were trashed with a node and can be active again. Returns
 * the ids of the other links.
 */
export function restoreNode(draft: Draft, id: string, { userOf }: Pick<Caller, 'userOf'>): string[] {
  draft.changeNode(Op.NODE_RESTORE, id, { inTrash: false });
  const skipped: string[] = [];
  draft.asEffect(() => skipped.push(...restoreLinks(draft, id, userOf)));
  return skipped;
}

function restoreLinks(draft: Draft, id: string, userOf: Caller['userOf']): string[] {
  const skipped: string[] = [];
  const candidates = draft.returningOn(id);
  draft.requireClosures(candidates.filter(({ type }) => type === LinkType.PRIMARY).map(({ target }) => target));
  const decisions = restorableLinks(id, candidates, draft.activeOn(id), {
    degree: linkDegreeOf(draft, candidates, userOf),
    closesCycle: (link) => closesCycle(draft, link),
  });
  for (const { link, isRestored } of decisions) {
    if (isRestored) draft.changeLink(Op.LINK_RESTORE, link.id, { inTrash: false, trashedWithNode: false });
    else {
      draft.unmarkLink(link.id);
      skipped.push(link.id);
    }
  }
  return skipped;
}

function closesCycle(draft: Draft, link: LinkState): boolean {
  return link.type === LinkType.PRIMARY && draft.path(link.target, link.source) !== null;
}
