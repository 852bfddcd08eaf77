// Waits for rate limits: each as long as the service asks, within a total for each call. Rule:
// LIM2.
import { TaskgraphError } from './error.ts';

const DEFAULT_WAIT_MS = 20_000;
/** Added to each wait, so that clients do not continue together. */
const MOST_JITTER_MS = 100;

/** A wait for a rate limit that begins. */
export interface RateLimitWait {
  /** The event of the call, `METHOD /path` over REST, or `connect`. */
  readonly what: string;
  /** The service's name of the limit; empty if it sent none. */
  readonly limit: string;
  readonly waitMs: number;
}

export interface RateLimitOptions {
  /**
   * Milliseconds that a call may wait for rate limits in total, beyond its time-out. Default
   * 20,000. A call that would wait longer fails at once with `rate_limited` and
   * `details.retryAfterMs`.
   */
  rateLimitWaitMs?: number;
  /** Called at the beginning of each wait. */
  onRateLimit?: (wait: RateLimitWait) => void;
}

/**
 * Begins a call. The returned function gives the milliseconds to wait after a failure, or null if
 * the call must not wait.
 */
export type RateLimitWaits = (what: string) => (error: unknown) => number | null;

export function createRateLimitWaits({
  rateLimitWaitMs = DEFAULT_WAIT_MS,
  onRateLimit,
}: RateLimitOptions = {}): RateLimitWaits {
  return (what) => {
    let leftMs = rateLimitWaitMs;
    return (error) => {
      const requestedMs = requestedWaitMs(error);
      if (requestedMs === null || requestedMs > leftMs) return null;
      leftMs -= requestedMs;
      const waitMs = Math.ceil(requestedMs + Math.random() * MOST_JITTER_MS);
      onRateLimit?.({ what, limit: limitOf(error), waitMs });
      return waitMs;
    };
  };
}

/**
 * Milliseconds after which the service allows a retry; null for other failures than rate limits.
 */
export function requestedWaitMs(error: unknown): number | null {
  if (!(error instanceof TaskgraphError) || error.code !== 'rate_limited') return null;
  const { retryAfterMs } = error.details;
  return typeof retryAfterMs === 'number' && retryAfterMs >= 0 ? retryAfterMs : null;
}

function limitOf(error: unknown): string {
  return error instanceof TaskgraphError ? String(error.details.limit ?? '') : '';
}

/** Resolves after this time. */
export function pause(waitMs: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, waitMs));
}
