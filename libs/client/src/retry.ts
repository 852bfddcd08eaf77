// When to try again, shared by sockets and REST.
import type { TaskgraphErrorCode } from './error.ts';

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
