// Lets only so much of something expensive be done at once, and only so much of it wait.
import { type Refusal, refuse } from '@taskgraph/wire/errors';

interface Options {
  /** How many are done at once. */
  readonly atOnce: number;
  /** How many more may wait; past it they are refused as `unavailable`. */
  readonly waiting: number;
}

export interface Bounded {
  /** Does the work when it is its turn, first come, first served. */
  <T>(work: () => Promise<T>): Promise<T | Refusal>;
  /** How many wait now. */
  waiting(): number;
}

export function createBounded({ atOnce, waiting }: Options): Bounded {
  let running = 0;
  const queue: (() => void)[] = [];
  const bounded = async <T>(work: () => Promise<T>): Promise<T | Refusal> => {
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
  return Object.assign(bounded, { waiting: () => queue.length });
}

const tooMany = refuse('unavailable', 'Too much is going on here; try again in a moment.');
