// The limits on a node's active links, in total and of one viewer, for links that return from the
// trash. Rules: LNK2, TRS3.
import { Level } from '@taskgraph/wire/codes';
import type { LinkState } from '../state/state.ts';

/** Most active links on a node (LNK2). */
export const MAXIMUM_LINKS_ON_NODE = 20_000;

/** Most active links on a node by one user who is only its viewer (LNK2). */
export const MAXIMUM_LINKS_OF_VIEWER = 64;

/** The links on nodes at the moment when one more would return. */
export interface LinkDegree {
  ownerOf(node: string): string;
  /** The number of active links on a node. */
  degree(node: string): number;
  /** The number of this user's active links on a node that they do not own. */
  linksBy(node: string, user: string): number;
  /** A user's level on a node. Called only at the viewer's limit. */
  level(node: string, user: string): Level | null;
}

/**
 * Whether a restored link would exceed a limit at one of its ends (LNK2). The viewer's limit counts
 * for the link's owner, even if another user restores it. Otherwise users could accumulate links on
 * another's node through the trash.
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
