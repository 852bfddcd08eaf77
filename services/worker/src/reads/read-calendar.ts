// Answers the gateways' look-ups of calendar addresses. The nodes of a feed come from other reads, as
// its user sees them. Rules: ICAL1, ICAL2.
import { resolveCalendars } from '@taskgraph/graph-store/accounts/calendars';
import { type CalendarMatches, GATEWAY_READS } from '@taskgraph/wire/bus/gateway-reads';
import { refuse } from '@taskgraph/wire/errors';
import type { ReadHandler } from './read-handler.ts';

export const resolveCalendarAddresses: ReadHandler = async (message, { database, nowMs }) => {
  const payload = GATEWAY_READS['calendars:resolve'].safeParse(message.payload);
  if (!payload.success) return refuse('bad_request', 'A list of at most 500 hashes of 64 hex digits is needed.');
  return { found: await resolveCalendars(database, payload.data.hashes, nowMs()) } satisfies CalendarMatches;
};
