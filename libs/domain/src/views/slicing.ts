// Which feed gets which part of a batch: the slice that all readers of that feed may see. Rules: EVT1, EVT2, LNK9, ACL7, ACL9.

import type { AccessChange, Ids } from '@taskgraph/wire/bus/feed-messages';
import { Op, SHOWN_IN_FULL, TAKES_AWAY } from '@taskgraph/wire/codes';
import { userFeed } from '@taskgraph/wire/feeds';
import { isLive } from '../access/access.ts';
import { ownFeedOf, readerMoves } from '../access/feed-access.ts';
import { openReaders } from '../access/feed-readers.ts';
import { feedsOf, ownedNode, userOf } from '../access/permissions.ts';
import {
  type FeedChange,
  type GrantChange,
  isVisible,
  type LinkChange,
  type MemberChange,
  type NodeChange,
  subjectOf,
  type VisibleChange,
} from '../state/change.ts';
import { endsFor, isOvertaken, keyOf, lastChanges } from '../state/ends.ts';
import { NotLoaded } from '../state/read-set.ts';
import type { LinkState } from '../state/state.ts';
import { textSteps } from '../state/text-cost.ts';
import type { Transition } from '../state/transition.ts';
import type { Work } from '../state/work.ts';
import type { World } from '../state/world.ts';
import { earlierContents } from './earlier-contents.ts';
import {
  type Cutting,
  commonFeeds,
  feedsOfLink,
  hasReaders,
  liveFeeds,
  readersOfBoth,
  requireReadersOfLinks,
} from './link-feeds.ts';
import type { ShownChange } from './view.ts';

/** Past this many ids that came to a feed or left it, its readers are told to read it anew (EVT2). */
const MAXIMUM_IDS = 5_000;

/** To tell one feed of one change costs as much as so many steps of a walk. */
const STEPS_OF_AN_ENTRY = 10;

/** One feed's part of a batch. */
export interface Slice {
  readonly changes: ShownChange[];
  /** Ids that came to the feed or left it without an entry of their own that says so. */
  readonly joined: Ids;
  readonly left: Ids;
  /** Too many moved to be named. */
  reset: boolean;
  /** The news of access for the one reader of a `user:` feed. */
  readonly access: AccessChange[];
}

/** The slice of each feed. Feeds come in id order, which is the order in which they are locked. `work` counts what is told. */
export function sliceByFeed(transition: Transition, work: Work): Map<string, Slice> {
  const batch: Cutting = { ...transition, readers: openReaders(transition.now, work) };
  const slices = new Map<string, Slice>();
  const sliceOf = (feed: string) => {
    const slice = slices.get(feed) ?? emptySlice();
    slices.set(feed, slice);
    return slice;
  };
  requireReadersOfLinks(batch);
  const changes = batch.changes.filter(isVisible);
  const removals = lastChanges(changes, TAKES_AWAY);
  const isEarlier = earlierContents(batch);
  for (const change of changes) {
    const { feeds, losing } = feedsOfChange(batch, change, removals.get(keyOf(change)));
    const shown = isOvertaken(batch.ends, change) ? { ...change, cut: 'gone' as const } : change;
    // To each it is said which branches the entity belongs to.
    const cost = STEPS_OF_AN_ENTRY + feeds.size + (shown === change ? textSteps(change) : 0);
    for (const feed of feeds) {
      if (isEarlier(change, feed)) continue;
      work.pass(cost);
      sliceOf(feed).changes.push(shown);
    }
    for (const feed of losing) {
      work.pass(STEPS_OF_AN_ENTRY);
      sliceOf(feed).changes.push({ ...change, cut: 'step' });
    }
  }
  moveLinks(batch, changes, sliceOf);
  moveNodes(batch, sliceOf, work);
  for (const move of readerMoves(batch)) {
    sliceOf(ownFeedOf(move)).access.push(move.change);
  }
  return new Map([...slices].sort(([one], [other]) => (one < other ? -1 : 1)));
}

