// The subscribers of this gateway, and the feeds that each is authorized to read. The feed's
// channel decides which of its slices a subscriber receives. Rules: ACL5 to ACL7, EVT1, EVT4, PUB3,
// PUB5, PUB6; see docs/design/access-and-feeds.md.
import type { RawSlice } from '@taskgraph/bus/events/raw-slice';
import type { ActingUser } from '@taskgraph/wire/actor';
import type { ControlMessage, FeedEpochBump } from '@taskgraph/wire/bus/feed-messages';
import type { Refusal } from '@taskgraph/wire/errors';
import { subjectOfFeed, userFeed } from '@taskgraph/wire/feeds';
import { LRUCache } from 'lru-cache';
import { type AuthorizationLog, createAuthorizationQueue } from './authorization-queue.ts';
import { createAlarm } from './clock-timer.ts';
import { createEpochChangeLog } from './epoch-change-log.ts';
import type { Authorize } from './feed-authorizer.ts';
import { createFeedChannels, type SliceSource } from './feed-channels.ts';
import type { FeedContext, FeedCounts, FeedLookupCounts } from './feed-context.ts';
import { createFeedLookupCache, type LookUpFeeds } from './feed-lookup-cache.ts';
import type { Audience, FeedAuthorization, SubscriberSocket, UserFeeds } from './subscriber.ts';
import type { Subscriber } from './subscription.ts';
import { copyAuthorizations } from './subscription-copy.ts';

/**
 * Recently reauthorized readers, stored for longer than an answer takes: an answer from before the
 * change must not count as the newest.
 */
const KEPT_MS = 60_000;
/** Readers or feeds in each cache. Its memory is allocated at once. */
const MAXIMUM_CACHED = 10_000;

interface SubscriptionsOptions extends Pick<FeedContext, 'deliver' | 'deliverTo'> {
  readonly authorize: Authorize;
  readonly source: SliceSource;
  readonly counts: FeedCounts;
  readonly feedLookups: FeedLookupCounts;
  readonly log: AuthorizationLog;
  /** By default `MAXIMUM_CACHED`. */
  readonly maximumCached?: number;
}

export type Subscriptions = ReturnType<typeof createSubscriptions>;

