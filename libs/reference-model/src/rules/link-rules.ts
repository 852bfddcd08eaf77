// The rules of links: type and privacy, its right to convey, and what stands in its way (LNK, ACL3).
import { Level, LinkType, Op } from '@taskgraph/wire/codes';
import { changeLink, type Draft, findNode } from '../draft.ts';
import { atLeast, type EndLevels, endLevels, type Refusal, refuse } from '../refusals.ts';
import type { ModelLink, ModelNode, ModelState, ModelUser } from '../state.ts';
import { branchLevelOf, isBranchRoot, membershipOf } from './access.ts';
import { refuseCycle } from './cycles.ts';

/** The type that a link gets. Rules: LNK3. */
export function judgedType(target: ModelNode, targetLevel: number | null, type: number): number {
  return atLeast(targetLevel, Level.EDITOR) && !target.independent ? type : LinkType.SECONDARY;
}

/** Whether a link gets private, by LNK3's table. */
export function judgedPrivate(levels: EndLevels, provided: boolean): boolean {
  if (!atLeast(levels.target, Level.EDITOR)) return true;
  const viewsSource = !atLeast(levels.source, Level.EDITOR);
  return viewsSource && levels.target !== Level.OWNER ? true : provided;
}

/** Whether a change of type clears `wasBlocker`. Rules: BLK9. */
export function wasBlockerAs(type: number, wasBlocker: boolean): boolean {
  return type === LinkType.PRIMARY && wasBlocker;
}

/** A link's way of becoming active or public (ACL3): a swap is judged by rights on the source alone. */
export type Making = 'swap' | 'other';

/**
 * Whether whoever now makes a link active or public makes it convey: by their right on the source, or because the move hands out
 * nothing. The state is the one before, in which the link does not convey in this direction yet. Rules: ACL3.
 *
 * ACL3: "NODE3 made it" holds like any other making until somebody makes the link active or public again: else a swap by an
 * editor would still convey. ACL3: "every branch" leaves out roots that are no branch roots, which are never inherited.
 */
export function makesConvey(
  state: ModelState,
  actor: ModelUser,
  ends: Pick<ModelLink, 'source' | 'target'>,
  making: Making,
  now: string,
): boolean {
  const source = findNode(state, ends.source)!;
  const target = findNode(state, ends.target)!;
  if (atLeast(branchLevelOf(state, actor, source, now), Level.ADMIN)) return true;
  if (making === 'swap' || source.ownerId !== target.ownerId) return false;
  const has = membershipOf(state, source.id);
  const readSet = membershipOf(state, target.id);
  const roots = [...readSet.roots].filter((root) => isBranchRoot(state, root));
  return roots.every((root) => has.roots.has(root)) && [...readSet.owners].every((owner) => has.owners.has(owner));
}

/** Whether a link conveyed, its ends aside, when it was last active. Rules: ACL3. */
function conveyedBefore(link: ModelLink): boolean {
  return link.mayConvey && !link.private;
}

/** Refuses what an active link of the same ends stands in the way of. Rules: LNK5. */
export function refuseDuplicate(
  draft: Draft,
  link: { readonly id: string | null; readonly source: string; readonly target: string },
): Refusal | null {
  const others = draft.state.links.filter(
    (other) => other.id !== link.id && !other.inTrash && (!other.private || other.ownerId === draft.actor.id),
  );
  if (others.some((other) => other.source === link.source && other.target === link.target)) {
    return refuse('conflict.duplicate_link');
  }
  const reversed = others.some((other) => other.source === link.target && other.target === link.source);
  return reversed ? refuse('conflict.duplicate_reversed_link') : null;
}

/** Moves a link to the trash on its own; `back` holds what an undo also puts back. Rules: LNK7, TRS1. */
export function trashLink(draft: Draft, link: ModelLink, back: Partial<ModelLink>): void {
  const fields = {
    ...back,
    inTrash: true,
    lastBatchID: draft.moment.batchId,
    marked: false,
    trashedBy: draft.actor.id,
  };
  changeLink(draft, Op.LINK_TRASH, link.id, fields, 'own');
}

/**
 * The state of a link that comes back by itself. Rules: LNK3, LNK7, LNK8.
 *
 * LNK10: LNK3 is applied as on add, else a viewer could bring a primary link back; only the link's owner hides it thereby.
 */
export function judgedOnReturn(
  draft: Draft,
  link: ModelLink,
  as: Pick<ModelLink, 'source' | 'target' | 'type' | 'private'>,
): Pick<ModelLink, 'source' | 'target' | 'type' | 'private'> {
  const levels = endLevels(draft.state, draft.actor, { ...link, ...as }, draft.moment.now);
  const type = judgedType(findNode(draft.state, as.target)!, levels.target, as.type);
  return { ...as, type, private: link.ownerId === draft.actor.id ? judgedPrivate(levels, as.private) : as.private };
}

/**
 * Brings a link in the trash back with these values. Rules: LNK4, LNK5, LNK6, LNK10, ACL3 (in its old direction its trasher brings it
 * back as it was).
 *
 * LNK10: linking needs both ends outside of the trash, else 409 `conflict.in_trash` (TRS4).
 */
export function bringLinkBack(
  draft: Draft,
  link: ModelLink,
  as: Pick<ModelLink, 'source' | 'target' | 'type' | 'private'>,
): Refusal | null {
  const { source, target, type } = as;
  if ([source, target].some((id) => findNode(draft.state, id)!.inTrash)) return refuse('conflict.in_trash');
  const refusal = refuseDuplicate(draft, { id: link.id, source, target }) ?? refuseCycle(draft, { ...as, id: link.id });
  if (refusal !== null) return refusal;
  const sameDirection = link.source === source;
  const asBefore = sameDirection && link.trashedBy === draft.actor.id && conveyedBefore(link);
  const mayConvey = asBefore || makesConvey(draft.state, draft.actor, as, 'other', draft.moment.now);
  const wasBlocker = wasBlockerAs(type, link.wasBlocker);
  const fields = { ...as, inTrash: false, marked: false, mayConvey, wasBlocker };
  changeLink(draft, Op.LINK_RESTORE, link.id, fields, 'own');
  return null;
}
