// Bounds how many expensive operations run and wait at once.
import { type Refusal, refuse } from '@taskgraph/wire/errors';
import pLimit from 'p-limit';

interface ConcurrencyLimits {
  /** Maximum number of running operations. */
  readonly atOnce: number;
  /** Maximum number of waiting operations; further ones are refused as `unavailable`. */
  readonly waiting: number;
}

export interface ConcurrencyLimit {
  /** Runs the operation in its turn, first come, first served. */
  <T>(work: () => Promise<T>): Promise<T | Refusal>;
  /** Number of waiting operations. */
  waiting(): number;
}

export function createConcurrencyLimit({ atOnce, waiting }: ConcurrencyLimits): ConcurrencyLimit {
  const limit = pLimit(atOnce);
  const limited = async <T>(work: () => Promise<T>): Promise<T | Refusal> =>
    limit.activeCount + limit.pendingCount < atOnce + waiting ? limit(work) : tooMany;
  return Object.assign(limited, { waiting: () => limit.pendingCount });
}

const tooMany = refuse('unavailable', 'The service is too busy; try again in a moment.');
