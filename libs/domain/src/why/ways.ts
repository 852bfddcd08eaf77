// The ways in which a node is seen: by whom, at which level, and on account of what. Rules: WHY2, WHY3, ACL1, ACL5, ACL9.
// Each way is one of those from which `levelThrough` takes the best, and is judged by the same functions.
import { Level } from '@taskgraph/wire/codes';
import { userFeed } from '@taskgraph/wire/feeds';
import { allows, feedOfGrant, isCurrent, levelByGrant, seesGrant, seesToken } from '../access/access.ts';
import { publicFeedOf } from '../access/membership.ts';
import type { GrantState, NodeState, Reader } from '../state/state.ts';

/** How somebody sees a node. */
export interface Way {
  readonly level: Level;
  readonly by: 'owner' | 'grant' | 'branch' | 'tree' | 'publication';
  /** The node by which they see it; null of a tree, until it is found. */
  readonly root: string | null;
  /** ISO 8601; null for no end. */
  readonly due: string | null;
  /** Null for whoever has the public token. */
  readonly email: string | null;
}

/** A node that may give access to the one that is asked about: that node itself, or a share root to which it belongs. */
export interface Root extends Pick<NodeState, 'id' | 'inTrash' | 'publicToken' | 'publicDue' | 'publicBranch'> {
  /** The asker's level on it. */
  readonly level: Level | null;
  readonly grants: readonly GrantState[];
}

/** The reader who asks, as they are judged now. */
export interface Asker {
  readonly reader: Reader;
  /** ISO 8601 UTC with milliseconds. */
  readonly now: string;
  /** The level that their unexpired grant gives on a feed; null for none (ACL1). */
  readonly granted: (feed: string) => Level | null;
  /** Whether everybody's ways are asked for, as far as the asker could list them. */
  readonly all: boolean;
}

export interface Asked {
  readonly id: string;
  readonly ownerId: string;
  readonly ownerEmail: string;
  /** The feeds that it belongs to, its owner's aside. */
  readonly feeds: readonly string[];
}

/** The ways to a node that are told to the asker. */
export function waysTo(node: Asked, roots: readonly Root[], asker: Asker): Way[] {
  const { reader, all } = asker;
  const isOwn = node.ownerId === reader.id;
  const owner: Way = { level: Level.OWNER, by: 'owner', root: node.id, due: null, email: node.ownerEmail };
  const tree: Way = { level: Level.VIEWER, by: 'tree', root: null, due: null, email: reader.email };
  const ways = [
    ...(isOwn || all ? [owner] : []),
    ...(!isOwn && node.feeds.includes(userFeed(reader.id)) ? [tree] : []),
    ...roots.flatMap((root) => [...grantedWays(node, root, asker), ...publishedWay(node, root, asker)]),
  ];
  return ways.sort(all ? byEmail : byLevel);
}

/** By the grants on a root: the asker's own that count for them now, and with `all` those that they could list. */
function grantedWays(node: Asked, root: Root, asker: Asker): Way[] {
  const { reader, now } = asker;
  return root.grants.flatMap((grant): Way[] => {
    const feed = feedOfGrant(grant);
    const level = levelByGrant(grant, feed, now);
    if (level === null || !node.feeds.includes(feed)) return [];
    const counts = grant.email === reader.email ? asker.granted(feed) !== null : asker.all;
    if (!counts || !seesGrant(reader, grant.email, () => root.level)) return [];
    return [{ level, by: root.id === node.id ? 'grant' : 'branch', root: root.id, due: grant.due, email: grant.email }];
  });
}

/** By a publication in force, of which those are told who are shown its token. */
function publishedWay(node: Asked, root: Root, { now }: Asker): Way[] {
  if (root.publicToken === null || root.inTrash || !isCurrent({ due: root.publicDue }, now)) return [];
  if (!seesToken(root.level) || !node.feeds.includes(publicFeedOf(root))) return [];
  return [{ level: Level.VIEWER, by: 'publication', root: root.id, due: root.publicDue, email: null }];
}

/** Whether a reader may ask for everybody's ways: who could list the grants on the node (ACL9). */
export function mayAskForAll(level: Level | null): boolean {
  return allows(level, Level.ADMIN);
}

const KINDS: readonly Way['by'][] = ['owner', 'grant', 'branch', 'tree', 'publication'];

function byLevel(one: Way, other: Way): number {
  return one.level - other.level || KINDS.indexOf(one.by) - KINDS.indexOf(other.by) || order(one.root, other.root);
}

function byEmail(one: Way, other: Way): number {
  return order(one.email, other.email) || byLevel(one, other);
}

/** By name; none is first. */
function order(one: string | null, other: string | null): number {
  const [a, b] = [one ?? '', other ?? ''];
  return a < b ? -1 : a > b ? 1 : 0;
}
