// Recent epoch bumps of feeds, with the readers whose access each ended, so that other readers
// continue without a question to a worker. Rules: ACL7, EVT4.
import type { FeedEpochBump } from '@taskgraph/wire/bus/feed-messages';
import { LRUCache } from 'lru-cache';
import type { Audience } from './subscriber.ts';

/**
 * Longer than an authorization takes: an answer from before a bump must not count as the newest.
 */
const KEPT_MS = 60_000;
/** Bumps of one feed in a row; the oldest is dropped first. */
const MAXIMUM_BUMPS = 200;
/** Names of readers in the whole log: some 100 MB. */
const MAXIMUM_NAMES = 1_000_000;

/** The logged bumps of one feed, by the epoch that each starts from. */
interface FeedBumps {
  newest: number;
  readonly bumps: Map<number, FeedEpochBump>;
  names: number;
}

export interface EpochChangeLog {
  /** Adds a bump, explained or not, in any order. */
  add(bump: FeedEpochBump): void;
  /** The explained bump that starts from an epoch, if the log has it. */
  after(feed: string, epoch: number): FeedEpochBump | undefined;
  /** The feed's highest logged epoch, or 0. */
  newest(feed: string): number;
}

/** `maximumFeeds` bounds the log; beyond it the feed that was used longest ago is dropped. */
export function createEpochChangeLog(maximumFeeds: number): EpochChangeLog {
  const feeds = new LRUCache<string, FeedBumps>({
    max: maximumFeeds,
    ttl: KEPT_MS,
    maxSize: MAXIMUM_NAMES,
    sizeCalculation: ({ names }) => 1 + names,
  });

  return {
    add(bump) {
      const { feed, epoch, previous } = bump;
      const entry = feeds.get(feed) ?? { newest: 0, bumps: new Map(), names: 0 };
      entry.newest = Math.max(entry.newest, epoch);
      if (previous !== undefined && previous < epoch && !entry.bumps.has(previous)) {
        entry.bumps.set(previous, bump);
        entry.names += 1 + (bump.leaving?.length ?? 0);
      }
      const [oldest] = entry.bumps;
      if (entry.bumps.size > MAXIMUM_BUMPS && oldest !== undefined) {
        entry.bumps.delete(oldest[0]);
        entry.names -= 1 + (oldest[1].leaving?.length ?? 0);
      }
      // The cache computes the size of an entry only when it is new.
      feeds.delete(feed);
      feeds.set(feed, entry);
    },
    after: (feed, epoch) => feeds.get(feed)?.bumps.get(epoch),
    newest: (feed) => feeds.get(feed)?.newest ?? 0,
  };
}

/**
 * How a bump changes a reader's access: null if it does not name them, `due` if they may read until
 * then, else it ends now.
 */
export function removalFrom(
  { leaving = [], public: anonymous }: FeedEpochBump,
  audience: Audience,
): { readonly due?: string | undefined } | null {
  const named = audience.kind === 'public' ? anonymous : leaving.find(({ user }) => user === audience.user.id);
  // Slices held until this bump are delivered at once, before an alarm could ring for an end that
  // has passed.
  if (named?.due !== undefined && Date.parse(named.due) <= Date.now()) return {};
  return named ?? null;
}
