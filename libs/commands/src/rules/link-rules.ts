// The permitted kind of a link, judged for a caller: type, privacy, propagation, duplicates,
// cycles. Rules: LNK2 to LNK8, ACL3.

import { feedsOf, inheritedFeedsOf, isShareRoot } from '@taskgraph/domain/access/permissions';
import { allows, seesLink } from '@taskgraph/domain/access/reader-access';
import { levelOnSource } from '@taskgraph/domain/access/trash-visibility';
import { refuseCycle } from '@taskgraph/domain/decision/cycles';
import type { Draft } from '@taskgraph/domain/decision/draft';
import type { LinkState, NodeState } from '@taskgraph/domain/state/state';
import type { World } from '@taskgraph/domain/state/world';
import { Level, LinkType } from '@taskgraph/wire/codes';
import { type Refusal, refuse } from '@taskgraph/wire/errors';
import { type Caller, type LinkWithEnds, pathVisibility, refuseTrashed } from './caller.ts';
import { refuseTooManyLinks } from './degree-limits.ts';

/**
 * The user who trashed a link, judged as if it were active: trashing it may have hidden its source
 * from them (LNK7).
 */
function asIfActive(caller: Caller, found: LinkWithEnds): Caller {
  const onSource = levelOnSource(caller, found);
  const level = (node: NodeState) => (node.id === found.source.id ? onSource : caller.level(node));
  return { ...caller, level, may: (node, needed) => allows(level(node), needed) };
}

/**
 * The permitted type: secondary if the caller cannot edit the target, or if the target is
 * independent (LNK3).
 */
export function permittedType(caller: Caller, wanted: LinkType, target: NodeState): LinkType {
  const secondary = !caller.may(target, Level.EDITOR) || target.independent;
  return secondary ? LinkType.SECONDARY : wanted;
}

/** Whether the caller's levels force a link to be private (LNK3). */
export function mustBePrivate(caller: Caller, source: NodeState, target: NodeState): boolean {
  // An owner of a link who no longer sees an end counts as its viewer.
  const [onSource, onTarget] = [source, target].map((node) => caller.level(node) ?? Level.VIEWER);
  if (onSource === Level.VIEWER) return onTarget !== Level.OWNER;
  return onTarget === Level.VIEWER;
}

/**
 * Whether a link that the caller activates or makes public propagates (ACL3): the caller may share
 * the source's branch, or the link only moves a node among the feeds of one owner that it already
 * belongs to. A swapped link (`moves` false) cannot be such a move.
 */
export function mayPropagate(caller: Caller, { source, target, moves }: PropagationEnds): boolean {
  if (caller.mayShareBranch(source)) return true;
  if (!moves || source.ownerId !== target.ownerId) return false;
  const has = new Set(feedsOf(caller.world, source));
  return inheritedFeedsOf(caller.world, target).every((feed) => has.has(feed) || !isReadable(caller.world, feed));
}

interface PropagationEnds {
  readonly source: NodeState;
  readonly target: NodeState;
  readonly moves: boolean;
}

/**
 * The rows of a branch without a live share root give no access until it is shared again (ACL2).
 */
function isReadable(world: World, feed: string): boolean {
  return feed.startsWith('user:') || isShareRoot(world, feed);
}

/** The kind of a restored link. Only its owner's restore can make it private (LNK8). */
export function kindAfterRestore(caller: Caller, { link, source, target }: LinkWithEnds): LinkKind {
  return {
    ...kindBetween(asIfActive(caller, { link, source, target }), { link, source, target }),
    conveys: mayPropagate(caller, { source, target, moves: true }) || propagatesAgain(caller, link, source.id),
  };
}

/** The kind of a swapped link in its new direction. */
export function kindAfterSwap(caller: Caller, { link, source, target }: LinkWithEnds): LinkKind {
  return {
    ...kindBetween(caller, { link, source, target }),
    conveys: mayPropagate(caller, { source, target, moves: false }),
  };
}

type LinkKind = Pick<LinkState, 'type' | 'private' | 'conveys'>;

function kindBetween(caller: Caller, { link, source, target }: LinkWithEnds) {
  const byOwner = link.ownerId === caller.id;
  return {
    type: permittedType(caller, link.type, target),
    private: link.private || (byOwner && mustBePrivate(caller, source, target)),
  };
}

/**
 * A link that is restored in its former direction by the user who trashed it propagates as before
 * (ACL3).
 */
export function propagatesAgain(caller: Caller, link: LinkState, source: string): boolean {
  return link.conveys && link.trashedBy === caller.id && link.source === source;
}

/**
 * Refuses a second link between two nodes. Private links of other users neither collide nor show
 * (LNK5).
 */
export function refuseDuplicate(
  draft: Draft,
  caller: Caller,
  wanted: { source: string; target: string },
  except?: string,
): Refusal | null {
  const active = draft
    .linksBetween(wanted.source, wanted.target)
    .filter((link) => !link.inTrash && link.id !== except && caller.sees(link));
  const [first] = active;
  if (first === undefined) return null;
  // The owner of a link may no longer see one of its ends.
  const isSeen = seesLink(first, caller.reader, (end) => caller.level(draft.existingNode(end)));
  const named = (link: LinkState) => (isSeen ? { link: link.id } : { hidden: true });
  const same = active.find((link) => link.source === wanted.source);
  return same === undefined
    ? refuse(
        'conflict.duplicate_reversed_link',
        'The two nodes are already linked in the other direction.',
        named(first),
      )
    : refuse('conflict.duplicate_link', 'The two nodes are already linked in this direction.', named(same));
}

/** Refuses to activate a link. Checks in order: trashed ends, duplicates, limits, cycles. */
export function refuseActivation(
  draft: Draft,
  caller: Caller,
  wanted: { source: NodeState; target: NodeState; type: LinkType },
  except?: string,
): Refusal | null {
  const { source, target, type } = wanted;
  return (
    refuseTrashed(source) ??
    refuseTrashed(target) ??
    refuseDuplicate(draft, caller, { source: source.id, target: target.id }, except) ??
    refuseTooManyLinks(draft, source, caller) ??
    refuseTooManyLinks(draft, target, caller) ??
    (type === LinkType.PRIMARY ? refuseCycle(draft, source.id, target.id, pathVisibility(draft, caller), except) : null)
  );
}
