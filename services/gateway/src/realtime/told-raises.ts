// Raises of epochs that control messages told of: whom each took away, so that all others can be let on without asking. Rules: ACL7, EVT4.
import type { FeedRaise } from '@taskgraph/wire/messages';
import { LRUCache } from 'lru-cache';
import type { Subscriber } from './subscriber.ts';

/** Longer than an authorization is under way: one from before a raise must not count as the newest. */
const REMEMBERED_MS = 60_000;
const MAXIMUM_FEEDS = 10_000;
/** Raises of one feed in a row; the oldest is forgotten first. */
const MAXIMUM_RAISES = 200;
/** Names of readers in all that is remembered: some 100 MB. */
const MAXIMUM_NAMES = 1_000_000;

/** The known raises of one feed. A raise stands under the epoch that it leads away from. */
interface Known {
  newest: number;
  readonly raises: Map<number, FeedRaise>;
  names: number;
}

export interface ToldRaises {
  /** Takes in what a worker told, explained or not, in any order. */
  add(raise: FeedRaise): void;
  /** The raise that leads away from an epoch, where one is known and explained. */
  after(feed: string, epoch: number): FeedRaise | undefined;
  /** The highest epoch that was told of; 0 where none was. */
  newest(feed: string): number;
}

export function createToldRaises(): ToldRaises {
  const feeds = new LRUCache<string, Known>({
    max: MAXIMUM_FEEDS,
    ttl: REMEMBERED_MS,
    maxSize: MAXIMUM_NAMES,
    sizeCalculation: ({ names }) => 1 + names,
  });

  return {
    add(raise) {
      const { feed, epoch, previous } = raise;
      const known = feeds.get(feed) ?? { newest: 0, raises: new Map(), names: 0 };
      known.newest = Math.max(known.newest, epoch);
      if (previous !== undefined && previous < epoch && !known.raises.has(previous)) {
        known.raises.set(previous, raise);
        known.names += 1 + (raise.leaving?.length ?? 0);
      }
      const [oldest] = known.raises;
      if (known.raises.size > MAXIMUM_RAISES && oldest !== undefined) {
        known.raises.delete(oldest[0]);
        known.names -= 1 + (oldest[1].leaving?.length ?? 0);
      }
      // Anew, so that its size is counted again.
      feeds.delete(feed);
      feeds.set(feed, known);
    },
    after: (feed, epoch) => feeds.get(feed)?.raises.get(epoch),
    newest: (feed) => feeds.get(feed)?.newest ?? 0,
  };
}

/** Whether a raise names a subscriber, and until when they may stay; null where it does not. */
export function departureFrom(
  { leaving = [], public: open }: FeedRaise,
  { audience }: Subscriber,
): { due?: string | undefined } | null {
  const named = audience.kind === 'public' ? open : leaving.find(({ user }) => user === audience.user.id);
  // Slices that were held until this raise go out at once: whose end is past by now must not wait for an alarm.
  if (named?.due !== undefined && Date.parse(named.due) <= Date.now()) return {};
  return named ?? null;
}
