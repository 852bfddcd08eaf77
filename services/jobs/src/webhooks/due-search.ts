// When the due nodes of a webhook are searched. Pure. Rules: HOOK5, HOOK6, HOOK10.
import type { StoredWebhook } from '@taskgraph/graph-store/webhooks/webhook-rows';
import type { DueSearchResult } from '@taskgraph/wire/bus/gateway-reads';
import { DAY_MS } from '@taskgraph/wire/timestamps';
import { endOfWindowAt } from '@taskgraph/wire/webhooks/due-windows';
import { acceptsEvent, DUE_EVENT } from '@taskgraph/wire/webhooks/webhook-fields';

/** A search usually ends this long ago, because history is complete up to 10 s ago; one second allows for clocks. */
export const LAG_MS = 11_000;
/** A search that is late by this time does not wait for the end of the changes. */
const LATE_MS = 60_000;

/** The delay after a first failed read. It doubles with each further one, so many times. */
const FAILED_DELAY_MS = 60_000;
const MOST_DOUBLINGS = 5;

type SearchState = Pick<StoredWebhook, 'events' | 'duePosition' | 'dueSearchMs' | 'dueFailures'>;

/**
 * When the next search of a webhook is due, milliseconds; null if the webhook does not select due dates. Changes of the
 * user's feeds may have due dates earlier than the known next one.
 */
export function searchMs(
  { events, duePosition, dueSearchMs, dueFailures }: SearchState,
  hasChanged: boolean,
  nowMs: number,
): number | null {
  if (!acceptsEvent(events, DUE_EVENT)) return null;
  // A new filter, an enabled webhook and a replay begin with a search.
  if (duePosition === null || dueSearchMs === null) return nowMs;
  if (!hasChanged || dueSearchMs <= nowMs || dueFailures !== null) return dueSearchMs;
  return Math.min(dueSearchMs, Math.max(nowMs, endOfWindowAt(Date.parse(duePosition.time)) + LAG_MS));
}

/** Whether due nodes go before changes: for a readable message about them, or a search that changes have delayed. */
export function isDueFirst(
  webhook: SearchState & Pick<StoredWebhook, 'message' | 'dueMessage'>,
  nowMs: number,
): boolean {
  const { message, dueMessage, dueSearchMs, dueFailures } = webhook;
  if (message !== null) return false;
  if (dueMessage !== null) return dueFailures === null || (dueSearchMs ?? 0) <= nowMs;
  return isSearchLate(webhook, nowMs);
}

function isSearchLate({ events, duePosition, dueSearchMs }: SearchState, nowMs: number): boolean {
  if (!acceptsEvent(events, DUE_EVENT)) return false;
  return duePosition === null || (dueSearchMs !== null && dueSearchMs + LATE_MS <= nowMs);
}

/** The next read of due nodes after one that failed: until then, changes are delivered. */
export function afterFailedRead(
  { dueFailures }: Pick<SearchState, 'dueFailures'>,
  nowMs: number,
): { readonly dueSearchMs: number; readonly dueFailures: number } {
  const failures = dueFailures ?? 0;
  const delayMs = FAILED_DELAY_MS * 2 ** Math.min(failures, MOST_DOUBLINGS);
  return { dueSearchMs: nowMs + delayMs, dueFailures: failures + 1 };
}

/** When the search after one that has ended without a node is due: at least once a day. */
export function nextSearchMs({ next }: Pick<DueSearchResult, 'next'>, nowMs: number): number {
  const latestMs = nowMs + DAY_MS;
  const nextMs = next === null ? latestMs : Math.min(latestMs, Date.parse(next));
  // Each window is searched once, also if the last search came late.
  return endOfWindowAt(Math.max(nextMs, nowMs - LAG_MS)) + LAG_MS;
}
