// Changes of a feed's grants, publication and epoch, and the notices to grantees. Rules: ACL2, ACL5
// to ACL7, PUB5, EVT2.
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
import { keyOf, netChanges } from '../state/net-change.ts';
import { NotLoaded } from '../state/read-set.ts';
import type { FeedState, GrantState, NodeState } from '../state/state.ts';
import type { Transition } from '../state/transition.ts';
import type { World } from '../state/world.ts';
import { accessLossOf, publicationFeed } from './access-losses.ts';
import { feedOn, grantOn, ownedNode, userOf } from './permissions.ts';
import { feedOfGrant, isCurrent } from './reader-access.ts';

/**
 * Derives the feed changes of a command and applies them to `world`. The epoch grows by one per
 * batch if a reader may lose access, now or earlier than before.
 */
export function updateFeeds(world: World, changes: readonly Change[]): FeedChange[] {
  const before = new Map<string, FeedState | null>();
  const update: FeedUpdate = (id, ownerId, to, bumpsEpoch) => {
    const feed = feedOn(world, id);
    if (!before.has(id)) before.set(id, feed);
    const moved = to(feed ?? { id, ownerId: ownerId(), seq: 0, epoch: 1, grants: 0, public: false });
    const epoch = bumpsEpoch ? (before.get(id)?.epoch ?? 0) + 1 : moved.epoch;
    world.feeds.set(id, { ...moved, epoch });
  };
  requireFeeds(world, changes);
  for (const change of changes) {
    if (change.kind === 'grant') updateByGrant(change, () => ownedNode(world, change.id).ownerId, update);
    if (change.kind === 'node') updateByPublication(change, update);
  }
  return [...before]
    .map(([id, was]) => ({ kind: 'feed' as const, id, before: was, after: feedOn(world, id) as FeedState }))
    .filter(({ before: was, after }) => JSON.stringify(was) !== JSON.stringify(after));
}

/** Requests all feeds that may change in one load: a grant may end with 2,000 copies. */
function requireFeeds(world: World, changes: readonly Change[]): void {
  const named = changes.flatMap((change) => {
    if (change.kind === 'grant')
      return [change.before && feedOfGrant(change.before), change.after && feedOfGrant(change.after)];
    return change.kind === 'node' ? [publicationFeed(change.before), publicationFeed(change.after)] : [];
  });
  const feeds = [...new Set(named)].filter((feed) => feed !== null && !world.feeds.has(feed)) as string[];
  if (feeds.length > 0) throw new NotLoaded({ feeds });
}

type FeedUpdate = (id: string, ownerId: () => string, to: (feed: FeedState) => FeedState, bumpsEpoch: boolean) => void;

function updateByGrant(change: GrantChange, ownerId: () => string, update: FeedUpdate): void {
  const [was, is] = [change.before && feedOfGrant(change.before), change.after && feedOfGrant(change.after)];
  const bumpsEpoch = accessLossOf(change) !== null;
  const count = (by: number) => (feed: FeedState) => ({ ...feed, grants: feed.grants + by });
  if (was !== null && was === is) update(was, ownerId, count(0), bumpsEpoch);
  else {
    if (was !== null) update(was, ownerId, count(-1), bumpsEpoch);
    if (is !== null) update(is, ownerId, count(1), false);
  }
}

function updateByPublication(change: NodeChange, update: FeedUpdate): void {
  const { before, after } = change;
  const [was, is] = [publicationFeed(before), publicationFeed(after)];
  const bumpsEpoch = accessLossOf(change) !== null;
  const publish = (open: boolean) => (feed: FeedState) => ({ ...feed, public: open });
  if (was !== null && was === is) {
    if (bumpsEpoch) update(was, ownerOf(before, after), publish(true), true);
    return;
  }
  if (was !== null) update(was, ownerOf(before, after), publish(false), bumpsEpoch);
  if (is !== null) update(is, ownerOf(before, after), publish(true), false);
}

function ownerOf(before: NodeState | null, after: NodeState | null): () => string {
  return () => (after ?? (before as NodeState)).ownerId;
}

/** A notice to a user of a change of their own access. */
export interface AccessNotice {
  readonly userId: string;
  readonly change: AccessChange;
}

/**
 * Gained and lost access of the grantees of changed grants (EVT2). A grant to an e-mail without a
 * user causes no notice.
 */
export function accessNotices({ before, after, changes, now }: Omit<Transition, 'userOf'>): AccessNotice[] {
  const notices: AccessNotice[] = [];
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
    notices.push(...accessChangesOf(was, is, now).map((accessChange) => ({ userId, change: accessChange })));
  }
  return notices;
}

type Sides = [was: GrantState | null, is: GrantState | null];

function sidesOf(change: GrantChange | ShowingChange, before: World, after: World): Sides {
  if (change.kind === 'grant') return [change.before, change.after];
  return [grantOn(before, change.id, change.email), grantOn(after, change.id, change.email)];
}

/**
 * A grant that expired is reported as lost when a job deletes it, because no notice preceded it
 * (ACL7).
 */
function accessChangesOf(was: GrantState | null, is: GrantState | null, now: string): AccessChange[] {
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

/** The feed that delivers notices to a user. */
export function userFeedOf({ userId }: AccessNotice): string {
  return userFeed(userId);
}
