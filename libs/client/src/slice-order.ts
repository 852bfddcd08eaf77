// Delivers the slices of each feed in the order of their numbers, and reports gaps that remain.
// Rule: EVT1; docs/design/access-and-feeds.md.
import type { Actor, Ids } from '@taskgraph/wire/public-types';

/** One changed entity: `before` and `after` hold the changed fields, or all of them. */
export interface DiffEntry {
  readonly op: number;
  readonly before: Readonly<Record<string, unknown>>;
  readonly after: Readonly<Record<string, unknown>>;
}

/**
 * The part of a batch's diff that all readers of one feed may see. Anonymous readers receive
 * neither actor nor grants.
 */
export interface Slice {
  /** Null if nothing changed. */
  readonly batchId: string | null;
  readonly ts: string;
  readonly nodes: readonly DiffEntry[];
  readonly links: readonly DiffEntry[];
  readonly actor?: Actor;
  readonly access?: readonly DiffEntry[];
  /** Links that stay in the trash although their node was restored. */
  readonly skipped?: readonly string[];
  readonly feed: string;
  readonly seq: number;
  /** Ids that joined the feed or left it without an entry for it (EVT2). */
  readonly joined?: Ids;
  readonly left?: Ids;
  /** Too many ids joined or left to be listed: fetch the feed again. */
  readonly reset?: true;
}

/**
 * Missing numbers of a feed, both included: fetch the state again. `from` is 1 if the whole feed is
 * new.
 */
export interface Gap {
  readonly feed: string;
  readonly from: number;
  readonly to: number;
}

interface SliceOrderOptions {
  deliver(slice: Slice): void;
  onGap(gap: Gap): void;
  /**
   * Receives a slice that waits behind a gap, or that arrives after its number was skipped. It may
   * contain removals, which must not wait.
   */
  onWaiting?(slice: Slice): void;
  /** Milliseconds until a gap is reported: slices of several gateways may overtake each other. */
  gapWaitMs?: () => number;
}

/** Receives slices in the order of their arrival. */
export interface SliceOrder {
  /** Sets the heads of the feeds after connecting. The numbers since the last slice are a gap. */
  start(heads: Readonly<Record<string, number>>): void;
  take(slice: Slice): void;
  /**
   * Sets the current heads. Slices up to them that do not arrive in time are a gap, even if none
   * follows.
   */
  announce(heads: Readonly<Record<string, number>>): void;
  /**
   * Marks all numbers up to these as known, since the state was fetched. Reports no gap before
   * them.
   */
  reach(heads: Readonly<Record<string, number>>): void;
  /**
   * Sets these as the last numbers, even below the known ones: the database was restored, or the
   * feed starts again.
   */
  rewind(heads: Readonly<Record<string, number>>): void;
  /** Forgets a feed that is no longer read. */
  forget(feed: string): void;
  stop(): void;
}

/** Slices of one feed that may wait behind a gap. One more reports the gap at once. */
const MAXIMUM_WAITING = 1_000;
const GAP_WAIT_MS = 300;
const GAP_JITTER_MS = 200;

interface FeedState {
  next: number;
  /** The highest number that the service has announced. Slices up to it may still arrive. */
  announced: number;
  readonly waiting: Map<number, Slice>;
  /** Numbers that were skipped without their slices. */
  skipped: { readonly from: number; readonly to: number } | null;
  timer: ReturnType<typeof setTimeout> | null;
}

export function createSliceOrder(options: SliceOrderOptions): SliceOrder {
  const { gapWaitMs = () => GAP_WAIT_MS + Math.random() * GAP_JITTER_MS } = options;
  const feeds = new Map<string, FeedState>();
  let isStarted = false;

  function createState(feed: string, next: number): FeedState {
    const state: FeedState = { next, announced: 0, waiting: new Map(), skipped: null, timer: null };
    feeds.set(feed, state);
    return state;
  }

  /**
   * The state of a feed. For a feed that is gained later, the slices before the first one are a
   * gap.
   */
  function stateOf(feed: string, next: number): FeedState {
    const known = feeds.get(feed);
    if (known !== undefined) return known;
    const state = createState(feed, next);
    if (isStarted && next > 1) options.onGap({ feed, from: 1, to: next - 1 });
    return state;
  }

  function deliverReady(feed: string, state: FeedState): void {
    for (let slice = state.waiting.get(state.next); slice !== undefined; slice = state.waiting.get(state.next)) {
      state.waiting.delete(state.next++);
      // The service sends a marker in place of a slice that is too long for the bus.
      if ((slice as { truncated?: boolean }).truncated === true)
        options.onGap({ feed, from: slice.seq, to: slice.seq });
      else options.deliver(slice);
    }
    if (state.timer !== null) clearTimeout(state.timer);
    const complete = state.waiting.size === 0 && state.announced < state.next;
    state.timer = complete ? null : setTimeout(() => skipGap(feed, state), gapWaitMs());
  }

  /** Skips the numbers up to this one. Their slices still go to `onWaiting` if they arrive. */
  function skipTo(state: FeedState, to: number): void {
    state.skipped = { from: state.skipped?.from ?? state.next, to };
    state.next = to + 1;
  }

  function skipGap(feed: string, state: FeedState): void {
    // If the newest slices are missing, none waits.
    const to = (state.waiting.size > 0 ? Math.min(...state.waiting.keys()) : state.announced + 1) - 1;
    const gap = { feed, from: state.next, to };
    skipTo(state, to);
    options.onGap(gap);
    deliverReady(feed, state);
  }

  function dropWaiting({ waiting }: FeedState, head: number): void {
    for (const seq of waiting.keys()) if (seq <= head) waiting.delete(seq);
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
        dropWaiting(state, head);
        state.next = head + 1;
        options.onGap(gap);
        deliverReady(feed, state);
      }
      isStarted = true;
    },
    take(slice) {
      const state = stateOf(slice.feed, slice.seq);
      if (slice.seq < state.next) {
        const { from, to } = state.skipped ?? { from: 0, to: -1 };
        if (slice.seq >= from && slice.seq <= to) options.onWaiting?.(slice);
        return;
      }
      state.waiting.set(slice.seq, slice);
      if (slice.seq > state.next) options.onWaiting?.(slice);
      if (slice.seq === state.next) deliverReady(slice.feed, state);
      else if (state.waiting.size >= MAXIMUM_WAITING) skipGap(slice.feed, state);
      else state.timer ??= setTimeout(() => skipGap(slice.feed, state), gapWaitMs());
    },
    announce(heads) {
      for (const [feed, head] of Object.entries(heads)) {
        const state = stateOf(feed, head + 1);
        state.announced = Math.max(state.announced, head);
        if (state.next <= head) state.timer ??= setTimeout(() => skipGap(feed, state), gapWaitMs());
      }
    },
    reach(heads) {
      for (const [feed, head] of Object.entries(heads)) {
        const state = feeds.get(feed);
        if (state === undefined) createState(feed, head + 1);
        else if (state.next <= head) {
          dropWaiting(state, head);
          skipTo(state, head);
          deliverReady(feed, state);
        }
      }
    },
    rewind(heads) {
      for (const [feed, head] of Object.entries(heads)) {
        forget(feed);
        createState(feed, head + 1);
      }
    },
    forget,
    stop() {
      for (const { timer } of feeds.values()) if (timer !== null) clearTimeout(timer);
      feeds.clear();
    },
  };
}
