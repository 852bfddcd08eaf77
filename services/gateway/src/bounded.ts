// Lets only so much of something expensive be done at once, and only so much of it wait.
import { type Refusal, refuse } from '@taskgraph/wire/errors';

interface Options {
  /** How many are done at once. */
  readonly atOnce: number;
  /** How many more may wait; past it they are refused as `unavailable`. */
  readonly waiting: number;
}

/** Does the work when it is its turn, first come, first served. */
export type Bounded = <T>(work: () => Promise<T>) => Promise<T | Refusal>;

export function createBounded({ atOnce, waiting }: Options): Bounded {
  let running = 0;
  const queue: (() => void)[] = [];
  return async (work) => {
    if (running >= atOnce) {
      if (queue.length >= waiting) return tooMany;
      await new Promise<void>((resolve) => queue.push(resolve));
    } else running++;
    try {
      return await work();
    } finally {
      // The turn is handed on, so that nobody who comes just now overtakes.
      const next = queue.shift();
      if (next === undefined) running--;
      else next();
    }
  };
}

const tooMany = refuse('unavailable', 'Too much is going on here; try again in a moment.');
