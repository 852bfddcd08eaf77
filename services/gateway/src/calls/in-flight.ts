// Counts work in progress, so that a stopping gateway can wait for it.

export interface InFlight {
  /** Begins a piece of work. Returns a function that ends it; only its first call counts. */
  begin(): () => void;
  /** Resolves when no work is in progress, or after the limit. */
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
