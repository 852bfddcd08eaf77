// A socket with the feeds that it reads.
import type { ActingUser, ReaderFeed } from '@taskgraph/wire/messages';
import type { Alarm } from './alarm.ts';

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

/** A feed that a socket may read, as a worker judged it. */
export type Readable = Pick<ReaderFeed, 'feed' | 'epoch' | 'seq' | 'due'>;

/** A socket with the rooms that it is in. */
export interface Member {
  readonly socket: RoomSocket;
  readonly audience: Audience;
  /** The epoch of each feed whose room it is in. */
  readonly epochs: Map<string, number>;
  /** When its access to a feed ends by the clock, in milliseconds since 1970. */
  readonly ends: Map<string, number>;
  /** Rings at the first of these ends. */
  readonly alarm: Alarm;
  /** The feed that it was last judged to read; what an anonymous socket is told when it can read no longer. */
  lastFeed: string;
  /** Whether it has left for good. */
  gone: boolean;
}
