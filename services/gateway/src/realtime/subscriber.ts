// The reader behind a socket, and what a worker's answer says of their access.
import type { ActingUser } from '@taskgraph/wire/actor';
import type { ReaderFeed } from '@taskgraph/wire/bus/gateway-reads';

/** The part of a Socket.IO socket that subscriptions use. Waiting calls have one of their own. */
export interface SubscriberSocket {
  /** Receives each later answer of a worker about the reader's feeds. A Socket.IO socket has none. */
  authorized?(feeds: readonly FeedAuthorization[]): void;
  join(room: string): unknown;
  leave(room: string): unknown;
  emit(event: string, body: unknown): unknown;
  disconnect(close: boolean): unknown;
}

/** The reader behind a socket: a user, or an anonymous holder of a public token (PUB3). */
export type Audience =
  | { readonly kind: 'user'; readonly user: ActingUser }
  | { readonly kind: 'public'; readonly token: string };

/**
 * A feed that a reader may read, as a worker answered: its epoch and head at that time, and the end
 * of the access.
 */
export type FeedAuthorization = Pick<ReaderFeed, 'feed' | 'epoch' | 'seq' | 'due'>;

/** The feeds of a user, with a signed position for `changes:get` (EVT2). */
export interface UserFeeds {
  readonly feeds: readonly FeedAuthorization[];
  readonly position: string;
  /** Present if the user has more grants than are shown (ACL11). */
  readonly truncated?: true | undefined;
}

/**
 * The Socket.IO room of a feed. Anonymous readers have a room of their own, which gets stripped
 * slices (PUB4).
 */
export function roomOf(audience: Audience['kind'], feed: string): string {
  return audience === 'public' ? `public/${feed}` : feed;
}
