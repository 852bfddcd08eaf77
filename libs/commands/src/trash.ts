// What trashing and restoring share: which links go with a node, and which come back. Rules: TRS1, TRS3, LNK4, LNK5.
import type { Draft } from '@taskgraph/domain/draft';
import type { LinkState } from '@taskgraph/domain/state';
import { LinkType, Op } from '@taskgraph/wire/codes';

/** Trashes a node and every active link on it, whoever owns them. Links first: a link is judged by ends that are still active. */
export function trashNode(draft: Draft, id: string, batchId: string): void {
  for (const link of draft.linksOn(id)) {
    if (link.inTrash) continue;
    draft.changeLink(Op.LINK_TRASH, link.id, { inTrash: true, lastBatchID: batchId, trashedWithNode: true });
  }
  draft.changeNode(Op.NODE_TRASH, id, { inTrash: true, lastBatchID: batchId });
}

/** Restores a node with the links that were trashed with a node and can be active again. Returns those that can't, by id. */
export function restoreNode(draft: Draft, id: string): string[] {
  draft.changeNode(Op.NODE_RESTORE, id, { inTrash: false });
  const skipped: string[] = [];
  for (const link of draft.linksOn(id)) {
    if (!link.inTrash || !link.trashedWithNode) continue;
    if (draft.existingNode(link.source).inTrash || draft.existingNode(link.target).inTrash) continue;
    if (duplicates(draft, link) || closesCycle(draft, link)) {
      draft.unmarkLink(link.id);
      skipped.push(link.id);
    } else draft.changeLink(Op.LINK_RESTORE, link.id, { inTrash: false, trashedWithNode: false });
  }
  return skipped;
}

/** Whether an active link stands between the same ends that the link's own owner sees (LNK5). */
function duplicates(draft: Draft, link: LinkState): boolean {
  return draft
    .linksBetween(link.source, link.target)
    .some((other) => !other.inTrash && (!other.private || other.ownerId === link.ownerId));
}

function closesCycle(draft: Draft, link: LinkState): boolean {
  return link.type === LinkType.PRIMARY && draft.path(link.target, link.source) !== null;
}
