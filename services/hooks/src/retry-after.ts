// Reads the `Retry-After` header of a receiver (HOOK8).
import { LONGEST_RETRY_AFTER_MS } from '@taskgraph/wire/bus/webhook-messages';

/** IMF-fixdate, the only form of a date that senders of HTTP may create. */
const HTTP_DATE = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/** The wait in milliseconds, at most a day; undefined if the header is absent or not valid. */
export function parseRetryAfter(header: string | undefined, nowMs: number): number | undefined {
  if (header === undefined) return undefined;
  if (/^\d{1,12}$/.test(header)) return Math.min(Number(header) * 1_000, LONGEST_RETRY_AFTER_MS);
  const dateMs = HTTP_DATE.test(header) ? Date.parse(header) : Number.NaN;
  if (Number.isNaN(dateMs)) return undefined;
  return Math.min(Math.max(0, dateMs - nowMs), LONGEST_RETRY_AFTER_MS);
}
