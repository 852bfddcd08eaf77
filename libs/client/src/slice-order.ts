// Puts slices into the order of their feed's numbers, and tells of holes that stay. Rules: EVT1; see docs/design/access-and-feeds.md.
import type { Actor, Ids } from '@taskgraph/wire/public-types';

/** One changed entity: `before` and `after` hold the changed fields, or all of them. */
export interface DiffEntry {
  readonly op: number;
  readonly before: Readonly<Record<string, unknown>>;
  readonly after: Readonly<Record<string, unknown>>;
}

/** A part of a batch's diff, cut for one feed and numbered in it. An anonymous reader is not told who did it, nor of grants. */
export interface Slice {
  /** Null where nothing changed. */
  readonly batchId: string | null;
  readonly ts: string;
  readonly nodes: readonly DiffEntry[];
  readonly links: readonly DiffEntry[];
  readonly actor?: Actor;
  readonly access?: readonly DiffEntry[];
  /** Links that stay in the trash though their node came back. */
  readonly skipped?: readonly string[];
  readonly feed: string;
  readonly seq: number;
  /** Ids that came to the feed or left it without an entry that says so (EVT2). */
  readonly joined?: Ids;
  readonly left?: Ids;
  /** Too many came or left to be named: the feed has to be fetched again. */
  readonly reset?: true;
}

/** Numbers (both included) of a feed that did not arrive: the state has to be fetched again. From 1 where the whole feed is new. */
export interface Gap {
  readonly feed: string;
  readonly from: number;
  readonly to: number;
}

interface Options {
  deliver(slice: Slice): void;
  onGap(gap: Gap): void;
  /**
   * Told of a slice that has to wait behind a hole, or comes after its number was passed over because the state is being fetched: it may say
   * what its reader has lost, which must not wait.
   */
  onWaiting?(slice: Slice): void;
  /** Milliseconds that a hole may last: slices may cross on their way through several gateways. */
  holeWaitMs?: () => number;
}

/** Takes slices as they come. */
export interface SliceOrder {
  /** Tells where the feeds are, after connecting: what came between the last slice and this is a gap. */
  start(heads: Readonly<Record<string, number>>): void;
  take(slice: Slice): void;
  /** Tells how far the feeds are: what does not arrive in time after that is a gap, even where nothing follows it. */
  announce(heads: Readonly<Record<string, number>>): void;
  /** Takes all up to these numbers as known, since the state was fetched: no hole before them is told of any more. */
  reach(heads: Readonly<Record<string, number>>): void;
  /** Takes these numbers for the last ones, also where later ones were heard: the service has gone back, or the feed begins anew. */
  rewind(heads: Readonly<Record<string, number>>): void;
  /** Forgets a feed that is not read any more. */
  forget(feed: string): void;
  stop(): void;
}

/** Slices of one feed that may wait behind a hole; past it the hole is given up at once. */
const MAXIMUM_WAITING = 1_000;
const HOLE_WAIT_MS = 300;
const HOLE_JITTER_MS = 200;

interface FeedState {
  next: number;
  /** The highest number that the service has told of; slices up to it may still be on their way. */
  announced: number;
  readonly waiting: Map<number, Slice>;
  /** Numbers that were passed over without their slices. */
  passed: { readonly from: number; readonly to: number } | null;
  timer: ReturnType<typeof setTimeout> | null;
}

