// A timer for a moment on the clock, however far away. Rule: ACL5.

/** The longest time that `setTimeout` takes; it would fire at once for more. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Rings once at a moment; setting it anew forgets the moment before. */
export interface Alarm {
  /** Milliseconds since 1970; null turns it off. */
  set(atMs: number | null): void;
}

export function createAlarm(ring: () => void): Alarm {
  let timer: ReturnType<typeof setTimeout> | null = null;
  const arm = (atMs: number) => {
    timer = setTimeout(
      () => {
        if (Date.now() < atMs) return arm(atMs);
        timer = null;
        ring();
      },
      Math.max(0, Math.min(atMs - Date.now(), LONGEST_TIMER_MS)),
    );
    // A gateway that ends does not wait for a grant to end.
    timer.unref();
  };
  return {
    set(atMs) {
      if (timer !== null) clearTimeout(timer);
      timer = null;
      if (atMs !== null) arm(atMs);
    },
  };
}
