// The calls on the calendars of an account. Rule: ICAL1.
import type { Calendar, Calendars, CallTypes, NewCalendar } from '@taskgraph/wire/public-types';
import { rest } from '../rest.ts';

/** The fields of a new calendar. */
export interface CalendarFields {
  name: string;
  /** The root of a branch; without it, the whole graph. */
  root?: string;
  /** Conditions, as `node:find` takes them. */
  where?: NonNullable<CallTypes['node:find']['payload']['where']>;
  as?: Calendar['as'];
  planned?: { start?: string; unit: NonNullable<Calendar['planned']>['unit'] };
}

/**
 * The calendars of the user of a session; `true` stands for the session of the browser. Each call
 * throws a TaskgraphError. A call is sent again after a lost connection: then a calendar may be
 * created twice.
 */
export function calendars({ url, session }: { url: string; session: string | true }) {
  const { request } = rest(session === true ? { url, session } : { url, token: session });
  return {
    list: async () => (await request<Calendars>('GET', '/api/calendar')).calendars,
    /** The answer's `url` is the address, which the service never shows again. */
    create: (fields: CalendarFields) => request<NewCalendar>('POST', '/api/calendar', { body: { ...fields } }),
    /** Ends the present address. */
    rotate: (id: string) => request<NewCalendar>('POST', '/api/calendar/rotate', { body: { id } }),
    remove: async (id: string) => void (await request('DELETE', '/api/calendar', { body: { id } })),
  };
}