export function createSliceOrder(options: Options): SliceOrder {
  const { holeWaitMs = () => HOLE_WAIT_MS + Math.random() * HOLE_JITTER_MS } = options;
  const feeds = new Map<string, FeedState>();
  let isStarted = false;

  /** The state of a feed. Slices before the first that is heard are a gap, unless that is what the caller starts with. */
  function stateOf(feed: string, next: number): FeedState {
    const known = feeds.get(feed);
    if (known !== undefined) return known;
    const state: FeedState = { next, announced: 0, waiting: new Map(), passed: null, timer: null };
    feeds.set(feed, state);
    if (isStarted && next > 1) options.onGap({ feed, from: 1, to: next - 1 });
    return state;
  }

  function deliverReady(feed: string, state: FeedState): void {
    for (let slice = state.waiting.get(state.next); slice !== undefined; slice = state.waiting.get(state.next)) {
      state.waiting.delete(state.next++);
      // Too long for the bus: the service sends a marker in its place, and its content has to be fetched.
      if ((slice as { truncated?: boolean }).truncated === true)
        options.onGap({ feed, from: slice.seq, to: slice.seq });
      else options.deliver(slice);
    }
    if (state.timer !== null) clearTimeout(state.timer);
    const complete = state.waiting.size === 0 && state.announced < state.next;
    state.timer = complete ? null : setTimeout(() => skipHole(feed, state), holeWaitMs());
  }

  /** Slices up to a number count as late from now on; those between that came in time may be told of again. */
  function passOver(state: FeedState, to: number): void {
    state.passed = { from: state.passed?.from ?? state.next, to };
  }

  function skipHole(feed: string, state: FeedState): void {
    // Nothing waits where the newest slices themselves are missing.
    const first = state.waiting.size > 0 ? Math.min(...state.waiting.keys()) : state.announced + 1;
    const gap = { feed, from: state.next, to: first - 1 };
    passOver(state, first - 1);
    state.next = first;
    options.onGap(gap);
    deliverReady(feed, state);
  }

  function forget(feed: string): void {
    const timer = feeds.get(feed)?.timer ?? null;
    if (timer !== null) clearTimeout(timer);
    feeds.delete(feed);
  }

  return {
    start(heads) {
      for (const [feed, head] of Object.entries(heads)) {
        const state = stateOf(feed, head + 1);
        if (state.next > head) continue;
        const gap = { feed, from: state.next, to: head };
        for (const seq of state.waiting.keys()) if (seq <= head) state.waiting.delete(seq);
        state.next = head + 1;
        options.onGap(gap);
        deliverReady(feed, state);
      }
      isStarted = true;
    },
    take(slice) {
      const state = stateOf(slice.feed, slice.seq);
      if (slice.seq < state.next) {
        const { from, to } = state.passed ?? { from: 0, to: -1 };
        if (slice.seq >= from && slice.seq <= to) options.onWaiting?.(slice);
        return;
      }
      state.waiting.set(slice.seq, slice);
      if (slice.seq > state.next) options.onWaiting?.(slice);
      if (slice.seq === state.next) deliverReady(slice.feed, state);
      else if (state.waiting.size >= MAXIMUM_WAITING) skipHole(slice.feed, state);
      else state.timer ??= setTimeout(() => skipHole(slice.feed, state), holeWaitMs());
    },
    announce(heads) {
      for (const [feed, head] of Object.entries(heads)) {
        const state = stateOf(feed, head + 1);
        state.announced = Math.max(state.announced, head);
        if (state.next <= head) state.timer ??= setTimeout(() => skipHole(feed, state), holeWaitMs());
      }
    },
    reach(heads) {
      for (const [feed, head] of Object.entries(heads)) {
        const state = feeds.get(feed);
        if (state === undefined)
          feeds.set(feed, { next: head + 1, announced: 0, waiting: new Map(), passed: null, timer: null });
        else if (state.next <= head) {
          for (const seq of state.waiting.keys()) if (seq <= head) state.waiting.delete(seq);
          passOver(state, head);
          state.next = head + 1;
          deliverReady(feed, state);
        }
      }
    },
    rewind(heads) {
      for (const [feed, head] of Object.entries(heads)) {
        forget(feed);
        feeds.set(feed, { next: head + 1, announced: 0, waiting: new Map(), passed: null, timer: null });
      }
    },
    forget,
    stop() {
      for (const { timer } of feeds.values()) if (timer !== null) clearTimeout(timer);
      feeds.clear();
    },
  };
}
