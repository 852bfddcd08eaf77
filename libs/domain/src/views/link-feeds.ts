// The feeds of a link, and the readers who reach its ends by different feeds. Rules: EVT1, LNK9.
import { userFeed } from '@taskgraph/wire/feeds';
import type { FeedReaders } from '../access/feed-readers.ts';
import { feedsOf, isShareRoot, ownedNode, permissionsOf, seesLinkIn } from '../access/permissions.ts';
import { netChanges } from '../state/net-change.ts';
import type { LinkState, NodeState } from '../state/state.ts';
import type { Transition } from '../state/transition.ts';
import type { World } from '../state/world.ts';

/** A transition with the readers of its feeds, from which slices are made. */
export interface SliceContext extends Transition {
  readonly readers: FeedReaders;
}

/**
 * The feeds that contain both ends, and the own feeds of readers who reach the ends by different
 * feeds. A private link goes to its owner (LNK9).
 */
export function feedsOfLink(batch: SliceContext, world: World, link: LinkState): string[] {
  if (link.private) {
    const owner = batch.userOf(link.ownerId);
    return seesLinkIn(world, permissionsOf(world, owner, batch.now), link) ? [userFeed(owner.id)] : [];
  }
  const common = commonFeeds(world, link);
  return [...common, ...readersOfBoth(batch, world, link, common).map(userFeed)];
}

export function commonFeeds(world: World, { source, target }: LinkEnds): string[] {
  const targetFeeds = new Set(liveFeeds(world, ownedNode(world, target)));
  return liveFeeds(world, ownedNode(world, source)).filter((feed) => targetFeeds.has(feed));
}

export function liveFeeds(world: World, node: Pick<NodeState, 'id' | 'ownerId'>): string[] {
  return feedsOf(world, node).filter((feed) => hasReaders(world, feed));
}

export function hasReaders(world: World, feed: string): boolean {
  return feed.startsWith('user:') || isShareRoot(world, feed);
}

/** Ids of the users who see the ends of a link by different feeds. */
export function readersOfBoth(
  batch: SliceContext,
  world: World,
  { source, target }: LinkState,
  common: readonly string[],
): string[] {
  return batch.readers.ofBoth(world, sidesOf(world, { source, target }, common));
}

/** The feeds of each end that do not contain the other end. */
function sidesOf(world: World, { source, target }: LinkEnds, common: readonly string[]): string[][] {
  const sides = [source, target].map((id) =>
    liveFeeds(world, ownedNode(world, id)).filter((feed) => !common.includes(feed)),
  );
  // Without further feeds at one end, no reader sees that end but not the other.
  return sides.some((side) => side.length === 0) ? [] : sides;
}

type LinkEnds = Pick<LinkState, 'source' | 'target'>;

/**
 * Requests in one load the readers of the batch's links: thousands of links may lead to as many
 * other branches.
 */
export function requireReadersOfLinks(batch: SliceContext): void {
  for (const world of [batch.after, batch.before]) {
    const links = netChanges(batch.changes).flatMap((change) => {
      const link = change.kind === 'link' ? (world === batch.after ? change.after : change.before) : null;
      return link === null || link.private ? [] : [link];
    });
    batch.readers.require(
      world,
      links.map((link) => sidesOf(world, link, commonFeeds(world, link))),
    );
  }
}
