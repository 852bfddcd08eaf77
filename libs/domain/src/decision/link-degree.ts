// How many active links a node may have, of everybody and of one who only views it, where links come back. Rules: LNK2, TRS3.
import { Level } from '@taskgraph/wire/codes';
import type { LinkState } from '../state/state.ts';

/** At most this many active links on a node (LNK2). */
export const MAXIMUM_LINKS_ON_NODE = 20_000;

/** At most so many of them by one user who is only the node's viewer (LNK2). */
export const MAXIMUM_LINKS_OF_VIEWER = 64;

/** The state of nodes at the moment when one more link would come back to them. */
export interface LinkDegree {
  ownerOf(node: string): string;
  /** How many active links are on a node. */
  degree(node: string): number;
  /** How many of them are this user's. It is asked for who does not own the node. */
  linksBy(node: string, user: string): number;
  /** A user's level on a node. It is asked where they have as many links there as a viewer may have. */
  level(node: string, user: string): Level | null;
}

/**
 * Tells whether a link would be one too many on one of its ends if it came back with a node (LNK2). The bound of a viewer is that of the
 * link's owner, whoever brings it back: else links that were trashed with their sources could be piled up on somebody's node.
 */
export function exceedsDegreeLimit(
  { source, target, ownerId }: Pick<LinkState, 'source' | 'target' | 'ownerId'>,
  links: LinkDegree,
): boolean {
  const ends = [source, target];
  return (
    ends.some((end) => links.degree(end) >= MAXIMUM_LINKS_ON_NODE) ||
    ends.some((end) => links.ownerOf(end) !== ownerId && isAtViewerLimit(links, end, ownerId))
  );
}

function isAtViewerLimit(links: LinkDegree, node: string, user: string): boolean {
  if (links.linksBy(node, user) < MAXIMUM_LINKS_OF_VIEWER) return false;
  const level = links.level(node, user);
  return level === null || level === Level.VIEWER;
}
