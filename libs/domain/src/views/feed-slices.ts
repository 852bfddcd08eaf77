// The slice of a batch for each feed: the part that every reader of the feed may see. Rules: EVT1,
// EVT2, LNK9, ACL7, ACL9.

import type { AccessChange, Ids } from '@taskgraph/wire/bus/feed-messages';
import { Op, SHOWN_IN_FULL, TAKES_AWAY } from '@taskgraph/wire/codes';
import { userFeed } from '@taskgraph/wire/feeds';
import { accessNotices, userFeedOf } from '../access/feed-access.ts';
import { createFeedReaders } from '../access/feed-readers.ts';
import { feedsOf, ownedNode, userOf } from '../access/permissions.ts';
import { isLive } from '../access/reader-access.ts';
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
import { isDeletedLater, keyOf, lastChanges, netChangeOf } from '../state/net-change.ts';
import { NotLoaded } from '../state/read-set.ts';
import type { LinkState } from '../state/state.ts';
import { textSteps } from '../state/text-cost.ts';
import type { Transition } from '../state/transition.ts';
import type { Work } from '../state/work.ts';
import type { World } from '../state/world.ts';
import {
  commonFeeds,
  feedsOfLink,
  hasReaders,
  liveFeeds,
  readersOfBoth,
  requireReadersOfLinks,
  type SliceContext,
} from './link-feeds.ts';
import { stepsBeforeArrival } from './steps-before-arrival.ts';
import type { ShownChange } from './view.ts';

/** Above this many ids in `joined` and `left`, readers must read the feed again (EVT2). */
const MAXIMUM_IDS = 5_000;

/** Showing one change to one feed costs as much as this many steps. */
const STEPS_OF_AN_ENTRY = 10;

/** The part of a batch for one feed. */
export interface Slice {
  readonly changes: ShownChange[];
  /** Ids that joined or left the feed without an entry that shows it. */
  readonly joined: Ids;
  readonly left: Ids;
  /** Too many ids moved to name them. */
  reset: boolean;
  /** Changes of access, for the reader of a `user:` feed. */
  readonly access: AccessChange[];
}

/**
 * The slice of each feed, sorted by feed, which is also the lock order. `work` counts the entries.
 */
export function sliceByFeed(transition: Transition, work: Work): Map<string, Slice> {
  const batch: SliceContext = { ...transition, readers: createFeedReaders(transition.now, work) };
  const slices = new Map<string, Slice>();
  const sliceOf = (feed: string) => {
    const slice = slices.get(feed) ?? emptySlice();
    slices.set(feed, slice);
    return slice;
  };
  requireReadersOfLinks(batch);
  const changes = batch.changes.filter(isVisible);
  const removals = lastChanges(changes, TAKES_AWAY);
  const isBeforeArrival = stepsBeforeArrival(batch);
  for (const change of changes) {
    const { feeds, formerFeeds } = feedsOfChange(batch, change, removals.get(keyOf(change)));
    const shown = isDeletedLater(batch.net, change) ? { ...change, omitted: 'deleted' as const } : change;
    // Each entry lists the branches of its entity.
    const cost = STEPS_OF_AN_ENTRY + feeds.size + (shown === change ? textSteps(change) : 0);
    for (const feed of feeds) {
      if (isBeforeArrival(change, feed)) continue;
      work.pass(cost);
      sliceOf(feed).changes.push(shown);
    }
    for (const feed of formerFeeds) {
      work.pass(STEPS_OF_AN_ENTRY);
      sliceOf(feed).changes.push({ ...change, omitted: 'fields' });
    }
  }
  recordMovedLinks(batch, changes, sliceOf);
  recordMovedNodes(batch, sliceOf, work);
  for (const move of accessNotices(batch)) {
    sliceOf(userFeedOf(move)).access.push(move.change);
  }
  return new Map([...slices].sort(([one], [other]) => (one < other ? -1 : 1)));
}

function emptySlice(): Slice {
  const ids = () => ({ nodes: [], links: [] });
  return { changes: [], joined: ids(), left: ids(), reset: false, access: [] };
}

