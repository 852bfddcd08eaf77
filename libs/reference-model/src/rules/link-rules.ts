// The rules of links: type, privacy, propagation and conflicts (LNK, ACL3).
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

/** Whether a link becomes private, by LNK3's table. */
export function judgedPrivate(levels: EndLevels, provided: boolean): boolean {
  if (!atLeast(levels.target, Level.EDITOR)) return true;
  const viewsSource = !atLeast(levels.source, Level.EDITOR);
  return viewsSource && levels.target !== Level.OWNER ? true : provided;
}

/** Whether a change of type clears `wasBlocker`. Rules: BLK9. */
export function wasBlockerAs(type: number, wasBlocker: boolean): boolean {
  return type === LinkType.PRIMARY && wasBlocker;
}

/** How a link becomes active or public (ACL3). A swap is judged by rights on the source alone. */
export type ActivationKind = 'swap' | 'other';

/**
 * Whether the user who makes a link active or public makes it propagate: by their right on the
 * source, or because the change shares nothing. The state is the one before, in which the link does
 * not yet propagate in this direction. Rules: ACL3.
 *
 * ACL3: a link that node:add created loses this origin when a user makes it active or public again;
 * otherwise a swap by an editor would still propagate. ACL3: "every branch" omits roots without a
 * branch, which are never inherited.
 */
export function startsPropagating(
  state: ModelState,
  actor: ModelUser,
  ends: Pick<ModelLink, 'source' | 'target'>,
  making: ActivationKind,
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

/** Whether a link propagated when it was last active, regardless of its ends. Rules: ACL3. */
function propagatedBefore(link: ModelLink): boolean {
  return link.mayPropagate && !link.private;
}

/** Refuses a link if an active link of the same ends conflicts with it. Rules: LNK5. */
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

/**
 * Moves a link to the trash on its own. `back` contains the values that an undo also restores.
 * Rules: LNK7, TRS1.
 */
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
 * The state of a link that is restored on its own. Rules: LNK3, LNK7, LNK8.
 *
 * LNK10: LNK3 applies as on add; otherwise a viewer could restore a primary link. Only the link's
 * owner hides it thereby.
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
 * Restores a link from the trash with these values. Rules: LNK4, LNK5, LNK6, LNK10, ACL3 (in its
 * old direction its trasher restores it as it was).
 *
 * LNK10: linking requires both ends outside the trash, otherwise 409 `conflict.in_trash` (TRS4).
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
  const asBefore = sameDirection && link.trashedBy === draft.actor.id && propagatedBefore(link);
  const mayPropagate = asBefore || startsPropagating(draft.state, draft.actor, as, 'other', draft.moment.now);
  const wasBlocker = wasBlockerAs(type, link.wasBlocker);
  const fields = { ...as, inTrash: false, marked: false, mayPropagate, wasBlocker };
  changeLink(draft, Op.LINK_RESTORE, link.id, fields, 'own');
  return null;
}
