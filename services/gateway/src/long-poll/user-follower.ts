// Follows one user's feeds in this gateway, for all waiting calls of the user. It subscribes like a
// socket, and uses only the numbers of slices. A higher number wakes the calls, and each call reads
// with the rights of its own caller. Rule: LONG1.
import type { FeedAuthorization, SubscriberSocket } from '../realtime/subscriber.ts';
import type { Subscriber } from '../realtime/subscription.ts';

/**
 * The pause between a change and the reads that it causes, because changes often come in groups.
 */
const WAKE_MS = 100;

/** Numbers by feed, as in answers. */
export type Heads = Readonly<Record<string, number>>;

/** The followers whose subscriptions are live, by feed. */
export type FollowersByFeed = Map<string, Set<UserFollower>>;

/** A class, because a gateway has one instance for each user with waiting calls. */
export class UserFollower implements SubscriberSocket {
  readonly #live: FollowersByFeed;
  /** The highest known number of each feed that the user may read. */
  readonly #numbers: Map<string, number>;
  /** The calls, each represented by the function that wakes it. */
  readonly #calls = new Set<() => void>();
  /** The calls that the timer wakes. */
  readonly #due = new Set<() => void>();
  #version = 0;
  #timer: NodeJS.Timeout | null = null;
  /** Set once by the module that creates the follower, after it has subscribed. */
  subscriber: Subscriber | null = null;

  constructor(live: FollowersByFeed, feeds: readonly FeedAuthorization[]) {
    this.#live = live;
    this.#numbers = new Map(feeds.map(({ feed, seq }) => [feed, seq]));
  }

  /** Grows whenever the follower learns of a change. */
  get version(): number {
    return this.#version;
  }

  /** The number of calls. */
  get size(): number {
    return this.#calls.size;
  }

  add(wake: () => void): void {
    this.#calls.add(wake);
  }

  delete(wake: () => void): void {
    this.#calls.delete(wake);
    this.#due.delete(wake);
  }

  /**
   * Compares the heads of a call's answer with the known numbers. Adopts higher heads, which wake
   * the other calls. Returns whether the answer contains every known change of the feeds and of the
   * access to them.
   */
  isCoveredBy(heads: Heads, reader: () => void): boolean {
    let isCovered = this.#numbers.size === Object.keys(heads).length;
    for (const [feed, seq] of this.#numbers) if ((heads[feed] ?? -1) < seq) isCovered = false;
    for (const [feed, seq] of Object.entries(heads)) if (this.#numbers.has(feed)) this.noteNumber(feed, seq, reader);
    return isCovered;
  }

  /** Wakes the calls if the feed has moved, except the one that reported the number. */
  noteNumber(feed: string, seq: number, reader: (() => void) | null = null): void {
    if ((this.#numbers.get(feed) ?? -1) >= seq) return;
    this.#numbers.set(feed, seq);
    this.#wakeAll(reader);
  }

  /** Wakes one call after the pause. */
  wakeSoon(wake: () => void): void {
    this.#due.add(wake);
    this.#timer ??= setTimeout(() => {
      this.#timer = null;
      const due = [...this.#due];
      this.#due.clear();
      for (const each of due) each();
    }, WAKE_MS).unref();
  }

  /** Takes the user's feeds from a worker. They show gained and lost access, and missed slices. */
  authorized(feeds: readonly FeedAuthorization[]): void {
    const present = new Set(feeds.map(({ feed }) => feed));
    for (const feed of this.#numbers.keys()) {
      if (present.has(feed)) continue;
      this.#numbers.delete(feed);
      this.#wakeAll(null);
    }
    for (const { feed, seq } of feeds) this.noteNumber(feed, seq);
  }

  emit(event: string, body: unknown): void {
    if (event !== 'feeds:heads') return;
    const { feeds } = body as { readonly feeds: Heads };
    for (const [feed, seq] of Object.entries(feeds)) this.noteNumber(feed, seq);
  }

  join(feed: string): void {
    const others = this.#live.get(feed);
    if (others === undefined) this.#live.set(feed, new Set([this]));
    else others.add(this);
  }

  leave(feed: string): void {
    const others = this.#live.get(feed);
    others?.delete(this);
    if (others?.size === 0) this.#live.delete(feed);
  }

  /** Only the sockets of anonymous readers are disconnected. */
  disconnect(): void {}

  close(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }

  #wakeAll(except: (() => void) | null): void {
    this.#version++;
    for (const wake of this.#calls) if (wake !== except) this.wakeSoon(wake);
  }
}
