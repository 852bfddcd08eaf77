// Access of one reader: the level on a node, and the visible links, grants and tokens.
// `trash-visibility.ts` adds the rules for trashed and deleted entities. Rules: ACL1, ACL2, ACL5,
// LNK9.
import { Level } from '@taskgraph/wire/codes';
import { branchFeed, nodeFeed, userFeed } from '@taskgraph/wire/feeds';
import type { FeedState, GrantState, LinkState, Reader } from '../state/state.ts';

/** Whether a grant or publication counts now. It ends at `due` by the server's clock (ACL5). */
export function isCurrent({ due }: { readonly due: string | null }, now: string): boolean {
  return due === null || due > now;
}

/** The feed that a grant opens to its grantee. */
export function feedOfGrant({ nodeId, branch }: Pick<GrantState, 'nodeId' | 'branch'>): string {
  return branch ? branchFeed(nodeId) : nodeFeed(nodeId);
}

/**
 * Whether a feed has readers. After its last grant ends, its membership rows stay until a job
 * deletes them; they give no access (ACL2).
 */
export function isLive(feed: Pick<FeedState, 'grants' | 'public'>): boolean {
  return feed.grants > 0 || feed.public;
}

/**
 * The reader's level on a node, from 0 (owner) to 3 (viewer), or null without access. It is the
 * lowest level that ownership and the node's feeds give (ACL1). `granted` returns the level of the
 * reader's current grant on a `root:` or `node:` feed.
 */
export function levelThrough(
  node: { readonly ownerId: string; readonly feeds: Iterable<string> },
  reader: Pick<Reader, 'id'>,
  granted: (feed: string) => Level | null,
): Level | null {
  if (node.ownerId === reader.id) return Level.OWNER;
  const own = userFeed(reader.id);
  let lowest: Level | null = null;
  for (const feed of node.feeds) {
    // A node below another owner's node is visible to that owner.
    const level = feed === own ? Level.VIEWER : feed.startsWith('user:') ? null : granted(feed);
    if (level !== null && (lowest === null || level < lowest)) lowest = level;
  }
  return lowest;
}

/**
 * The feeds that nodes below this one inherit: owners' feeds and branches, but no `node:` feed
 * (ACL2).
 */
export function inheritedFeeds(node: { readonly ownerId: string; readonly feeds: Iterable<string> }): string[] {
  return [userFeed(node.ownerId), ...node.feeds].filter((feed) => !feed.startsWith('node:'));
}

/** The level that a grant gives on a feed now (ACL5). */
export function levelByGrant(
  grant: Pick<GrantState, 'nodeId' | 'branch' | 'due' | 'level'>,
  feed: string,
  now: string,
): Level | null {
  return feedOfGrant(grant) === feed && isCurrent(grant, now) ? grant.level : null;
}

/** Whether a level suffices. The lowest number is the highest privilege. */
export function allows(level: Level | null, needed: Level): boolean {
  return level !== null && level <= needed;
}

/**
 * Whether privacy lets the reader see a link: a private link is visible to its owner alone (LNK9).
 */
export function isOpenTo(link: Pick<LinkState, 'private' | 'ownerId'>, reader: Pick<Reader, 'id'>): boolean {
  return !link.private || link.ownerId === reader.id;
}

/**
 * Whether a reader sees a link: privacy allows it, and both ends are visible. `levelOn` returns the
 * reader's level on an end (LNK9).
 */
export function seesLink(
  link: Pick<LinkState, 'private' | 'ownerId' | 'source' | 'target'>,
  reader: Pick<Reader, 'id'>,
  levelOn: (end: string) => Level | null,
): boolean {
  return isOpenTo(link, reader) && [link.source, link.target].every((end) => levelOn(end) !== null);
}

/**
 * Whether a reader sees a grant: the grantee and the node's admins do (ACL9). `level` is called
 * only for readers other than the grantee.
 */
export function seesGrant(
  reader: Pick<Reader, 'email'>,
  email: string | undefined,
  level: () => Level | null,
): boolean {
  return email === reader.email || allows(level(), Level.ADMIN);
}

/** Whether a reader may learn that a deleted entity existed (TRS5). */
export function maySeeDeletion(reader: Pick<Reader, 'id'>, formerReaders: readonly string[]): boolean {
  return formerReaders.includes(reader.id);
}

/** Whether a reader with this level sees a node's public token (ACL9). */
export function seesToken(level: Level | null): boolean {
  return allows(level, Level.ADMIN);
}

/**
 * The share roots that a reader learns of: the owner all of them, other readers the visible ones
 * (ACL2).
 */
export function rootsShownTo(
  reader: Pick<Reader, 'id'>,
  node: { readonly ownerId: string },
  roots: readonly string[],
  seesRoot: (root: string) => boolean,
): string[] {
  return node.ownerId === reader.id ? [...roots] : roots.filter(seesRoot);
}

/** Whether a link propagates membership (ACL3). The ends of an active link are active (TRS1). */
export function propagates(link: Pick<LinkState, 'inTrash' | 'private' | 'conveys'>): boolean {
  return link.conveys && !link.inTrash && !link.private;
}
