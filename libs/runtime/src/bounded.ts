// Lets only so much of something expensive be done at once, and only so much of it wait.
import { type Refusal, refuse } from '@taskgraph/wire/errors';
import pLimit from 'p-limit';

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
  const limit = pLimit(atOnce);
  const bounded = async <T>(work: () => Promise<T>): Promise<T | Refusal> =>
    limit.activeCount + limit.pendingCount < atOnce + waiting ? limit(work) : tooMany;
  return Object.assign(bounded, { waiting: () => limit.pendingCount });
}

const tooMany = refuse('unavailable', 'The service is too busy; try again in a moment.');
