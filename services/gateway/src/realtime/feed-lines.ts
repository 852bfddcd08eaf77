// All feeds that this gateway serves, or is about to. A feed is listened to before its readers are authorized, so that none of its slices falls
// between the authorization and the joining, and for a while after the last of them has left. Rules: EVT1, EVT4.
import type { RawSlice } from '@taskgraph/bus/events/raw-slice';
import type { FeedRaise } from '@taskgraph/wire/messages';
import { Line } from './feed-line.ts';
import type { LineCounts, LineGround } from './line-ground.ts';
import type { Pool } from './slice-buffer.ts';
import type { Readable, Subscriber } from './subscriber.ts';
import type { ToldRaises } from './told-raises.ts';

/** A feed is listened to for so long without a reader. */
const LINGER_MS = 5_000;
/** Feeds listened to without a reader; past it those that have been so for longest are left. */
const MAXIMUM_LINGERING = 20_000;
const TICK_MS = 100;

/** The source that hands slices of feeds to this gateway. */
export interface Listening {
  /** Resolves when the feed's slices come; null where there is nothing to wait for. It does not reject. */
  subscribe(feed: string): Promise<void> | null;
  unsubscribe(feed: string): void;
}

interface Options extends Omit<LineGround, 'pool' | 'counts'> {
  readonly toldRaises: ToldRaises;
  readonly listening: Listening;
  readonly counts: LineCounts;
}

export function createLines({ listening, ...options }: Options) {
  const pool: Pool = { bytes: 0 };
  const ground: LineGround = { ...options, pool, dismissed };
  const lines = new Map<string, Line>();
  const opening = new Map<string, Promise<void>>();
  const emptySince = new Map<string, number>();
  /** Those that wait for something, or keep what they delivered. */
  const active = new Set<Line>();
  let timer: ReturnType<typeof setInterval> | null = null;

  function open(feed: string): Line {
    const present = lines.get(feed);
    if (present !== undefined) return present;
    const line = new Line(feed, ground);
    lines.set(feed, line);
    // Slices from before are missed even where there is nothing to wait for: nobody took them in here.
    const ready = listening.subscribe(feed) ?? Promise.resolve();
    const opened: Promise<void> = ready.then(() => {
      if (opening.get(feed) === opened) opening.delete(feed);
    });
    opening.set(feed, opened);
    linger(feed);
    return line;
  }

  function dismissed(subscriber: Subscriber, feed: string): void {
    if (lines.get(feed)?.size() === 0) linger(feed);
    options.dismissed(subscriber, feed);
  }

  function linger(feed: string): void {
    emptySince.delete(feed);
    emptySince.set(feed, performance.now());
    startTicking();
  }

  function startTicking(): void {
    if (timer !== null) return;
    timer = setInterval(tick, TICK_MS);
    timer.unref();
  }

  function tick(): void {
    const now = performance.now();
    for (const line of active) if (!line.tick(now)) active.delete(line);
    for (const [feed, since] of emptySince) {
      if (since + LINGER_MS > now && emptySince.size <= MAXIMUM_LINGERING) break;
      close(feed);
    }
    if (active.size > 0 || emptySince.size > 0 || timer === null) return;
    clearInterval(timer);
    timer = null;
  }

  function close(feed: string): void {
    emptySince.delete(feed);
    const line = lines.get(feed);
    // A subscriber who was authorized again may have come back at once.
    if (line === undefined || line.size() > 0) return;
    opening.delete(feed);
    line.close();
    active.delete(line);
    lines.delete(feed);
    listening.unsubscribe(feed);
  }

  function watch(line: Line): void {
    active.add(line);
    startTicking();
  }

  return {
    /** Listens to feeds from now on. Null where that was done already; else it resolves when their slices come. */
    listen(feeds: Iterable<string>): Promise<unknown> | null {
      const ready: Promise<void>[] = [];
      for (const feed of feeds) {
        const line = open(feed);
        if (line.size() === 0) linger(feed);
        const opened = opening.get(feed);
        if (opened !== undefined) ready.push(opened);
      }
      return ready.length === 0 ? null : Promise.all(ready);
    },
    /** The name of a feed as its line has it: each answer of a worker brings another copy, and a socket shall not keep one. */
    nameOf: (feed: string) => lines.get(feed)?.feed ?? feed,
    has: (subscriber: Subscriber, feed: string) => lines.get(feed)?.has(subscriber) === true,
    /**
     * Puts a subscriber into the line; it hears nothing before `advance`. False where the authorization is older than what is known here, or
     * nobody has listened to the feed since.
     */
    join(subscriber: Subscriber, authorized: Readable): boolean {
      const line = lines.get(authorized.feed);
      if (line === undefined) return false;
      const isJoined = line.join(subscriber, authorized);
      if (isJoined) emptySince.delete(authorized.feed);
      watch(line);
      return isJoined;
    },
    leave(subscriber: Subscriber, feed: string): void {
      const line = lines.get(feed);
      if (line?.has(subscriber) !== true) return;
      line.leave(subscriber);
      if (line.size() === 0) linger(feed);
    },
    authorize(subscriber: Subscriber, authorized: Readable): boolean {
      const line = lines.get(authorized.feed);
      if (line === undefined) return false;
      watch(line);
      return line.authorize(subscriber, authorized);
    },
    advance: (feed: string) => lines.get(feed)?.advance(performance.now()),
    take(slice: RawSlice, bytes: number): void {
      const line = lines.get(slice.feed);
      if (line === undefined) return;
      line.take({ slice, bytes, atMs: performance.now() });
      watch(line);
    },
    /** Takes in what a worker told of a raised epoch; where it does not say who leaves, all subscribers are authorized anew. */
    raise(raise: FeedRaise): void {
      const line = lines.get(raise.feed);
      if (line === undefined) return;
      if (raise.previous === undefined) line.giveUp(raise.epoch);
      line.suspect(raise.epoch);
      line.explained(performance.now());
      watch(line);
    },
    /** Takes in that a feed has an epoch; if nobody explains it, its subscribers are authorized anew. */
    suspect(feed: string, epoch: number): void {
      const line = lines.get(feed);
      if (line === undefined) return;
      line.suspect(epoch);
      watch(line);
    },
    /** The names of each feed's rooms here. */
    served(): Map<string, string[]> {
      return new Map([...lines].filter(([, line]) => line.size() > 0).map(([feed, line]) => [feed, line.rooms()]));
    },
    /** Where a feed stands here: the number that was delivered last, and whether later ones wait; null where nobody reads it. */
    progress(feed: string): { readonly delivered: number; readonly isHolding: boolean } | null {
      const line = lines.get(feed);
      if (line === undefined || line.size() === 0) return null;
      return { delivered: line.delivered(), isHolding: line.waiting() > 0 };
    },
    /** Slices that wait here. */
    held(): number {
      let held = 0;
      for (const line of active) held += line.waiting();
      return held;
    },
    stop(): void {
      if (timer !== null) clearInterval(timer);
      timer = null;
    },
  };
}
