// A socket with the feeds that it reads.
import type { ActingUser, ReaderFeed } from '@taskgraph/wire/messages';
import type { Alarm } from './clock-timer.ts';

/** A socket, as far as rooms need it. */
export interface RoomSocket {
  join(room: string): unknown;
  leave(room: string): unknown;
  emit(event: string, body: unknown): unknown;
  disconnect(close: boolean): unknown;
}

/** For whom a socket reads: a user, or whoever has a public token (PUB3). */
export type Audience =
  | { readonly kind: 'user'; readonly user: ActingUser }
  | { readonly kind: 'public'; readonly token: string };

/** A feed that a socket may read, as a worker authorized it. */
export type Readable = Pick<ReaderFeed, 'feed' | 'epoch' | 'seq' | 'due'>;

/** A socket with the feeds that it hears. */
export interface Subscriber {
  readonly socket: RoomSocket;
  readonly audience: Audience;
  /** By what control messages name it: the user's id, or that of the published node. */
  readonly reader: string;
  /** The feeds in whose lines it stands, each with when its access ends by the clock, in milliseconds since 1970, or null. */
  readonly feeds: Map<string, number | null>;
  /** Rings at the first of these ends; null as long as there was none. */
  alarm: Alarm | null;
  /** The feed that it was last authorized to read; what an anonymous socket is told when it can read no longer. */
  lastFeed: string;
  /** Whether it has left for good. */
  gone: boolean;
}

/** The room of this gateway in which a socket hears a feed. Those without an account hear the stripped slices, in a room of their own (PUB4). */
export function roomOf(audience: Audience['kind'], feed: string): string {
  return audience === 'public' ? `public/${feed}` : feed;
}
