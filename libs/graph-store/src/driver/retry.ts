// Retries single statements outside of groups after transient failures, a bounded number of times.
import { setTimeout as sleep } from 'node:timers/promises';
import { type Failure, failureOf } from './failures.ts';

/**
 * A lock held by a group costs up to a quarter of a second each time, so this bounds a write to
 * about ten seconds.
 */
const MAXIMUM_TRIES = 16;
const FIRST_WAIT_MS = 20;
const LONGEST_WAIT_MS = 500;

/** These writes are small: if one exceeds time or memory, the server was overloaded. */
const PASSING: ReadonlySet<Failure> = new Set<Failure>([
  'passing',
  'crowded',
  'locked',
  'duplicate',
  'too_large',
  'slow',
]);

interface RetryOptions {
  readonly tries?: number;
  readonly passing?: ReadonlySet<Failure>;
  /** Milliseconds since 1970 after which there are no retries. */
  readonly until?: number;
  /** The clock for `until`; defaults to the system's. */
  readonly nowMs?: () => number;
}

/**
 * Runs idempotent work. Retries deadlocks, lock and connection time-outs, concurrent creation of
 * unique keys, and an overloaded server, at most 16 times. Throws every other failure and the last
 * of these.
 */
export async function retry<T>(
  work: () => Promise<T>,
  { tries = MAXIMUM_TRIES, passing = PASSING, until = Number.POSITIVE_INFINITY, nowMs = Date.now }: RetryOptions = {},
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (!passing.has(failureOf(error)) || attempt >= tries || nowMs() >= until) throw error;
    }
    // The jitter keeps two conflicting writes from conflicting again.
    await sleep(Math.min(FIRST_WAIT_MS * 2 ** attempt, LONGEST_WAIT_MS) * (0.5 + Math.random() / 2));
  }
}
