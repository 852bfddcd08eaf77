// The ways in which readers see a node: reader, level and source. Each is one of the sources from
// which `levelThrough` takes the best. Rules: WHY2, WHY3, ACL1, ACL5, ACL9.
import { Level } from '@taskgraph/wire/codes';
import { userFeed } from '@taskgraph/wire/feeds';
import { publicFeedOf } from '../access/membership.ts';
import { allows, feedOfGrant, isCurrent, levelByGrant, seesGrant, seesToken } from '../access/reader-access.ts';
import type { GrantState, NodeState, Reader } from '../state/state.ts';

/** One source of a reader's access to a node. */
export interface AccessPath {
  readonly level: Level;
  readonly by: 'owner' | 'grant' | 'branch' | 'tree' | 'publication';
  /** The node that gives the access; null for an owner's tree until it is looked up. */
  readonly root: string | null;
  /** ISO 8601; null for access without an end. */
  readonly due: string | null;
  /** Null for a publication. */
  readonly email: string | null;
}

/** A node that may give access to another: that node itself or one of its share roots. */
export interface AccessRoot extends Pick<NodeState, 'id' | 'inTrash' | 'publicToken' | 'publicDue' | 'publicBranch'> {
  /** The caller's level on it. */
  readonly level: Level | null;
  readonly grants: readonly GrantState[];
}

/** The caller, with their current rights. */
export interface PathsCaller {
  readonly reader: Reader;
  /** ISO 8601 UTC with milliseconds. */
  readonly now: string;
  /** The level of the caller's current grant on a feed; null for none (ACL1). */
  readonly granted: (feed: string) => Level | null;
  /** Whether to list the access of all readers, as far as the caller may list it. */
  readonly all: boolean;
}

export interface ReachedNode {
  readonly id: string;
  readonly ownerId: string;
  readonly ownerEmail: string;
  /** The node's feeds, besides its owner's. */
  readonly feeds: readonly string[];
}

/** The access to a node that the caller may learn of. */
export function accessPathsTo(node: ReachedNode, roots: readonly AccessRoot[], caller: PathsCaller): AccessPath[] {
  const { reader, all } = caller;
  const isOwn = node.ownerId === reader.id;
  const owner: AccessPath = { level: Level.OWNER, by: 'owner', root: node.id, due: null, email: node.ownerEmail };
  const tree: AccessPath = { level: Level.VIEWER, by: 'tree', root: null, due: null, email: reader.email };
  const paths = [
    ...(isOwn || all ? [owner] : []),
    ...(!isOwn && node.feeds.includes(userFeed(reader.id)) ? [tree] : []),
    ...roots.flatMap((root) => [...pathsByGrants(node, root, caller), ...pathByPublication(node, root, caller)]),
  ];
  return paths.sort(all ? byEmail : byLevel);
}

/**
 * Access by the grants on a root: the caller's own, and with `all` those that the caller may list.
 */
function pathsByGrants(node: ReachedNode, root: AccessRoot, caller: PathsCaller): AccessPath[] {
  const { reader, now } = caller;
  return root.grants.flatMap((grant): AccessPath[] => {
    const feed = feedOfGrant(grant);
    const level = levelByGrant(grant, feed, now);
    if (level === null || !node.feeds.includes(feed)) return [];
    const counts = grant.email === reader.email ? caller.granted(feed) !== null : caller.all;
    if (!counts || !seesGrant(reader, grant.email, () => root.level)) return [];
    return [{ level, by: root.id === node.id ? 'grant' : 'branch', root: root.id, due: grant.due, email: grant.email }];
  });
}

/** Access by a current publication, for callers who see its token. */
function pathByPublication(node: ReachedNode, root: AccessRoot, { now }: PathsCaller): AccessPath[] {
  if (root.publicToken === null || root.inTrash || !isCurrent({ due: root.publicDue }, now)) return [];
  if (!seesToken(root.level) || !node.feeds.includes(publicFeedOf(root))) return [];
  return [{ level: Level.VIEWER, by: 'publication', root: root.id, due: root.publicDue, email: null }];
}

/** Whether a reader may list the access of all readers: only admins list grants (ACL9). */
export function mayListAllPaths(level: Level | null): boolean {
  return allows(level, Level.ADMIN);
}

const KINDS: readonly AccessPath['by'][] = ['owner', 'grant', 'branch', 'tree', 'publication'];

function byLevel(one: AccessPath, other: AccessPath): number {
  return one.level - other.level || KINDS.indexOf(one.by) - KINDS.indexOf(other.by) || order(one.root, other.root);
}

function byEmail(one: AccessPath, other: AccessPath): number {
  return order(one.email, other.email) || byLevel(one, other);
}

/** Null sorts first. */
function order(one: string | null, other: string | null): number {
  const [a, b] = [one ?? '', other ?? ''];
  return a < b ? -1 : a > b ? 1 : 0;
}
