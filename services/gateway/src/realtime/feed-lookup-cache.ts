// The look-ups of the feeds of users who connected in the last 5 s. A further socket of a user may
// start from one, as a copy of another socket's subscriptions (subscription-copy.ts). Rules: ACL7,
// EVT1, EVT5.
//
// A message that names the user, or a loss of messages, drops the user's look-up, even one in
// flight. So a cached look-up has every feed that the user had gained before the last such message.
import type { ActingUser } from '@taskgraph/wire/actor';
import { isRefusal, type Refusal } from '@taskgraph/wire/errors';
import { LRUCache } from 'lru-cache';
import type { UserFeeds } from './subscriber.ts';

/** Counted from the start of the look-up. It bounds how long a lost message matters. */
export const CACHE_MS = 5_000;
/**
 * For how long look-ups are not used after a loss of messages: other services may reconnect that
 * much later, and lose messages until then.
 */
export const PAUSE_MS = 2_000;
/** Feeds of all look-ups: some 50 MB with the positions, whose length grows with their feeds. */
const MAXIMUM_FEEDS = 200_000;

interface CachedLookup {
  readonly email: string;
  readonly feeds: UserFeeds;
  readonly startedMs: number;
}

/** A look-up in flight. */
interface PendingLookup {
  isOutdated: boolean;
}

export type LookUpFeeds = () => Promise<UserFeeds | Refusal | null>;

/** `maximumUsers` bounds the cache; beyond it the look-up that was used longest ago is dropped. */
export function createFeedLookupCache(maximumUsers: number) {
  const lookups = new LRUCache<string, CachedLookup>({
    max: maximumUsers,
    maxSize: MAXIMUM_FEEDS,
    sizeCalculation: ({ feeds }) => 1 + feeds.feeds.length,
    ttl: CACHE_MS,
    // A gateway at rest caches nothing.
    ttlAutopurge: true,
    // The present clock, which may be that of a test.
    perf: performance,
  });
  /** By user; bounded by the sockets that connect. */
  const pending = new Map<string, Set<PendingLookup>>();
  /** Look-ups that started up to this time are not used. */
  let droppedUntilMs = Number.NEGATIVE_INFINITY;

  function begin(id: string): PendingLookup {
    const lookup: PendingLookup = { isOutdated: false };
    pending.set(id, (pending.get(id) ?? new Set()).add(lookup));
    return lookup;
  }

  function end(id: string, lookup: PendingLookup): void {
    const others = pending.get(id);
    others?.delete(lookup);
    if (others?.size === 0) pending.delete(id);
  }

  return {
    /** The user's feeds from a recent look-up; null if there is none. */
    get({ id, email }: ActingUser): UserFeeds | null {
      const lookup = lookups.get(id);
      if (lookup === undefined || lookup.email !== email || lookup.startedMs <= droppedUntilMs) return null;
      return lookup.startedMs + CACHE_MS > performance.now() ? lookup.feeds : null;
    },
    /** Looks up, and caches the answer. */
    async lookUp({ id, email }: ActingUser, lookUp: LookUpFeeds): Promise<UserFeeds | Refusal | null> {
      const startedMs = performance.now();
      const lookup = begin(id);
      try {
        const feeds = await lookUp();
        if (feeds === null || isRefusal(feeds)) return feeds;
        if (!lookup.isOutdated) lookups.set(id, { email, feeds, startedMs });
        return feeds;
      } finally {
        end(id, lookup);
      }
    },
    /** Drops the look-up of a user, whose access may have changed. */
    drop(id: string): void {
      lookups.delete(id);
      for (const lookup of pending.get(id) ?? []) lookup.isOutdated = true;
    },
    /** Drops all look-ups, and those that start within `PAUSE_MS`: messages may be lost. */
    dropAll(): void {
      droppedUntilMs = performance.now() + PAUSE_MS;
    },
    /** How many look-ups are cached. */
    size: () => lookups.size,
  };
}
