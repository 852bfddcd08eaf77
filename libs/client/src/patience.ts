// Waits as the service asks where a rate limit is reached: how long, how much in all, and who is told. Rule: LIM2.
import { TaskgraphError } from './error.ts';

const DEFAULT_WAIT_MS = 20_000;
/** Beyond what was asked for, so that clients that wait for one moment don't come in step. */
const MOST_JITTER_MS = 100;

/** A wait that begins. */
export interface RateLimitWait {
  /** The event that is called, `METHOD /path` over REST, or `connect`. */
  readonly what: string;
  /** The limit that is reached, as the service names it; empty where it did not say. */
  readonly limit: string;
  readonly waitMs: number;
}

export interface PatienceOptions {
  /**
   * Milliseconds that a call may wait for rate limits in all, beyond its time-out; 20,000 if not given. One that would have to wait longer
   * fails with `rate_limited` at once, and `details.retryAfterMs` says how long.
   */
  rateLimitWaitMs?: number;
  /** Told of each wait at its beginning. */
  onRateLimit?: (wait: RateLimitWait) => void;
}

/** Begins a call; the function given back says how many milliseconds to wait after a failure, or null where it is not to be waited for. */
export type Patience = (what: string) => (error: unknown) => number | null;

export function createPatience({ rateLimitWaitMs = DEFAULT_WAIT_MS, onRateLimit }: PatienceOptions = {}): Patience {
  return (what) => {
    let leftMs = rateLimitWaitMs;
    return (error) => {
      const askedMs = askedWaitMs(error);
      if (askedMs === null || askedMs > leftMs) return null;
      leftMs -= askedMs;
      const waitMs = Math.ceil(askedMs + Math.random() * MOST_JITTER_MS);
      onRateLimit?.({ what, limit: limitOf(error), waitMs });
      return waitMs;
    };
  };
}

/** Milliseconds after which a refused call may be tried again, as the service says; null for other failures. */
export function askedWaitMs(error: unknown): number | null {
  if (!(error instanceof TaskgraphError) || error.code !== 'rate_limited') return null;
  const { retryAfterMs } = error.details;
  return typeof retryAfterMs === 'number' && retryAfterMs >= 0 ? retryAfterMs : null;
}

function limitOf(error: unknown): string {
  return error instanceof TaskgraphError ? String(error.details.limit ?? '') : '';
}

/** Resolves after so many milliseconds. */
export function pause(waitMs: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, waitMs));
}
