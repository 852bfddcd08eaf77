// The time that a group waits for more commands. Callers of the last group often send a next
// command, and one large group costs less than two.

/** The longest wait, as a share of the last group's duration. */
const PATIENCE = 0.5;
/** The longest wait in any case, milliseconds. */
const LONGEST_WAIT_MS = 25;

export interface GroupDelay {
  /** Records a committed group: its size, its duration, and the commands that waited at its end. */
  record(group: { readonly size: number; readonly tookMs: number; readonly waiting: number }): void;
  /** Milliseconds that the next group should still wait; 0 or less if it should start. */
  leftMs(waiting: number): number;
}

/** `nowMs` is a monotonic clock. */
export function createGroupDelay(nowMs: () => number = () => performance.now()): GroupDelay {
  let until = 0;
  let expected = 0;
  return {
    record({ size, tookMs, waiting }) {
      // A single caller would lose as much time as it saves.
      until = size < 2 ? 0 : nowMs() + Math.min(tookMs * PATIENCE, LONGEST_WAIT_MS);
      expected = waiting + size;
    },
    leftMs: (waiting) => (waiting >= expected ? 0 : until - nowMs()),
  };
}
