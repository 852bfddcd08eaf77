// The parts of a gateway that the lines of its feeds work with.
import type { RawSlice } from '@taskgraph/bus/events/raw-slice';
import type { Pool } from './slice-buffer.ts';
import type { Subscriber } from './subscriber.ts';
import type { ToldRaises } from './told-raises.ts';

export interface LineCounts {
  /** Numbers that were given up. */
  skipped: number;
  /** Times in which all subscribers of a feed had to be authorized, as an epoch was not explained. */
  unexplained: number;
}

export interface LineGround {
  readonly toldRaises: ToldRaises;
  readonly pool: Pool;
  readonly counts: LineCounts;
  /** Hands a slice to the rooms of this gateway. */
  readonly deliver: (slice: RawSlice, to: { readonly users: boolean; readonly public: boolean }) => void;
  /** Hands a slice to one subscriber. */
  readonly deliverTo: (subscriber: Subscriber, slice: RawSlice) => void;
  readonly subscribersOf: (userId: string) => Iterable<Subscriber>;
  /** Access ends at this moment, or before. */
  readonly endAt: (subscriber: Subscriber, feed: string, due: string) => void;
  /** The subscriber stands in the line no longer, and has to be authorized. */
  readonly dismissed: (subscriber: Subscriber, feed: string) => void;
  /** The subscriber goes on behind a hole. */
  readonly resumed: (subscriber: Subscriber, feed: string, seq: number) => void;
}
