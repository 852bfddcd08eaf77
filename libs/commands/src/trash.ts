// What trashing and restoring share: which links go with a node, and which come back. Rules: TRS1, TRS3, LNK4, LNK5.
import { type Draft, openDraft } from '@taskgraph/domain/draft';
import { grantsOn, inheritableFeeds } from '@taskgraph/domain/standing';
import type { LinkState, NodeState } from '@taskgraph/domain/state';
import type { World } from '@taskgraph/domain/world';
import { LinkType, Op } from '@taskgraph/wire/codes';
import type { DecisionContext } from './define-command.ts';
import { endGrant } from './granting.ts';

/** Trashes a node and every active link on it, whoever owns them. Links first: a link is judged by ends that are still active. */
export function trashNode(draft: Draft, id: string, { batchId, actor }: DecisionContext): void {
  const trashed = { inTrash: true, lastBatchID: batchId, trashedWithNode: true, trashedBy: actor.id };
  draft.asEffect(() => {
    for (const link of draft.linksOn(id)) if (!link.inTrash) draft.changeLink(Op.LINK_TRASH, link.id, trashed);
  });
  draft.changeNode(Op.NODE_TRASH, id, { inTrash: true, lastBatchID: batchId });
}

/** Deletes a trashed node for good, with its links and grants (TRS5). It has no active link, so that no status moves. */
export function deleteNode(draft: Draft, world: World, id: string): void {
  for (const link of draft.linksOn(id)) draft.deleteLink(Op.LINK_DELETE, link.id);
  draft.asEffect(() => {
    for (const grant of grantsOn(world, id)) endGrant(draft, grant);
  });
  draft.deleteNode(Op.NODE_DELETE, id);
}

/** What a trashed node would belong to if it were restored now, besides what it is the own node of (TRS2). */
export function feedsOnRestore(draft: Draft, world: World, node: NodeState): string[] {
  const parents = draft
    .linksOn(node.id)
    .filter((link) => link.source === node.id && link.inTrash && link.trashedWithNode && link.conveys && !link.private)
    .filter((link) => !draft.existingNode(link.target).inTrash);
  if (parents.length === 0) return [];
  // Those that would stay in the trash give nothing (TRS3).
  const skipped = restoreNode(openDraft(draft.world, draft.now), node.id);
  const targets = parents.filter(({ id }) => !skipped.includes(id)).map(({ target }) => draft.existingNode(target));
  return [...new Set(targets.flatMap((target) => inheritableFeeds(world, target)))];
}

/** Restores a node with the links that were trashed with a node and can be active again. Returns those that can't, by id. */
export function restoreNode(draft: Draft, id: string): string[] {
  draft.changeNode(Op.NODE_RESTORE, id, { inTrash: false });
  const skipped: string[] = [];
  draft.asEffect(() => skipped.push(...restoreLinks(draft, id)));
  return skipped;
}

function restoreLinks(draft: Draft, id: string): string[] {
  const skipped: string[] = [];
  const links = draft.linksOn(id);
  const beside = new Map<string, string[]>();
  for (const link of links) beside.set(otherEnd(link, id), [...(beside.get(otherEnd(link, id)) ?? []), link.id]);
  const returning = links
    .filter(({ inTrash, trashedWithNode }) => inTrash && trashedWithNode)
    .filter(({ source, target }) => !draft.existingNode(source).inTrash && !draft.existingNode(target).inTrash);
  draft.requireClosures(returning.filter(({ type }) => type === LinkType.PRIMARY).map(({ target }) => target));
  for (const link of returning) {
    if (duplicates(draft, link, beside.get(otherEnd(link, id)) ?? []) || closesCycle(draft, link)) {
      draft.unmarkLink(link.id);
      skipped.push(link.id);
    } else draft.changeLink(Op.LINK_RESTORE, link.id, { inTrash: false, trashedWithNode: false });
  }
  return skipped;
}

function otherEnd({ source, target }: LinkState, id: string): string {
  return source === id ? target : source;
}

/** Whether one of the links between the same ends is active and seen by the link's own owner (LNK5). */
function duplicates(draft: Draft, link: LinkState, beside: readonly string[]): boolean {
  return beside
    .map((id) => draft.existingLink(id))
    .some((other) => !other.inTrash && (!other.private || other.ownerId === link.ownerId));
}

function closesCycle(draft: Draft, link: LinkState): boolean {
  return link.type === LinkType.PRIMARY && draft.path(link.target, link.source) !== null;
}
