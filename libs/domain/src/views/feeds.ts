// Which feed gets which part of a batch: the slice that all readers of that feed may see. Rules: EVT1, EVT2, LNK9, ACL7, ACL9.
import { Op, SHOWN_IN_FULL, TAKES_AWAY } from '@taskgraph/wire/codes';
import { type AccessChange, type Ids, userFeed } from '@taskgraph/wire/messages';
import { isLive } from '../access/access.ts';
import { ownFeedOf, readerMoves } from '../access/feed-access.ts';
import { type FeedReaders, openReaders } from '../access/feed-readers.ts';
import { feedsOf, isShareRoot, ownedNode, permissionsOf, seesLinkIn, userOf } from '../access/permissions.ts';
import {
  type FeedChange,
  type GrantChange,
  isVisible,
  type LinkChange,
  type MemberChange,
  type VisibleChange,
} from '../state/change.ts';
import { NotLoaded } from '../state/read-set.ts';
import type { LinkState, NodeState } from '../state/state.ts';
import type { Transition } from '../state/transition.ts';
import type { World } from '../state/world.ts';

/** Past this many ids that came to a feed or left it, its readers are told to read it anew (EVT2). */
const MAXIMUM_IDS = 5_000;

/** One feed's part of a batch. */
export interface Slice {
  readonly changes: VisibleChange[];
  /** Ids that came to the feed or left it without an entry of their own that says so. */
  readonly joined: Ids;
  readonly left: Ids;
  /** Too many moved to be named. */
  reset: boolean;
  /** The news of access for the one reader of a `user:` feed. */
  readonly access: AccessChange[];
}

/** A batch that is being cut. */
interface Cutting extends Transition {
  readonly readers: FeedReaders;
}

/** The slice of each feed. Feeds come in id order, which is the order in which they are locked. */
export function sliceByFeed(transition: Transition): Map<string, Slice> {
  const batch: Cutting = { ...transition, readers: openReaders(transition.now) };
  const slices = new Map<string, Slice>();
  const sliceOf = (feed: string) => {
    const slice = slices.get(feed) ?? emptySlice();
    slices.set(feed, slice);
    return slice;
  };
  requireReadersOfLinks(batch);
  for (const change of batch.changes.filter(isVisible)) {
    for (const feed of feedsOfChange(batch, change)) sliceOf(feed).changes.push(change);
    if (change.kind === 'link') moveLink(batch, change, sliceOf);
  }
  moveNodes(batch, sliceOf);
  for (const move of readerMoves(batch.before, batch.after, batch.changes, batch.now)) {
    sliceOf(ownFeedOf(move)).access.push(move.change);
  }
  return new Map([...slices].sort(([one], [other]) => (one < other ? -1 : 1)));
}

function emptySlice(): Slice {
  const ids = () => ({ nodes: [], links: [] });
  return { changes: [], joined: ids(), left: ids(), reset: false, access: [] };
}

/** A change that takes an entity away is shown to those who lose it thereby; all others to those alone who still read it (ACL7). */
function feedsOfChange(batch: Cutting, change: VisibleChange): Iterable<string> {
  if (change.kind === 'grant') return feedsOfGrantChange(batch, change);
  if (change.kind === 'link') return feedsOfLinkChange(batch, change);
  const after = change.after === null ? [] : liveFeeds(batch.after, change.after);
  const before = change.before !== null && TAKES_AWAY.has(change.op) ? liveFeeds(batch.before, change.before) : [];
  return new Set([...after, ...before].filter((feed) => hasReaders(batch.after, feed)));
}

/** A grant is pushed to the node's owner and to its grantee alone (ACL9). */
function feedsOfGrantChange(
  { before, after }: Transition,
  { id, after: is, before: was }: GrantChange,
): Iterable<string> {
  const grantee = userOf(after, (is ?? was)?.email ?? '');
  const owner = userFeed(ownedNode(after.nodes.get(id) === null ? before : after, id).ownerId);
  return new Set(grantee === null ? [owner] : [owner, userFeed(grantee)]);
}

function feedsOfLinkChange(batch: Cutting, { op, before, after }: LinkChange): Iterable<string> {
  const is = after === null ? [] : feedsOfLink(batch, batch.after, after);
  const was = before !== null && TAKES_AWAY.has(op) ? feedsOfLink(batch, batch.before, before) : [];
  return new Set([...is, ...was].filter((feed) => hasReaders(batch.after, feed)));
}

/**
 * Each feed that both ends are in, and the own feeds of those who read one end by one feed and the other by another. A private link goes
 * to its owner (LNK9).
 */
function feedsOfLink(batch: Cutting, world: World, link: LinkState): string[] {
  if (link.private) {
    const owner = batch.userOf(link.ownerId);
    return seesLinkIn(world, permissionsOf(world, owner, batch.now), link) ? [userFeed(owner.id)] : [];
  }
  const common = commonFeeds(world, link);
  return [...common, ...readersOfBoth(batch, world, link, common).map(userFeed)];
}

