// Single statements outside of groups: what fails in passing is tried again, a bounded number of times.
import { setTimeout as sleep } from 'node:timers/promises';
import { type Failure, failureOf } from './failures.ts';

/** A lock that a group holds costs up to a quarter of a second each time, so that this bounds a write to some ten seconds. */
const MAXIMUM_TRIES = 16;
const FIRST_WAIT_MS = 20;
const LONGEST_WAIT_MS = 500;

/** These writes are small: where one is too much, in time or memory, it is the moment that was bad. */
const PASSING: ReadonlySet<Failure> = new Set<Failure>([
  'passing',
  'crowded',
  'locked',
  'duplicate',
  'too_large',
  'slow',
]);

interface Patience {
  readonly tries?: number;
  readonly passing?: ReadonlySet<Failure>;
  /** Milliseconds since 1970 after which nothing is tried again. */
  readonly until?: number;
  /** The clock of `until`; the system's if not given. */
  readonly nowMs?: () => number;
}

/**
 * Does what may be done twice. Deadlocks, locks and connections that are not had in time, unique keys that two make at once, and a server that has too
 * much to do are tried again, at most 16 times; every other failure, and the last of these, is thrown.
 */
export async function retry<T>(
  work: () => Promise<T>,
  { tries = MAXIMUM_TRIES, passing = PASSING, until = Number.POSITIVE_INFINITY, nowMs = Date.now }: Patience = {},
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (!passing.has(failureOf(error)) || attempt >= tries || nowMs() >= until) throw error;
    }
    // The jitter keeps two that met from meeting again.
    await sleep(Math.min(FIRST_WAIT_MS * 2 ** attempt, LONGEST_WAIT_MS) * (0.5 + Math.random() / 2));
  }
}
