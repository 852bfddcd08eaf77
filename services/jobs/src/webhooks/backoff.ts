// The time of the next attempt of a webhook's message. Pure. Rule: HOOK8.
import { DAY_MS } from '@taskgraph/wire/timestamps';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** The delays after the first failures; the last one repeats. */
const DELAYS_MS = [
  5 * SECOND_MS,
  MINUTE_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  12 * HOUR_MS,
] as const;
/** Spreads the attempts of webhooks that failed at the same time. */
const SPREAD = 0.2;

/** After this time without a success a webhook is disabled. */
export const FAILING_MS = 3 * DAY_MS;

/**
 * If a fault of the installation prevents the attempts of one webhook for so long, while messages of
 * others arrive, it counts as a failure of the receiver. Otherwise a user could choose an address for
 * which a webhook waits without end, such as one that the proxy refuses as it refuses a login.
 */
export const FAULT_MS = HOUR_MS;

/**
 * The first wait after which nothing has failed: no sender was free, or a body was too old to be sent.
 * It doubles with each further one.
 */
const SHORT_WAIT_MS = { least: 1_000, most: 3_000 } as const;
const MOST_DOUBLINGS = 5;

/**
 * Milliseconds until the next attempt after this many failures, at least 1; not before the receiver
 * wants one. `random` is between 0 and 1.
 */
export function backoffMs(failures: number, retryAfterMs: number, random: number): number {
  const delayMs = DELAYS_MS[Math.min(failures, DELAYS_MS.length) - 1] as number;
  return Math.max(Math.round(delayMs * (1 - SPREAD + 2 * SPREAD * random)), retryAfterMs);
}

/** Milliseconds until the next try after this many waits without an attempt. */
export function shortWaitMs(waits: number, random: number): number {
  const { least, most } = SHORT_WAIT_MS;
  return Math.round((least + (most - least) * random) * 2 ** Math.min(waits, MOST_DOUBLINGS));
}