/** The feeds that see a change, and the feeds that see only its version step. */
interface FeedsOfChange {
  readonly feeds: ReadonlySet<string>;
  readonly formerFeeds: readonly string[];
}

/**
 * Readers who see the entity after the batch see the change. If the change takes the entity away,
 * earlier readers see it too (ACL7). Earlier readers also see the version steps of the batch's
 * other changes, without fields, because versions have no gaps (EVT1).
 */
function feedsOfChange(batch: SliceContext, change: VisibleChange, removal: VisibleChange | undefined): FeedsOfChange {
  if (change.kind === 'grant') return { feeds: feedsOfGrantChange(batch, change), formerFeeds: [] };
  const [was, is] = change.kind === 'link' ? feedsOfLinkEnds(batch, change, removal) : feedsOfNodeEnds(batch, change);
  const live = (feeds: readonly string[]) => feeds.filter((feed) => hasReaders(batch.after, feed));
  const present = live(is());
  const after = isActiveLinkTrashed(batch, change) ? present.filter((feed) => was().includes(feed)) : present;
  if (TAKES_AWAY.has(change.op)) return { feeds: new Set([...after, ...live(was())]), formerFeeds: [] };
  if (removal === undefined || netChangeOf(batch.net, change).after === null)
    return { feeds: new Set(after), formerFeeds: [] };
  return { feeds: new Set(after), formerFeeds: live(was()).filter((feed) => !after.includes(feed)) };
}

/**
 * Whether a batch trashed an active link. Readers who first see its ends by the same batch learn
 * nothing of it: neither would they by separate operations (BAT4), and anonymous readers have no
 * trash (PUB4).
 */
function isActiveLinkTrashed(batch: SliceContext, change: VisibleChange): boolean {
  if (change.kind !== 'link') return false;
  const { before, after } = netChangeOf(batch.net, change);
  return before?.inTrash === false && after?.inTrash === true;
}

type Sides = [was: () => string[], is: () => string[]];

function feedsOfNodeEnds(batch: SliceContext, change: NodeChange): Sides {
  const { before, after } = netChangeOf(batch.net, change);
  return [
    () => (before === null ? [] : liveFeeds(batch.before, before)),
    () => (after === null ? [] : liveFeeds(batch.after, after)),
  ];
}

/**
 * Whether a batch restored a trashed link as a private one and then removed it again. Separate
 * operations would show neither to the readers of the trashed link (LNK9, BAT4).
 */
function isRemovedInPrivate(before: LinkState, removal: VisibleChange | undefined): boolean {
  return before.inTrash && !before.private && removal?.kind === 'link' && removal.before?.private === true;
}

function feedsOfLinkEnds(batch: SliceContext, change: LinkChange, removal: VisibleChange | undefined): Sides {
  const { before, after } = netChangeOf(batch.net, change);
  return [
    () => (before === null || isRemovedInPrivate(before, removal) ? [] : feedsOfLink(batch, batch.before, before)),
    () => (after === null ? [] : feedsOfLink(batch, batch.after, after)),
  ];
}

/**
 * A grant is pushed to the node's owner and to its grantee (ACL9). The grantee learns nothing of a
 * grant that was given and removed in the same batch (BAT4).
 */
function feedsOfGrantChange({ before, after, net }: Transition, change: GrantChange): ReadonlySet<string> {
  const { id } = change;
  const own = netChangeOf(net, change);
  const grantee = own.before === null && own.after === null ? null : userOf(after, subjectOf(change).email);
  const owner = userFeed(ownedNode(after.nodes.get(id) === null ? before : after, id).ownerId);
  return new Set(grantee === null ? [owner] : [owner, userFeed(grantee)]);
}

/** Whether a feed had readers before the batch. A feed that the batch created cannot be loaded. */
function hadReaders({ before }: Transition, feed: string, moved: FeedChange | undefined): boolean {
  return moved === undefined ? hasReaders(before, feed) : moved.before !== null && isLive(moved.before);
}

/**
 * Links that readers of a feed gain or lose without an entry that shows it: by privacy or by a
 * swap.
 */
