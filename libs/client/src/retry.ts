// When to try again, shared by sockets and REST.
import { TaskgraphError, type TaskgraphErrorCode } from './error.ts';

const FIRST_WAIT_MS = 100;
const LONGEST_WAIT_MS = 2_000;

/** Codes after which the same call, with the same idempotency key, may succeed. */
export function isPassing(code: TaskgraphErrorCode): boolean {
  return code === 'unavailable' || code === 'client.disconnected';
}

/** Milliseconds to wait before a try (1 is the first retry): growing, and with jitter, so that many clients don't come in step. */
export function retryWaitMs(attempt: number): number {
  const waitMs = Math.min(FIRST_WAIT_MS * 2 ** (attempt - 1), LONGEST_WAIT_MS);
  return waitMs * (0.5 + Math.random() / 2);
}

/** Whether the call that ended so may have been done. */
export function mayBeDone(error: unknown): boolean {
  if (!(error instanceof TaskgraphError)) return false;
  return error.code === 'client.disconnected' || error.details.outcome === 'unknown';
}

/** The error of the last try of a call of which an earlier try may have been done: `not_done` would say more than is known. */
export function withoutCertainty(error: unknown): unknown {
  const isCertain = error instanceof TaskgraphError && error.details.outcome === 'not_done';
  return isCertain ? Object.assign(error, { details: { ...error.details, outcome: 'unknown' } }) : error;
}
