// Counts what is being worked on, so that a stopping gateway can wait for it.

/** A counter of work under way. */
export interface InFlight {
  /** Counts one more; the function given back ends it, and only its first call counts. */
  begin(): () => void;
  /** Resolves when nothing is under way, or after the given time. */
  idle(limitMs: number): Promise<void>;
}

export function countInFlight(): InFlight {
  let count = 0;
  const waiting = new Set<() => void>();
  return {
    begin() {
      let ended = false;
      count++;
      return () => {
        if (ended) return;
        ended = true;
        count--;
        if (count === 0) for (const wake of waiting) wake();
      };
    },
    async idle(limitMs) {
      if (count === 0) return;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, limitMs);
        waiting.add(() => {
          clearTimeout(timer);
          resolve();
        });
      });
    },
  };
}
