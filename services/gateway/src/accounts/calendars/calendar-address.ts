// The address of a calendar. Its secret is in the path, because calendar programs send nothing else;
// no log, trace or metric contains the path. Rules: ICAL1, ICAL2.
import { hasCalendarShape } from '@taskgraph/runtime/security/tokens';

const FOLDER = '/calendar/';
const ENDING = '.ics';

/** How the requests of calendar programs are observed, whatever their path. */
export const CALENDAR_CALL = { kind: 'account', name: 'calendar' } as const;

/** Search engines index no answer at the path of a calendar, whatever its status. */
export const NOT_INDEXED = { 'X-Robots-Tag': 'noindex' } as const;

export function isCalendarPath(path: string): boolean {
  return path.startsWith(FOLDER);
}

export function calendarPath(secret: string): string {
  return FOLDER + secret + ENDING;
}

/** The secret in a path; null if it cannot be one, which costs no look-up. */
export function secretIn(path: string): string | null {
  if (!isCalendarPath(path) || !path.endsWith(ENDING)) return null;
  const secret = path.slice(FOLDER.length, -ENDING.length);
  return hasCalendarShape(secret) ? secret : null;
}