function recordMovedLinks(
  batch: SliceContext,
  changes: readonly VisibleChange[],
  sliceOf: (feed: string) => Slice,
): void {
  const moved = new Map<string, LinkChange>();
  for (const change of changes) {
    if (change.kind !== 'link') continue;
    const { before, after, op } = change;
    const isHidden = before?.private === true || after?.private === true;
    if (op === Op.LINK_SWAP || isHidden) moved.set(change.id, change);
  }
  for (const change of moved.values()) recordMovedLink(batch, change, sliceOf);
}

function recordMovedLink(batch: SliceContext, change: LinkChange, sliceOf: (feed: string) => Slice): void {
  const { id } = change;
  const { before, after } = netChangeOf(batch.net, change);
  if (after === null || after.inTrash) return;
  const was = before !== null && wasPublic({ before }) ? commonFeeds(batch.before, before) : [];
  const is = after.private ? [] : commonFeeds(batch.after, after);
  for (const feed of was) if (!is.includes(feed) && hasReaders(batch.after, feed)) sliceOf(feed).left.links.push(id);
  for (const feed of is) if (!was.includes(feed)) sliceOf(feed).joined.links.push(id);
  if (before === null || !wasPublic({ before }) || !after.private) return;
  // A link that becomes private also leaves readers who saw its ends by two feeds.
  for (const reader of readersOfBoth(batch, batch.before, before, was)) {
    if (reader !== after.ownerId) sliceOf(userFeed(reader)).left.links.push(id);
  }
}

/**
 * Nodes that joined or left a feed that had readers, and the links that joined or left with them.
 */
function recordMovedNodes(batch: SliceContext, sliceOf: (feed: string) => Slice, work: Work): void {
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
    else recordMovedIds(batch, { feed, moves, slice }, work);
  }
}

interface FeedMoves {
  readonly feed: string;
  readonly moves: readonly MemberChange[];
  readonly slice: Slice;
}

function recordMovedIds({ after, net }: Transition, { feed, moves, slice }: FeedMoves, work: Work): void {
  const shown = new Set(slice.changes.filter(({ op }) => showsEntity(op)).map(({ id }) => id));
  const unknown = moves
    .filter(({ id }) => after.nodes.get(id) !== null && !after.neighbours.has(id))
    .map(({ id }) => id);
  if (unknown.length > 0) throw new NotLoaded({ neighbours: unknown });
  const left = new Set(moves.filter((move) => move.after === null).map(({ id }) => id));
  const links = { joined: new Set(slice.joined.links), left: new Set(slice.left.links) };
  for (const move of moves) {
    const way = move.after === null ? 'left' : 'joined';
    if (!shown.has(move.id)) slice[way].nodes.push(move.id);
    const neighbours = after.neighbours.get(move.id);
    work.pass(1 + (neighbours?.size ?? 0));
    for (const [link, other] of neighbours ?? []) {
      const isThere = belongsToFeed(after, other, feed) || (way === 'left' && left.has(other));
      const isNewLink = way === 'left' && !wasPublic(net.get(link));
      if (isThere && !shown.has(link) && !isNewLink) links[way].add(link);
    }
  }
  for (const way of ['joined', 'left'] as const) slice[way].links = [...links[way]];
  const named = [slice.joined, slice.left].reduce((sum, ids) => sum + ids.nodes.length + ids.links.length, 0);
  if (named > MAXIMUM_IDS) slice.reset = true;
}

/** Whether a link was active and public before the batch. A link without a change was. */
function wasPublic(net: { readonly before: unknown } | undefined): boolean {
  const before = net?.before as LinkState | null | undefined;
  return before === undefined || (before !== null && !before.inTrash && !before.private);
}

function showsEntity(op: Op): boolean {
  return TAKES_AWAY.has(op) || SHOWN_IN_FULL.has(op) || op === Op.NODE_ADD || op === Op.LINK_ADD;
}

function belongsToFeed(world: World, id: string, feed: string): boolean {
  return feedsOf(world, ownedNode(world, id)).includes(feed);
}
