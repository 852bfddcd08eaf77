// Access: the level of a reader on a node, and which links a reader sees. Rules: ACL1, ACL2, ACL5, LNK9.
import { Level } from '@taskgraph/wire/codes';
import { branchFeed, nodeFeed, userFeed } from '@taskgraph/wire/feeds';
import type { FeedState, GrantState, LinkState, Reader } from '../state/state.ts';

/** Whether a grant or publication still counts: access ends at `due` by the server's clock at the moment of the check (ACL5). */
export function isCurrent({ due }: { readonly due: string | null }, now: string): boolean {
  return due === null || due > now;
}

/** The feed that a grant lets its grantee read. */
export function feedOfGrant({ nodeId, branch }: Pick<GrantState, 'nodeId' | 'branch'>): string {
  return branch ? branchFeed(nodeId) : nodeFeed(nodeId);
}

/** Whether somebody may read a feed: rows of one whose last grant ended are left to a job, and mean nothing (ACL2). */
export function isLive(feed: Pick<FeedState, 'grants' | 'public'>): boolean {
  return feed.grants > 0 || feed.public;
}

/**
 * The reader's level on a node (0 owner to 3 viewer), or null for no access at all (ACL1): the lowest of what ownership and the
 * feeds give that the node belongs to. `granted` is the level that the reader's unexpired grant gives on a `root:` or `node:` feed.
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
    // Hanging a node under another's tree shows it to that owner.
    const level = feed === own ? Level.VIEWER : feed.startsWith('user:') ? null : granted(feed);
    if (level !== null && (lowest === null || level < lowest)) lowest = level;
  }
  return lowest;
}

/** The feeds that the nodes below this one belong to with it: branches and owners' trees, never a node shared alone (ACL2). */
export function feedsHandedOn(node: { readonly ownerId: string; readonly feeds: Iterable<string> }): string[] {
  return [userFeed(node.ownerId), ...node.feeds].filter((feed) => !feed.startsWith('node:'));
}

/** The level that a grant gives on a feed, now (ACL5). */
export function levelByGrant(
  grant: Pick<GrantState, 'nodeId' | 'branch' | 'due' | 'level'>,
  feed: string,
  now: string,
): Level | null {
  return feedOfGrant(grant) === feed && isCurrent(grant, now) ? grant.level : null;
}

/** Whether a level is enough. The lowest number is the highest privilege. */
export function allows(level: Level | null, needed: Level): boolean {
  return level !== null && level <= needed;
}

/** Whether a link is open to a reader as far as its privacy goes: a private one is its owner's alone (LNK9). */
export function isOpenTo(link: Pick<LinkState, 'private' | 'ownerId'>, reader: Pick<Reader, 'id'>): boolean {
  return !link.private || link.ownerId === reader.id;
}

/** Whether a reader sees a link: one that is open to them, both ends of which they see. `levelOn` gives their level on an end, by its id (LNK9). */
export function seesLink(
  link: Pick<LinkState, 'private' | 'ownerId' | 'source' | 'target'>,
  reader: Pick<Reader, 'id'>,
  levelOn: (end: string) => Level | null,
): boolean {
  return isOpenTo(link, reader) && [link.source, link.target].every((end) => levelOn(end) !== null);
}

/** Whether a reader is shown the grant of an e-mail on a node: its grantee is, and the node's admins are. The others' level alone is asked for (ACL9). */
export function seesGrant(
  reader: Pick<Reader, 'email'>,
  email: string | undefined,
  level: () => Level | null,
): boolean {
  return email === reader.email || allows(level(), Level.ADMIN);
}

/** Whether a reader may know that something was there that was deleted for good; `recallers` are the ids of those who may (TRS5). */
export function mayRecall(reader: Pick<Reader, 'id'>, recallers: readonly string[]): boolean {
  return recallers.includes(reader.id);
}

/** Whether a reader of this level is shown a node's public token (ACL9). */
export function seesToken(level: Level | null): boolean {
  return allows(level, Level.ADMIN);
}

/** The share roots of a node that a reader is told of: its owner all of them, others those that they can see (ACL2). */
export function rootsToldTo(
  reader: Pick<Reader, 'id'>,
  node: { readonly ownerId: string },
  roots: readonly string[],
  seesRoot: (root: string) => boolean,
): string[] {
  return node.ownerId === reader.id ? [...roots] : roots.filter(seesRoot);
}

/** Whether membership flows through a link (ACL3). Both ends of an active link are active (TRS1). */
export function conveys(link: Pick<LinkState, 'inTrash' | 'private' | 'conveys'>): boolean {
  return link.conveys && !link.inTrash && !link.private;
}