function emptySlice(): Slice {
  const ids = () => ({ nodes: [], links: [] });
  return { changes: [], joined: ids(), left: ids(), reset: false, access: [] };
}

/** The feeds that are shown a change, and those that are told no more of it than its version step. */
interface FeedsOfChange {
  readonly feeds: ReadonlySet<string>;
  readonly losing: readonly string[];
}

/**
 * A change is shown to those who see its entity after the batch, and one that takes the entity away to those as well who saw it before (ACL7).
 * These are told of the other steps of the same batch without what they say, since a version must not be missing (EVT1).
 */
function feedsOfChange(batch: Cutting, change: VisibleChange, removal: VisibleChange | undefined): FeedsOfChange {
  if (change.kind === 'grant') return { feeds: feedsOfGrantChange(batch, change), losing: [] };
  const [was, is] = change.kind === 'link' ? feedsOfLinkEnds(batch, change, removal) : feedsOfNodeEnds(batch, change);
  const live = (feeds: readonly string[]) => feeds.filter((feed) => hasReaders(batch.after, feed));
  const there = live(is());
  const after = wentBeforeArrival(batch, change) ? there.filter((feed) => was().includes(feed)) : there;
  if (TAKES_AWAY.has(change.op)) return { feeds: new Set([...after, ...live(was())]), losing: [] };
  if (removal === undefined || endsFor(batch.ends, change).after === null) return { feeds: new Set(after), losing: [] };
  return { feeds: new Set(after), losing: live(was()).filter((feed) => !after.includes(feed)) };
}

/**
 * Whether a batch put a link into the trash that was there: who comes to see its ends by the same batch would have heard nothing of it had the
 * operations come one by one (BAT4), and anonymous readers have no trash to find it in (PUB4).
 */
function wentBeforeArrival(batch: Cutting, change: VisibleChange): boolean {
  if (change.kind !== 'link') return false;
  const { before, after } = endsFor(batch.ends, change);
  return before?.inTrash === false && after?.inTrash === true;
}

type Sides = [was: () => string[], is: () => string[]];

function feedsOfNodeEnds(batch: Cutting, change: NodeChange): Sides {
  const { before, after } = endsFor(batch.ends, change);
  return [
    () => (before === null ? [] : liveFeeds(batch.before, before)),
    () => (after === null ? [] : liveFeeds(batch.after, after)),
  ];
}

/**
 * Whether a batch restored a trashed link as a private one and then took it away again. The same operations one by one would
 * tell the readers of the trashed link of neither (LNK9, BAT4).
 */
function isRemovedInPrivate(before: LinkState, removal: VisibleChange | undefined): boolean {
  return before.inTrash && !before.private && removal?.kind === 'link' && removal.before?.private === true;
}

function feedsOfLinkEnds(batch: Cutting, change: LinkChange, removal: VisibleChange | undefined): Sides {
  const { before, after } = endsFor(batch.ends, change);
  return [
    () => (before === null || isRemovedInPrivate(before, removal) ? [] : feedsOfLink(batch, batch.before, before)),
    () => (after === null ? [] : feedsOfLink(batch, batch.after, after)),
  ];
}

/** A grant is pushed to the node's owner and to its grantee alone (ACL9), who hears nothing of one that was given and taken back (BAT4). */
function feedsOfGrantChange({ before, after, ends }: Transition, change: GrantChange): ReadonlySet<string> {
  const { id } = change;
  const net = endsFor(ends, change);
  const grantee = net.before === null && net.after === null ? null : userOf(after, subjectOf(change).email);
  const owner = userFeed(ownedNode(after.nodes.get(id) === null ? before : after, id).ownerId);
  return new Set(grantee === null ? [owner] : [owner, userFeed(grantee)]);
}

/** Whether a feed had readers before the batch. One that the batch made can't be asked for: it is not stored yet. */
function hadReaders({ before }: Transition, feed: string, moved: FeedChange | undefined): boolean {
  return moved === undefined ? hasReaders(before, feed) : moved.before !== null && isLive(moved.before);
}

