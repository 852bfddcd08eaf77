// A socket's entitlement to one feed: up to which epoch, until when, and whether it receives slices
// yet. Rules: ACL5, ACL7.
import type { Alarm } from './clock-timer.ts';
import type { Audience, SubscriberSocket } from './subscriber.ts';

/** A socket with its subscriptions. */
export interface Subscriber {
  readonly socket: SubscriberSocket;
  readonly audience: Audience;
  /** The id by which control messages name the reader: the user's, or the published node's. */
  readonly reader: string;
  /** The subscriptions that have not ended. Only their channels add and remove them. */
  readonly subscriptions: Set<Subscription>;
  /** Rings at the first end of a subscription; null if none ever had an end. */
  alarm: Alarm | null;
  /** The feed authorized last; `unpublished` names it when an anonymous reader loses access. */
  lastFeed: string;
  /** Whether the socket has left for good. */
  isGone: boolean;
}

/** One answer of a worker about one feed. It proves access at `epoch` alone. */
export interface Authorization {
  readonly epoch: number;
  /** The feed's head at that time: the reader's state contains every number up to it. */
  readonly seq: number;
  /** When access ends by the clock, in milliseconds since 1970; null without an end. */
  readonly endsAt: number | null;
}

/** A feed's epoch, and the number given out last. */
export type FeedHead = Pick<Authorization, 'epoch' | 'seq'>;

/**
 * - `joining`: outside the room until the channel has delivered `head`, which the reader's state
 *   already contains.
 * - `live`: in the room; every delivery reaches it.
 * - `ended`: outside the room and the channel.
 */
export type SubscriptionState =
  | { readonly kind: 'joining'; readonly head: number }
  | { readonly kind: 'live' }
  | { readonly kind: 'ended' };

/** Owned by its channel, the only writer of these fields. */
export interface Subscription {
  readonly subscriber: Subscriber;
  readonly feed: string;
  /** Access is proven up to this epoch, or up to the channel's where that is higher. */
  verifiedEpoch: number;
  endsAt: number | null;
  /**
   * A later authorization that no bump connects with `verifiedEpoch`. If the channel gives up, the
   * subscription restarts from it.
   */
  renewal: FeedHead | null;
  state: SubscriptionState;
}

/** Shared by all subscriptions, since a gateway holds tens of thousands. */
export const LIVE: SubscriptionState = { kind: 'live' };
export const ENDED: SubscriptionState = { kind: 'ended' };

export function earlierEnd(one: number | null, other: number): number {
  return one === null ? other : Math.min(one, other);
}
