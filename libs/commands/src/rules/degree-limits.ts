// How many active links a node may have, of everybody and of one who only views it. Rules: LNK2, TRS3.

import { permissionsOf } from '@taskgraph/domain/access/permissions';
import type { Draft } from '@taskgraph/domain/decision/draft';
import type { LinkState, NodeState } from '@taskgraph/domain/state/state';
import { Level } from '@taskgraph/wire/codes';
import { type Refusal, refuse } from '@taskgraph/wire/errors';
import type { Caller } from './caller.ts';

/** At most this many active links on a node (LNK2). */
const MAXIMUM_LINKS_ON_NODE = 20_000;

/** At most so many of them by one user who is only the node's viewer (LNK2). */
const MAXIMUM_LINKS_OF_VIEWER = 64;

/** Refuses one link more on a node that has the most it may have (LNK2). */
export function refuseTooManyLinks(draft: Draft, node: NodeState, caller: Caller): Refusal | null {
  if (draft.degree(node.id) >= MAXIMUM_LINKS_ON_NODE) {
    return refuse('conflict.too_many_links', `A node can have at most ${MAXIMUM_LINKS_ON_NODE} links.`);
  }
  if (caller.level(node) !== Level.VIEWER || draft.linksBy(node.id, caller.id) < MAXIMUM_LINKS_OF_VIEWER) return null;
  const message = `A viewer of a node can have at most ${MAXIMUM_LINKS_OF_VIEWER} links on it.`;
  return refuse('conflict.too_many_links', message);
}

/**
 * Tells which links would be one too many on one of their ends if they came back with a node (LNK2). The bound of a viewer is that of the
 * link's owner, whoever brings it back: else links that were trashed with their sources could be piled up on somebody's node.
 */
export function crowding(
  draft: Draft,
  returning: readonly LinkState[],
  userOf: Caller['userOf'],
): (link: LinkState) => boolean {
  const foreign = ({ source, target, ownerId }: LinkState) =>
    [source, target].filter((id) => draft.existingNode(id).ownerId !== ownerId);
  draft.requireLinksBy(returning.flatMap((link) => foreign(link).map((node) => ({ node, owner: link.ownerId }))));
  const fillsUp = (id: string, owner: string) => {
    if (draft.linksBy(id, owner) < MAXIMUM_LINKS_OF_VIEWER) return false;
    const level = permissionsOf(draft.world, userOf(owner), draft.now).level(draft.existingNode(id));
    return level === null || level === Level.VIEWER;
  };
  return (link) =>
    [link.source, link.target].some((id) => draft.degree(id) >= MAXIMUM_LINKS_ON_NODE) ||
    foreign(link).some((id) => fillsUp(id, link.ownerId));
}