/** Links that readers of a feed begin or cease to see without an entry that gives or takes them: by privacy, or by a swap. */
function moveLinks(batch: Cutting, changes: readonly VisibleChange[], sliceOf: (feed: string) => Slice): void {
  const moved = new Map<string, LinkChange>();
  for (const change of changes) {
    if (change.kind !== 'link') continue;
    const { before, after, op } = change;
    const isHidden = before?.private === true || after?.private === true;
    if (op === Op.LINK_SWAP || isHidden) moved.set(change.id, change);
  }
  for (const change of moved.values()) moveLink(batch, change, sliceOf);
}

function moveLink(batch: Cutting, change: LinkChange, sliceOf: (feed: string) => Slice): void {
  const { id } = change;
  const { before, after } = endsFor(batch.ends, change);
  if (after === null || after.inTrash) return;
  const was = before !== null && wasOpen({ before }) ? commonFeeds(batch.before, before) : [];
  const is = after.private ? [] : commonFeeds(batch.after, after);
  for (const feed of was) if (!is.includes(feed) && hasReaders(batch.after, feed)) sliceOf(feed).left.links.push(id);
  for (const feed of is) if (!was.includes(feed)) sliceOf(feed).joined.links.push(id);
  if (before === null || !wasOpen({ before }) || !after.private) return;
  // Hidden, it goes from those too who read its ends by two feeds.
  for (const reader of readersOfBoth(batch, batch.before, before, was)) {
    if (reader !== after.ownerId) sliceOf(userFeed(reader)).left.links.push(id);
  }
}

/** Nodes that came to a feed that had readers before, or left it, and the links that thereby came or went with them. */
function moveNodes(batch: Cutting, sliceOf: (feed: string) => Slice, work: Work): void {
  const feeds = new Map<string, FeedChange>();
  const byFeed = new Map<string, MemberChange[]>();
  for (const change of batch.changes) {
    if (change.kind === 'feed' && !feeds.has(change.id)) feeds.set(change.id, change);
    if (change.kind !== 'member' || (change.before === null) === (change.after === null)) continue;
    const moves = byFeed.get(change.feed);
    if (moves) moves.push(change);
    else byFeed.set(change.feed, [change]);
  }
  for (const [feed, moves] of byFeed) {
    if (!hadReaders(batch, feed, feeds.get(feed)) || !hasReaders(batch.after, feed)) continue;
    const slice = sliceOf(feed);
    if (moves.length > MAXIMUM_IDS) slice.reset = true;
    else nameMoves(batch, { feed, moves, slice }, work);
  }
}

interface FeedMoves {
  readonly feed: string;
  readonly moves: readonly MemberChange[];
  readonly slice: Slice;
}

function nameMoves({ after, ends }: Transition, { feed, moves, slice }: FeedMoves, work: Work): void {
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
    const neighbours = after.neighbours.get(move.id);
    work.pass(1 + (neighbours?.size ?? 0));
    for (const [link, other] of neighbours ?? []) {
      const isThere = isIn(after, other, feed) || (way === 'left' && left.has(other));
      const isNews = way === 'left' && !wasOpen(ends.get(link));
      if (isThere && !told.has(link) && !isNews) links[way].add(link);
    }
  }
  for (const way of ['joined', 'left'] as const) slice[way].links = [...links[way]];
  const named = [slice.joined, slice.left].reduce((sum, ids) => sum + ids.nodes.length + ids.links.length, 0);
  if (named > MAXIMUM_IDS) slice.reset = true;
}

/** Whether a link was there for all to see before the batch; it was where the batch did nothing to it. */
function wasOpen(ends: { readonly before: unknown } | undefined): boolean {
  const before = ends?.before as LinkState | null | undefined;
  return before === undefined || (before !== null && !before.inTrash && !before.private);
}

function tellsByItself(op: Op): boolean {
  return TAKES_AWAY.has(op) || SHOWN_IN_FULL.has(op) || op === Op.NODE_ADD || op === Op.LINK_ADD;
}

function isIn(world: World, id: string, feed: string): boolean {
  return feedsOf(world, ownedNode(world, id)).includes(feed);
}
