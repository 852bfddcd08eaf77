// A reader's rights in a loaded world. Rules: ACL1 to ACL3, TRS2, LNK7.
import type { Level } from '@taskgraph/wire/codes';
import { branchFeed, nodeFeed, subjectOfFeed, userFeed } from '@taskgraph/wire/feeds';
import { grantKey } from '../state/change.ts';
import { NotLoaded } from '../state/read-set.ts';
import type { FeedState, GrantState, LinkState, NodeState, Reader } from '../state/state.ts';
import type { Rows, World } from '../state/world.ts';
import { inheritedFeeds, isLive, levelByGrant, levelThrough, seesLink } from './reader-access.ts';

/** The part of a node that access checks read. */
export type OwnedNode = Pick<NodeState, 'id' | 'ownerId'>;

/** The feeds of a node, each with the link that gave it. The owner's feed is not listed. */
export function rowsOf(world: World, id: string): Rows {
  const rows = world.members.get(id);
  if (rows === undefined) throw new NotLoaded({ members: [id] });
  return rows;
}

/** All feeds of a node, including its owner's. */
export function feedsOf(world: World, node: OwnedNode): string[] {
  return [userFeed(node.ownerId), ...rowsOf(world, node.id).keys()];
}

/** The feeds that a node's children inherit (ACL2). */
export function inheritedFeedsOf(world: World, node: OwnedNode): string[] {
  return inheritedFeeds({ ownerId: node.ownerId, feeds: rowsOf(world, node.id).keys() });
}

export function feedOn(world: World, id: string): FeedState | null {
  const feed = world.feeds.get(id);
  if (feed === undefined) throw new NotLoaded({ feeds: [id] });
  return feed;
}

export function grantOn(world: World, nodeId: string, email: string): GrantState | null {
  const key = grantKey(nodeId, email);
  const grant = world.grants.get(key);
  if (grant !== undefined) return grant;
  // All grants on a new node are known. Its id changes in each round of decisions, so a load could
  // never find it.
  if (world.grantsOn.get(nodeId)?.has(key) === false) return null;
  throw new NotLoaded({ grants: [key] });
}

/** All grants on a node. */
export function grantsOn(world: World, nodeId: string): GrantState[] {
  const keys = world.grantsOn.get(nodeId);
  if (keys === undefined) throw new NotLoaded({ grantsOn: [nodeId] });
  return [...keys].map((key) => world.grants.get(key)).filter((grant) => grant !== undefined && grant !== null);
}

/** Whether a share root is live: it has a grant or a publication (ACL2). */
export function isShareRoot(world: World, feed: string): boolean {
  const state = feedOn(world, feed);
  return state !== null && isLive(state);
}

/** A reader's rights in a world at a time, ISO 8601 UTC with milliseconds. */
export interface Permissions {
  readonly reader: Reader;
  level(node: OwnedNode): Level | null;
  /** The level by branch grants alone; 0 for the owner. */
  branchLevel(node: OwnedNode): Level | null;
  /** The level as if the node also belonged to these feeds. */
  levelWith(node: OwnedNode, feeds: readonly string[]): Level | null;
}

export function permissionsOf(world: World, reader: Reader, now: string): Permissions {
  const granted = (feed: string): Level | null => {
    const grant = grantOn(world, subjectOfFeed(feed), reader.email);
    return grant === null ? null : levelByGrant(grant, feed, now);
  };
  const through = (node: OwnedNode, feeds: readonly string[]): Level | null => {
    if (node.ownerId === reader.id) return 0;
    requireGrants(world, feeds, reader);
    return levelThrough({ ownerId: node.ownerId, feeds }, reader, granted);
  };
  const feeds = (node: OwnedNode) => (node.ownerId === reader.id ? [] : [...rowsOf(world, node.id).keys()]);
  const level = (node: OwnedNode) => through(node, feeds(node));
  return {
    reader,
    level,
    branchLevel: (node) =>
      through(
        node,
        feeds(node).filter((feed) => feed.startsWith('root:')),
      ),
    levelWith: (node, more) => through(node, [...feeds(node), ...more]),
  };
}

/** Whether a reader sees a link in this world (LNK9). */
export function seesLinkIn(world: World, { reader, level }: Permissions, link: LinkState): boolean {
  return seesLink(link, reader, (end) => level(ownedNode(world, end)));
}

/** A node that a change or link names. It exists, or it existed when the group began. */
export function ownedNode(world: World, id: string): OwnedNode {
  const node = world.nodes.get(id);
  if (node) return node;
  const ownerId = world.owners.get(id);
  if (ownerId !== undefined) return { id, ownerId };
  throw new NotLoaded({ nodes: [id] });
}

/** Requests all missing grants in one load. */
function requireGrants(world: World, feeds: readonly string[], reader: Reader): void {
  const missing = unknownGrants(world, feeds, reader);
  if (missing.length > 0) throw new NotLoaded({ grants: missing });
}

/** The keys of a reader's grants on these feeds that are not loaded. */
export function unknownGrants(world: World, feeds: readonly string[], reader: Reader): string[] {
  return feeds
    .filter((feed) => !feed.startsWith('user:'))
    .map((feed) => grantKey(subjectOfFeed(feed), reader.email))
    .filter((key) => !world.grants.has(key) && !world.grantsOn.has(key.slice(0, key.indexOf('|'))));
}

/** The live share roots of a node (ACL2). */
export function shareRootsOf(world: World, nodeId: string): string[] {
  const roots = new Set<string>();
  for (const feed of rowsOf(world, nodeId).keys()) {
    if (!feed.startsWith('user:') && isShareRoot(world, feed)) roots.add(subjectOfFeed(feed));
  }
  return [...roots].sort();
}

/** Whether a node is this share root or belongs to its branch. */
export function belongsTo(world: World, nodeId: string, root: string): boolean {
  const rows = rowsOf(world, nodeId);
  return rows.has(branchFeed(root)) || (nodeId === root && rows.has(nodeFeed(root)));
}

/** The user of an e-mail, read under its lock; null if there is none. */
export function userOf(world: World, email: string): string | null {
  const userId = world.principals.get(email);
  if (userId === undefined) throw new NotLoaded({ principals: [email] });
  return userId;
}
