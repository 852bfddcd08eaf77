// The members of a branch that are visible to a reader. Rules: ACL1, ACL2, ACL9, GEN7.
import { allows, inheritedFeeds } from '@taskgraph/domain/access/reader-access';
import { levelIfActive } from '@taskgraph/domain/access/trash-visibility';
import type { Database } from '@taskgraph/graph-store/driver/database';
import { MAXIMUM_WALK, walkBelow, walkBranch } from '@taskgraph/graph-store/reads/branch-scope';
import { levelOf, type ReaderAccess, withGrantsOn } from '@taskgraph/graph-store/reads/reader';
import { locateNodes, observe } from '@taskgraph/graph-store/reads/visible';
import type { Membership } from '@taskgraph/graph-store/reads/visible-ids';
import { Level } from '@taskgraph/wire/codes';
import { type Refusal, refuse } from '@taskgraph/wire/errors';
import { branchFeed } from '@taskgraph/wire/feeds';

/** The same answer for every kind of invalid token (PUB3). */
export function noBranch(): Refusal {
  return refuse('not_found', 'There is no such branch.');
}

/** Refuses a reader without a level on the node. */
export function unseen(id: string): Refusal {
  const lack = { id, needed: Level.VIEWER, level: null };
  return refuse('forbidden', 'Your access level does not allow this.', lack);
}

export interface Branch {
  /** The feed of a shared branch; of any other branch the ids, in order. */
  readonly members: Membership | readonly string[];
  /** The feeds that all members share with the root; none if the reader sees only a part. */
  readonly feeds: readonly string[];
}

/**
 * The visible members of a branch. A reader who sees the root by more than a grant on the node
 * alone sees the whole branch, because every member belongs to all feeds of the root (ACL2).
 */
export async function branchOf(
  database: Database,
  readerAccess: ReaderAccess,
  root: string,
): Promise<Branch | Refusal> {
  const found = (await locateNodes(database, [root])).get(root);
  if (found === undefined) return refuse('not_found', 'There is no such node.', { id: root });
  if (!allows(levelOf(readerAccess, found), Level.VIEWER)) return unseen(root);
  if (found.inTrash) return noBranch();
  const feeds = inheritedFeeds(found);
  if (levelOf(readerAccess, { ...found, feeds }) === null) {
    return { members: await visibleBelow(database, readerAccess, root), feeds: [] };
  }
  if (found.feeds.includes(branchFeed(root))) {
    return { members: { ownerId: null, feeds: [branchFeed(root)] }, feeds };
  }
  const members = await walkBranch(database, root);
  if (members !== null) return { members, feeds };
  return refuse('bad_request.too_large', `The branch has more than ${MAXIMUM_WALK} nodes and is shared with nobody.`, {
    most: MAXIMUM_WALK,
  });
}

/**
 * For a reader with a grant on the root alone: the root, and the nodes below it that they see in
 * another way. In a branch that is too large only the nearest nodes count, because the reader must
 * not learn its size.
 */
async function visibleBelow(database: Database, readerAccess: ReaderAccess, root: string): Promise<string[]> {
  const reached = (await walkBelow(database, root)).slice(0, MAXIMUM_WALK);
  const places = await locateNodes(database, reached);
  const feeds = [...places.values()].flatMap((place) => place.feeds);
  const observer = observe(await withGrantsOn(database, readerAccess, feeds), places);
  return reached.filter((id) => levelIfActive(observer, id) !== null).sort();
}
