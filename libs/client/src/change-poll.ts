// Follows changes without a socket: each REST request waits until something changes. After an
// outage it continues from the position of the last answer. Rules: LONG1, LIM2.

import { pauseUnlessAborted } from './abortable-pause.ts';
import type { Changes, ChangesPage } from './calls.ts';
import { TaskgraphError } from './error.ts';
import { requestedWaitMs } from './rate-limit-wait.ts';
import { isTransient, retryWaitMs } from './retry-policy.ts';

const DEFAULT_WAIT_SECONDS = 50;

export interface ChangesOptions {
  /** The `position` of an earlier answer, such as the first page of `GET /api/graph`. */
  since: string;
  /** Seconds for which the service may delay an answer, 1 to 55. Default 50. */
  wait?: number;
  /** Ends the iteration at once. */
  signal?: AbortSignal;
}

/** Sends the fields of a `changes:get`. */
type Read = (body: object, signal: AbortSignal | undefined) => Promise<Changes>;

/**
 * Yields every answer with changes, and each page of a long answer. Ends after `resetRequired`: the
 * caller must read the graph again. Throws on failures that no retry can repair.
 */
export async function* followChanges(
  read: Read,
  { since, wait = DEFAULT_WAIT_SECONDS, signal }: ChangesOptions,
): AsyncGenerator<Changes, void, undefined> {
  let position = since;
  let cursor: string | null = null;
  while (signal?.aborted !== true) {
    const body = cursor === null ? { since: position, wait } : { since: position, cursor };
    const answer = await patiently(() => read(body, signal), signal);
    if (answer === null) return;
    if (answer.resetRequired === true || isChange(answer)) yield answer;
    if (answer.resetRequired === true) return;
    cursor = answer.next;
    // Further pages need the position from which the first page started.
    if (cursor === null) position = answer.position;
  }
}

/** Retries a read until the service answers it. Returns null if the signal aborts. */
async function patiently(read: () => Promise<Changes>, signal: AbortSignal | undefined): Promise<Changes | null> {
  for (let attempt = 1; signal?.aborted !== true; attempt++) {
    try {
      return await read();
    } catch (error) {
      if (signal?.aborted) return null;
      const waitMs = requestedWaitMs(error) ?? (isPassing(error) ? retryWaitMs(attempt) : null);
      if (waitMs === null) throw error;
      await pauseUnlessAborted(waitMs, signal);
    }
  }
  return null;
}

function isPassing(error: unknown): boolean {
  return error instanceof TaskgraphError && (isTransient(error.code) || error.code === 'client.timeout');
}

function isChange({ nodes, links, gone, feeds }: ChangesPage): boolean {
  return [nodes, links, gone.nodes, gone.links, feeds.gained, feeds.lost].some(({ length }) => length > 0);
}