export function createSubscriptions(options: SubscriptionsOptions) {
  const { authorize, source, counts, feedLookups, log, deliver, deliverTo, maximumCached = MAXIMUM_CACHED } = options;
  /** All subscribers, by the user's id or that of the published node. */
  const byReader = new Map<string, Set<Subscriber>>();
  const reauthorized = new LRUCache<string, true>({ max: maximumCached, ttl: KEPT_MS });
  const lookupCache = createFeedLookupCache(maximumCached);
  const epochChanges = createEpochChangeLog(maximumCached);
  const queue = createAuthorizationQueue({ authorize, apply, log });
  const channels = createFeedChannels({
    epochChanges,
    source,
    counts,
    deliver,
    deliverTo,
    subscribersOf: (userId) => byReader.get(userId) ?? [],
    onEndMoved: setAlarm,
    onRevoked: ({ subscriber }) => queue.add(subscriber),
    onLoss: noteLoss,
    // A slice that arrived while the reader's access was unknown is a hole, which this shows.
    onHole: (subscriber, feed, seq) => void subscriber.socket.emit('feeds:heads', { feeds: { [feed]: seq } }),
  });

  /**
   * Subscribes to the authorized feeds and ends all other subscriptions. Returns the heads of the
   * new ones.
   */
  function place(subscriber: Subscriber, authorizations: readonly FeedAuthorization[]): Record<string, number> {
    const authorized = new Set(authorizations.map(({ feed }) => feed));
    for (const subscription of [...subscriber.subscriptions]) {
      if (!authorized.has(subscription.feed)) channels.end(subscription);
    }
    const heads: Record<string, number> = {};
    let isOutOfDate = false;
    for (const authorization of authorizations) {
      const outcome = placeIn(subscriber, authorization);
      if (outcome === 'subscribed') heads[authorization.feed] = authorization.seq;
      if (outcome === 'out of date') isOutOfDate = true;
    }
    if (isOutOfDate) queue.addLater(subscriber);
    setAlarm(subscriber);
    return heads;
  }

  function placeIn(
    subscriber: Subscriber,
    { feed, epoch, seq, due }: FeedAuthorization,
  ): 'subscribed' | 'renewed' | 'out of date' {
    const present = channels.find(subscriber, feed);
    const endsAt = due === null ? null : Date.parse(due);
    if (endsAt !== null && endsAt <= Date.now()) {
      // The worker's clock is behind the gateway's, by which the access has ended.
      if (present !== undefined) channels.end(present);
      return 'out of date';
    }
    const authorization = { epoch, seq, endsAt };
    if (present !== undefined) {
      if (!channels.renew(present, authorization)) return 'out of date';
      subscriber.lastFeed = present.feed;
      return 'renewed';
    }
    const subscription = channels.subscribe(subscriber, feed, authorization);
    if (subscription === null) return 'out of date';
    // The channel's copy of the name: each answer brings another one, which a socket need not keep.
    subscriber.lastFeed = subscription.feed;
    return 'subscribed';
  }

  function setAlarm(subscriber: Subscriber): void {
    let nearest: number | null = null;
    for (const { endsAt } of subscriber.subscriptions) {
      if (endsAt !== null && (nearest === null || endsAt < nearest)) nearest = endsAt;
    }
    // Most subscribers never have an end.
    if (nearest !== null) subscriber.alarm ??= createAlarm(() => endDue(subscriber));
    subscriber.alarm?.set(nearest);
  }

  function endDue(subscriber: Subscriber): void {
    const now = Date.now();
    for (const subscription of [...subscriber.subscriptions]) {
      if (subscription.endsAt !== null && subscription.endsAt <= now) channels.end(subscription);
    }
    setAlarm(subscriber);
    queue.add(subscriber);
  }

  function remove(subscriber: Subscriber): void {
    if (subscriber.isGone) return;
    subscriber.isGone = true;
    for (const subscription of [...subscriber.subscriptions]) channels.end(subscription);
    subscriber.alarm?.set(null);
    const others = byReader.get(subscriber.reader);
    others?.delete(subscriber);
    if (others?.size === 0) byReader.delete(subscriber.reader);
  }

  function add(socket: SubscriberSocket, audience: Audience, feeds: readonly FeedAuthorization[]): Subscriber {
    const subscriber: Subscriber = {
      socket,
      audience,
      reader: readerOf(audience, feeds),
      subscriptions: new Set(),
      alarm: null,
      lastFeed: feeds[0]?.feed ?? '',
      isGone: false,
    };
    const { reader } = subscriber;
    byReader.set(reader, (byReader.get(reader) ?? new Set()).add(subscriber));
    for (const feed of Object.keys(place(subscriber, feeds))) channels.advance(feed);
    // Its feeds may have been read before the reader's last change of access.
    if (reauthorized.has(reader)) queue.add(subscriber);
    return subscriber;
  }

  /**
   * Applies a worker's answer. An anonymous socket without a feed receives `unpublished` and is
   * closed (PUB5).
   */
  function apply(subscriber: Subscriber, feeds: readonly FeedAuthorization[]): void {
    if (subscriber.isGone) return;
    if (subscriber.audience.kind === 'public' && feeds.length === 0) {
      remove(subscriber);
      subscriber.socket.emit('unpublished', { feed: subscriber.lastFeed });
      subscriber.socket.disconnect(true);
      return;
    }
    const isNew = ({ feed }: FeedAuthorization) => channels.find(subscriber, feed) === undefined;
    const fresh = new Set(feeds.filter(isNew).map(({ feed }) => feed));
    const ready = channels.listen(fresh);
    // Slices from before the channel is open would be missed: the subscriber is authorized again
    // once it is.
    void ready?.then(() => queue.add(subscriber));
    const heads = place(subscriber, ready === null ? feeds : feeds.filter(({ feed }) => !fresh.has(feed)));
    // The slices after these numbers follow.
    if (Object.keys(heads).length > 0) subscriber.socket.emit('feeds:heads', { feeds: heads });
    for (const feed of Object.keys(heads)) channels.advance(feed);
    subscriber.socket.authorized?.(feeds);
  }

  function reauthorize(readers: Iterable<string>): void {
    for (const id of readers) {
      reauthorized.set(id, true);
      lookupCache.drop(id);
      for (const subscriber of byReader.get(id) ?? []) queue.add(subscriber);
    }
  }

  /** The lost slices of a user's own feed may have been about grants that they gained (EVT2). */
  function noteLoss(feed: string): void {
    const id = subjectOfFeed(feed);
    if (feed === userFeed(id)) reauthorize([id]);
  }

  function copyFeeds(user: ActingUser): UserFeeds | null {
    const lookup = lookupCache.get(user);
    return lookup && copyAuthorizations(lookup, byReader.get(user.id) ?? [], channels.copyAuthorization);
  }

  return {
    /** Adds a socket that was authorized when it connected, and was sent the heads of its feeds. */
    add,
    /** Ends all subscriptions of a socket that has left. */
    remove,
    /**
     * Opens the channels of feeds, before their reader is authorized. Null if they are open; else
     * it resolves when they are.
     */
    listen: channels.listen,
    /** The feeds of a connecting user: copied from one of their other sockets, or looked up. */
    async feedsOf(user: ActingUser, lookUp: LookUpFeeds): Promise<UserFeeds | Refusal | null> {
      // A copy would lack the slices that do not arrive, which the client may have from elsewhere.
      const isCached = source.isConnected();
      const copy = isCached ? copyFeeds(user) : null;
      feedLookups[copy === null ? 'looked_up' : 'copied']++;
      if (copy !== null) return copy;
      return isCached ? lookupCache.lookUp(user, lookUp) : lookUp();
    },
    /** Drops all cached look-ups: the bus or Redis is disconnected, so messages are lost. */
    dropFeedLookups: lookupCache.dropAll,
    /** Receives a slice; `bytes` is its length on the wire. */
    receive(slice: RawSlice, bytes: number): void {
      // Their reader gained or lost feeds; the control message may be lost.
      if (slice.access !== undefined) lookupCache.drop(subjectOfFeed(slice.feed));
      channels.receive(slice, bytes);
    },
    /**
     * Applies an epoch bump, also of a feed without subscriptions: a reader may be about to
     * subscribe.
     */
    applyBump(bump: FeedEpochBump): void {
      epochChanges.add(bump);
      channels.applyBump(bump);
    },
    /** Notes that numbers of a feed did not arrive in time. */
    noteLoss,
    /** Notes a head that was read: if no bump explains its epoch, a control message was lost. */
    noteHead: channels.noteHead,
    /**
     * Authorizes users and readers of published nodes again, on every socket here or on its way.
     */
    reauthorize,
    /** Authorizes every subscriber again: messages may have been lost. */
    reauthorizeAll(): void {
      lookupCache.dropAll();
      for (const subscribers of byReader.values()) for (const subscriber of subscribers) queue.add(subscriber);
    },
    /** The Socket.IO rooms of each feed with subscriptions. */
    served: channels.served,
    /** The number a feed delivered last, and whether it holds later ones. */
    progress: channels.progress,
    /** How many rooms have subscribers here. */
    roomCount: () => [...channels.served().values()].flat().length,
    /** How many slices are held. */
    held: channels.held,
    /** By feed, the subscribers that joined since the last call. */
    takeNewcomers: channels.takeNewcomers,
    stop(): void {
      queue.stop();
      channels.stop();
    },
  };
}

/** Applies a control message. */
export function followControl(
  subscriptions: Pick<Subscriptions, 'applyBump' | 'reauthorize'>,
  { feeds, readers, publications = [] }: ControlMessage,
): void {
  for (const bump of feeds) subscriptions.applyBump(bump);
  subscriptions.reauthorize(readers);
  subscriptions.reauthorize(publications);
}

/**
 * A token always opens the same node, but another feed of it once the publication includes or
 * leaves out the branch.
 */
function readerOf(audience: Audience, feeds: readonly FeedAuthorization[]): string {
  return audience.kind === 'user' ? audience.user.id : subjectOfFeed(feeds[0]?.feed ?? '');
}
