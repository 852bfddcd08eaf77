// The retry policy of sockets and REST: which errors allow a retry, and how long to wait.
// `call-queue.ts` and `rest.ts` retry.
import { TaskgraphError, type TaskgraphErrorCode } from './error.ts';

const FIRST_WAIT_MS = 100;
const LONGEST_WAIT_MS = 2_000;

/** Codes after which the same call, with the same idempotency key, may succeed. */
export function isTransient(code: TaskgraphErrorCode): boolean {
  return code === 'unavailable' || code === 'client.disconnected';
}

/**
 * Milliseconds to wait before a retry (1 is the first). They grow, with jitter, so that clients do
 * not retry together.
 */
export function retryWaitMs(attempt: number): number {
  const waitMs = Math.min(FIRST_WAIT_MS * 2 ** (attempt - 1), LONGEST_WAIT_MS);
  return waitMs * (0.5 + Math.random() / 2);
}

/** Whether a call that failed with this error may have run. */
export function mayHaveRun(error: unknown): boolean {
  if (!(error instanceof TaskgraphError)) return false;
  return error.code === 'client.disconnected' || error.details.outcome === 'unknown';
}

/**
 * The error of the last attempt, if an earlier attempt may have run: the outcome `not_done` becomes
 * `unknown`.
 */
export function withUnknownOutcome(error: unknown): unknown {
  const isCertain = error instanceof TaskgraphError && error.details.outcome === 'not_done';
  return isCertain ? Object.assign(error, { details: { ...error.details, outcome: 'unknown' } }) : error;
}
