// A timer for a time of day, however far away. Rule: ACL5.

/** The longest time that `setTimeout` takes; it would fire at once for more. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Rings once; setting it again replaces the time before. */
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
    // A stopping gateway does not wait for the end of a grant.
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
