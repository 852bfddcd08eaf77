// Follows history: iterates over all batches of a query, oldest first, and then over new ones.
// Rules: HISX1, HISX2.
import { pauseUnlessAborted } from './abortable-pause.ts';
import type { Calls, HistoryPage } from './calls.ts';

type Payload = Calls['history:page']['payload'];

/** The scope, the filters, and the `next` of an earlier page to continue from. */
export type HistoryQuery = Omit<Payload, 'order' | 'offset'>;

export interface FollowOptions {
  /** Ends the iteration, also while it waits. */
  signal?: AbortSignal;
  /** Milliseconds between two calls without new batches. Default 5,000. */
  intervalMs?: number;
}

/** A page with at least one batch, oldest first. Store `next`, and continue from it as `after`. */
export type FollowedPage = HistoryPage & { readonly next: string };

const DEFAULT_INTERVAL_MS = 5_000;

export async function* followHistory(
  read: (payload: Payload) => Promise<HistoryPage>,
  query: HistoryQuery,
  { signal, intervalMs = DEFAULT_INTERVAL_MS }: FollowOptions,
): AsyncGenerator<FollowedPage, void, undefined> {
  for (let { after } = query; signal?.aborted !== true; ) {
    const page: HistoryPage = await read({ ...query, order: 'oldest', ...(after === undefined ? {} : { after }) });
    // A page with the order oldest always has `next`.
    const next = page.next as string;
    if (page.batches.length > 0) yield { ...page, next };
    after = next;
    if (!page.hasMore) await pauseUnlessAborted(intervalMs, signal);
  }
}
