// The access to a feed, as it moves: its grants, its publication, the epoch of its room, and what grantees learn of it.
// Rules: ACL2, ACL5 to ACL7, PUB5, EVT2.
import type { AccessChange } from '@taskgraph/wire/bus/feed-messages';
import { userFeed } from '@taskgraph/wire/feeds';
import {
  type Change,
  type FeedChange,
  type GrantChange,
  grantKey,
  type NodeChange,
  type ShowingChange,
  subjectOf,
} from '../state/change.ts';
import { keyOf, netChanges } from '../state/ends.ts';
import { NotLoaded } from '../state/read-set.ts';
import type { FeedState, GrantState, NodeState } from '../state/state.ts';
import type { Transition } from '../state/transition.ts';
import type { World } from '../state/world.ts';
import { feedOfGrant, isCurrent } from './access.ts';
import { departureOf, publishedAs } from './departures.ts';
import { feedOn, grantOn, ownedNode, userOf } from './permissions.ts';

/**
 * The moves of feeds that follow from a command's changes, applied to `world`. The epoch rises, by one step a batch, where a reader may
 * have been taken away or an end was brought forward: the feed's room is then left behind.
 */
export function moveFeeds(world: World, changes: readonly Change[]): FeedChange[] {
  const before = new Map<string, FeedState | null>();
  const move: Move = (id, ownerId, to, raises) => {
    const feed = feedOn(world, id);
    if (!before.has(id)) before.set(id, feed);
    const moved = to(feed ?? { id, ownerId: ownerId(), seq: 0, epoch: 1, grants: 0, public: false });
    const epoch = raises ? (before.get(id)?.epoch ?? 0) + 1 : moved.epoch;
    world.feeds.set(id, { ...moved, epoch });
  };
  requireFeeds(world, changes);
  for (const change of changes) {
    if (change.kind === 'grant') moveByGrant(change, () => ownedNode(world, change.id).ownerId, move);
    if (change.kind === 'node') moveByPublication(change, move);
  }
  return [...before]
    .map(([id, was]) => ({ kind: 'feed' as const, id, before: was, after: feedOn(world, id) as FeedState }))
    .filter(({ before: was, after }) => JSON.stringify(was) !== JSON.stringify(after));
}

/** Asks for all feeds that may move at once: a grant may end with 2,000 copies. */
function requireFeeds(world: World, changes: readonly Change[]): void {
  const named = changes.flatMap((change) => {
    if (change.kind === 'grant')
      return [change.before && feedOfGrant(change.before), change.after && feedOfGrant(change.after)];
    return change.kind === 'node' ? [publishedAs(change.before), publishedAs(change.after)] : [];
  });
  const feeds = [...new Set(named)].filter((feed) => feed !== null && !world.feeds.has(feed)) as string[];
  if (feeds.length > 0) throw new NotLoaded({ feeds });
}

type Move = (id: string, ownerId: () => string, to: (feed: FeedState) => FeedState, raises: boolean) => void;

function moveByGrant(change: GrantChange, ownerId: () => string, move: Move): void {
  const [was, is] = [change.before && feedOfGrant(change.before), change.after && feedOfGrant(change.after)];
  const raises = departureOf(change) !== null;
  const count = (by: number) => (feed: FeedState) => ({ ...feed, grants: feed.grants + by });
  if (was !== null && was === is) move(was, ownerId, count(0), raises);
  else {
    if (was !== null) move(was, ownerId, count(-1), raises);
    if (is !== null) move(is, ownerId, count(1), false);
  }
}

function moveByPublication(change: NodeChange, move: Move): void {
  const { before, after } = change;
  const [was, is] = [publishedAs(before), publishedAs(after)];
  const raises = departureOf(change) !== null;
  const publish = (open: boolean) => (feed: FeedState) => ({ ...feed, public: open });
  if (was !== null && was === is) {
    if (raises) move(was, ownerOf(before, after), publish(true), true);
    return;
  }
  if (was !== null) move(was, ownerOf(before, after), publish(false), raises);
  if (is !== null) move(is, ownerOf(before, after), publish(true), false);
}

function ownerOf(before: NodeState | null, after: NodeState | null): () => string {
  return () => (after ?? (before as NodeState)).ownerId;
}

/** The news of a user's own access, for their own feed. */
export interface ReaderMove {
  readonly userId: string;
  readonly change: AccessChange;
}

/** The gains and losses of the grantees of changed grants (EVT2). A grant whose e-mail nobody has yet waits, and tells nobody. */
export function readerMoves({ before, after, changes, now }: Omit<Transition, 'userOf'>): ReaderMove[] {
  const moves: ReaderMove[] = [];
  const switched = changes.filter((change) => change.kind === 'showing');
  const isSwitched = new Set(switched.map(({ id, email }) => grantKey(id, email)));
  const granted = netChanges(changes).filter(
    (change): change is GrantChange => change.kind === 'grant' && !isSwitched.has(keyOf(change)),
  );
  const shown = [...new Map(switched.map((change) => [grantKey(change.id, change.email), change])).values()];
  for (const change of [...granted, ...shown]) {
    const [was, is] = sidesOf(change, before, after).map((grant) => (grant?.showing ? grant : null)) as Sides;
    const email = change.kind === 'showing' ? change.email : subjectOf(change).email;
    const userId = userOf(after, email);
    if (userId === null) continue;
    moves.push(...accessChanges(was, is, now).map((accessChange) => ({ userId, change: accessChange })));
  }
  return moves;
}

type Sides = [was: GrantState | null, is: GrantState | null];

function sidesOf(change: GrantChange | ShowingChange, before: World, after: World): Sides {
  if (change.kind === 'grant') return [change.before, change.after];
  return [grantOn(before, change.id, change.email), grantOn(after, change.id, change.email)];
}

/** A grant that has ended by the clock is told as lost when it is taken away: nobody has told its grantee before (ACL7). */
function accessChanges(was: GrantState | null, is: GrantState | null, now: string): AccessChange[] {
  const lost = was && feedOfGrant(was);
  const gained = is !== null && isCurrent(is, now) ? feedOfGrant(is) : null;
  const gaining = { feed: gained ?? '', change: 'gained' as const, level: is?.level ?? null };
  if (was !== null && is !== null && lost === feedOfGrant(is)) {
    if (gained === null) return [];
    if (!isCurrent(was, now)) return [gaining];
    return was.level === is.level ? [] : [{ ...gaining, change: 'level' }];
  }
  return [
    ...(lost === null ? [] : [{ feed: lost, change: 'lost' as const, level: null }]),
    ...(gained === null ? [] : [gaining]),
  ];
}

/** The feed in which a user learns of their own access. */
export function ownFeedOf({ userId }: ReaderMove): string {
  return userFeed(userId);
}
