// When the due nodes of a webhook are searched. Pure. Rules: HOOK5, HOOK6, HOOK10.
import type { StoredWebhook } from '@taskgraph/graph-store/webhooks/webhook-rows';
import type { WebhookDueContent } from '@taskgraph/wire/bus/gateway-reads';
import { DAY_MS } from '@taskgraph/wire/timestamps';
import { acceptsEvent, DUE_EVENT } from '@taskgraph/wire/webhooks/webhook-fields';

/** Milliseconds between two searches of one webhook that reach the present. */
const INTERVAL_MS = 60_000;
/** A search usually reaches to so many milliseconds ago: until then, every change is stored. */
export const LAG_MS = 10_000;
/** A search that is late by this time does not wait for the end of the changes. */
const LATE_MS = 60_000;

/** The delay after a failed search doubles with each further one, so many times. */
const MOST_DOUBLINGS = 5;

type SearchState = Pick<StoredWebhook, 'events' | 'duePlace' | 'dueSearchMs' | 'dueFailures'>;

/**
 * When the next search of a webhook is due, milliseconds; null if the webhook does not select due dates. Changes of the user's
 * feeds may have due dates earlier than the known next one.
 */
export function searchMs(
  { events, duePlace, dueSearchMs, dueFailures }: SearchState,
  hasChanged: boolean,
  nowMs: number,
): number | null {
  if (!acceptsEvent(events, DUE_EVENT)) return null;
  // A new filter, an enabled webhook and a replay begin with a search.
  if (duePlace === null || dueSearchMs === null) return nowMs;
  if (!hasChanged || dueSearchMs <= nowMs || dueFailures !== null) return dueSearchMs;
  return Math.max(nowMs, Date.parse(duePlace.time) + LAG_MS + INTERVAL_MS);
}

/** Whether a search goes before further changes, which may have no end. */
export function isSearchLate({ events, duePlace, dueSearchMs }: SearchState, nowMs: number): boolean {
  if (!acceptsEvent(events, DUE_EVENT)) return false;
  return duePlace === null || (dueSearchMs !== null && dueSearchMs + LATE_MS <= nowMs);
}

/** The search after one that failed: until then, changes are delivered. */
export function afterFailedSearch(
  { dueFailures }: Pick<SearchState, 'dueFailures'>,
  nowMs: number,
): { readonly dueSearchMs: number; readonly dueFailures: number } {
  const failures = dueFailures ?? 0;
  const delayMs = INTERVAL_MS * 2 ** Math.min(failures, MOST_DOUBLINGS);
  return { dueSearchMs: nowMs + delayMs, dueFailures: failures + 1 };
}

/** When the search after one with this result is due: at least once a day. */
export function nextSearchMs({ hasMore, next }: Pick<WebhookDueContent, 'hasMore' | 'next'>, nowMs: number): number {
  if (hasMore) return nowMs;
  const latestMs = nowMs + DAY_MS;
  if (next === null) return latestMs;
  // A node is due after its date.
  return Math.min(latestMs, Math.max(nowMs + INTERVAL_MS, Date.parse(next) + LAG_MS + 1));
}