function commonFeeds(world: World, { source, target }: LinkEnds): string[] {
  const there = new Set(liveFeeds(world, ownedNode(world, target)));
  return liveFeeds(world, ownedNode(world, source)).filter((feed) => there.has(feed));
}

function liveFeeds(world: World, node: Pick<NodeState, 'id' | 'ownerId'>): string[] {
  return feedsOf(world, node).filter((feed) => hasReaders(world, feed));
}

function hasReaders(world: World, feed: string): boolean {
  return feed.startsWith('user:') || isShareRoot(world, feed);
}

/** Whether a feed had readers before the batch. One that the batch made can't be asked for: it is not stored yet. */
function hadReaders({ before, changes }: Transition, feed: string): boolean {
  const moved = changes.find((change) => change.kind === 'feed' && change.id === feed) as FeedChange | undefined;
  return moved === undefined ? hasReaders(before, feed) : moved.before !== null && isLive(moved.before);
}

/** Ids of the users who read both ends of a link, though by different feeds, and are shown both. */
function readersOfBoth(
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
function requireReadersOfLinks(batch: Cutting): void {
  for (const world of [batch.after, batch.before]) {
    const links = batch.changes.flatMap((change) => {
      const link = change.kind === 'link' ? (world === batch.after ? change.after : change.before) : null;
      return link === null || link.private ? [] : [link];
    });
    batch.readers.require(
      world,
      links.map((link) => sidesOf(world, link, commonFeeds(world, link))),
    );
  }
}

/** A link that readers of a feed begin or cease to see without an entry that gives or takes it: by privacy, or by a swap. */
function moveLink(batch: Cutting, { id, op, before, after }: LinkChange, sliceOf: (feed: string) => Slice): void {
  if (before === null || after === null || before.inTrash || after.inTrash) return;
  if (before.private === after.private && op !== Op.LINK_SWAP) return;
  const was = before.private ? [] : commonFeeds(batch.before, before);
  const is = after.private ? [] : commonFeeds(batch.after, after);
  for (const feed of was) if (!is.includes(feed) && hasReaders(batch.after, feed)) sliceOf(feed).left.links.push(id);
  for (const feed of is) if (!was.includes(feed)) sliceOf(feed).joined.links.push(id);
  if (before.private || !after.private) return;
  // Hidden, it goes from those too who read its ends by two feeds.
  for (const reader of readersOfBoth(batch, batch.before, before, was)) {
    if (reader !== after.ownerId) sliceOf(userFeed(reader)).left.links.push(id);
  }
}

/** Nodes that came to a feed that had readers before, or left it, and the links that thereby came or went with them. */
function moveNodes(batch: Cutting, sliceOf: (feed: string) => Slice): void {
  const byFeed = new Map<string, MemberChange[]>();
  for (const change of batch.changes) {
    if (change.kind !== 'member' || (change.before === null) === (change.after === null)) continue;
    const moves = byFeed.get(change.feed);
    if (moves) moves.push(change);
    else byFeed.set(change.feed, [change]);
  }
  for (const [feed, moves] of byFeed) {
    if (!hadReaders(batch, feed) || !hasReaders(batch.after, feed)) continue;
    const slice = sliceOf(feed);
    if (moves.length > MAXIMUM_IDS) slice.reset = true;
    else nameMoves(batch, feed, moves, slice);
  }
}

function nameMoves({ after }: Transition, feed: string, moves: readonly MemberChange[], slice: Slice): void {
  const told = new Set(slice.changes.filter(({ op }) => tellsByItself(op)).map(({ id }) => id));
  const unknown = moves
    .filter(({ id }) => after.nodes.get(id) !== null && !after.neighbours.has(id))
    .map(({ id }) => id);
  if (unknown.length > 0) throw new NotLoaded({ neighbours: unknown });
  const left = new Set(moves.filter((move) => move.after === null).map(({ id }) => id));
  const links = { joined: new Set(slice.joined.links), left: new Set(slice.left.links) };
  for (const move of moves) {
    const way = move.after === null ? 'left' : 'joined';
    if (!told.has(move.id)) slice[way].nodes.push(move.id);
    for (const [link, other] of after.neighbours.get(move.id) ?? []) {
      const isThere = isIn(after, other, feed) || (way === 'left' && left.has(other));
      if (isThere && !told.has(link)) links[way].add(link);
    }
  }
  for (const way of ['joined', 'left'] as const) slice[way].links = [...links[way]];
  const named = [slice.joined, slice.left].reduce((sum, ids) => sum + ids.nodes.length + ids.links.length, 0);
  if (named > MAXIMUM_IDS) slice.reset = true;
}

function tellsByItself(op: Op): boolean {
  return TAKES_AWAY.has(op) || SHOWN_IN_FULL.has(op) || op === Op.NODE_ADD || op === Op.LINK_ADD;
}

function isIn(world: World, id: string, feed: string): boolean {
  return feedsOf(world, ownedNode(world, id)).includes(feed);
}
