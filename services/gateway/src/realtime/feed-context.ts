// The dependencies that all feed channels of a gateway share.
import type { RawSlice } from '@taskgraph/bus/events/raw-slice';
import type { EpochChangeLog } from './epoch-change-log.ts';
import type { BufferPool } from './slice-buffer.ts';
import type { Subscriber, Subscription } from './subscription.ts';

export interface FeedCounts {
  /** Numbers that a channel stopped waiting for. */
  skipped: number;
  /**
   * Epochs that no control message explained in time, so that all subscribers were authorized
   * again.
   */
  unexplained: number;
}

/** How the feeds of connecting users were found. */
export interface FeedLookupCounts {
  /** From another socket of the user. */
  copied: number;
  /** By a worker. */
  looked_up: number;
}

export interface FeedContext {
  readonly epochChanges: EpochChangeLog;
  readonly pool: BufferPool;
  readonly counts: FeedCounts;
  /** Publishes a slice to the rooms of this gateway. */
  readonly deliver: (slice: RawSlice, to: { readonly users: boolean; readonly public: boolean }) => void;
  /** Sends a slice to one subscriber. */
  readonly deliverTo: (subscriber: Subscriber, slice: RawSlice) => void;
  readonly subscribersOf: (userId: string) => Iterable<Subscriber>;
  /** Called after a bump brought the end of one of its subscriptions forward. */
  readonly onEndMoved: (subscriber: Subscriber) => void;
  /** Called after the channel ended a subscription: its subscriber has to be authorized again. */
  readonly onRevoked: (subscription: Subscription) => void;
  /** Called if numbers of a feed did not arrive in time. */
  readonly onLoss: (feed: string) => void;
  /** Called if the subscriber misses numbers up to `seq`. */
  readonly onHole: (subscriber: Subscriber, feed: string, seq: number) => void;
}
