// How long a group waits for more commands: the callers of the group before it mostly have a next one, and one large group costs less than two.

/** The part of the last group's time that the next one waits at most. */
const PATIENCE = 0.5;
/** It waits no longer than this, milliseconds. */
const LONGEST_WAIT_MS = 25;

export interface Gathering {
  /** Tells of a group that is done: its size, how long it took, and how many commands waited then. */
  settled(group: { readonly size: number; readonly tookMs: number; readonly waiting: number }): void;
  /** Milliseconds that a group should still wait for more than those that wait now; 0 or less where it should start. */
  leftMs(waiting: number): number;
}

/** `nowMs` is a monotonic clock. */
export function createGathering(nowMs: () => number = () => performance.now()): Gathering {
  let until = 0;
  let expected = 0;
  return {
    settled({ size, tookMs, waiting }) {
      // Nobody waits for a lone caller: what it saves, it would lose.
      until = size < 2 ? 0 : nowMs() + Math.min(tookMs * PATIENCE, LONGEST_WAIT_MS);
      expected = waiting + size;
    },
    leftMs: (waiting) => (waiting >= expected ? 0 : until - nowMs()),
  };
}
