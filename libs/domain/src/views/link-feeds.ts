// The feeds of nodes and links, and who reads a link by two feeds at once. Rules: EVT1, LNK9.
import { userFeed } from '@taskgraph/wire/feeds';
import type { FeedReaders } from '../access/feed-readers.ts';
import { feedsOf, isShareRoot, ownedNode, permissionsOf, seesLinkIn } from '../access/permissions.ts';
import { netChanges } from '../state/ends.ts';
import type { LinkState, NodeState } from '../state/state.ts';
import type { Transition } from '../state/transition.ts';
import type { World } from '../state/world.ts';

/** A batch that is being cut. */
export interface Cutting extends Transition {
  readonly readers: FeedReaders;
}

/**
 * Each feed that both ends are in, and the own feeds of those who read one end by one feed and the other by another. A private link goes
 * to its owner (LNK9).
 */
export function feedsOfLink(batch: Cutting, world: World, link: LinkState): string[] {
  if (link.private) {
    const owner = batch.userOf(link.ownerId);
    return seesLinkIn(world, permissionsOf(world, owner, batch.now), link) ? [userFeed(owner.id)] : [];
  }
  const common = commonFeeds(world, link);
  return [...common, ...readersOfBoth(batch, world, link, common).map(userFeed)];
}

export function commonFeeds(world: World, { source, target }: LinkEnds): string[] {
  const there = new Set(liveFeeds(world, ownedNode(world, target)));
  return liveFeeds(world, ownedNode(world, source)).filter((feed) => there.has(feed));
}

export function liveFeeds(world: World, node: Pick<NodeState, 'id' | 'ownerId'>): string[] {
  return feedsOf(world, node).filter((feed) => hasReaders(world, feed));
}

export function hasReaders(world: World, feed: string): boolean {
  return feed.startsWith('user:') || isShareRoot(world, feed);
}

/** Ids of the users who read both ends of a link, though by different feeds, and are shown both. */
export function readersOfBoth(
  batch: Cutting,
  world: World,
  { source, target }: LinkState,
  common: readonly string[],
): string[] {
  return batch.readers.ofBoth(world, sidesOf(world, { source, target }, common));
}

/** The feeds of each end that the other end is not in. */
function sidesOf(world: World, { source, target }: LinkEnds, common: readonly string[]): string[][] {
  const sides = [source, target].map((id) =>
    liveFeeds(world, ownedNode(world, id)).filter((feed) => !common.includes(feed)),
  );
  // In one tree the ends differ at most in what one of them belongs to besides: nobody reads by that alone.
  return sides.some((side) => side.length === 0) ? [] : sides;
}

type LinkEnds = Pick<LinkState, 'source' | 'target'>;

/** Asks at once for all that is asked of the readers of the batch's links: thousands may lead to as many branches of others. */
export function requireReadersOfLinks(batch: Cutting): void {
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
