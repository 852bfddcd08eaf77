// The properties of tasks and calendars in iCalendar (RFC 5545, 7986, 9253). Rule: IO9.
import {
  all,
  CHANGE_TIME,
  COMPLETION_TIME,
  CREATION_TIME,
  IMPLIED,
  READ,
  RECURRENCE,
  type SourceFields,
  START,
  unread,
} from '../source-field.ts';

const isNot = (usual: string) => (value: unknown) => String(value).toUpperCase() !== usual;

export const CALENDAR_FIELDS: SourceFields = {
  ...all(['NAME', 'X-WR-CALNAME'], unread('the name of a calendar')),
  ...all(['DESCRIPTION', 'X-WR-CALDESC'], unread('the description of a calendar')),
  ...all(['COLOR', 'X-APPLE-CALENDAR-COLOR'], unread('the colour of a calendar')),
  ...all(['PRODID', 'VERSION', 'CALSCALE', 'METHOD', 'X-WR-TIMEZONE', 'X-WR-RELCALID', 'UID', 'URL'], IMPLIED),
  ...all(['LAST-MODIFIED', 'REFRESH-INTERVAL', 'X-PUBLISHED-TTL', 'SOURCE'], IMPLIED),
};
export const TASK_FIELDS: SourceFields = {
  ...all(['UID', 'SUMMARY', 'DESCRIPTION', 'DUE', 'STATUS', 'PRIORITY', 'CATEGORIES', 'RELATED-TO'], READ),
  ...all(['PERCENT-COMPLETE', 'RECURRENCE-ID'], READ),
  COMPLETED: unread(COMPLETION_TIME),
  DTSTART: unread(START),
  DURATION: unread('the duration of a task'),
  ...all(['RRULE', 'RDATE', 'EXDATE', 'EXRULE'], unread(RECURRENCE)),
  CREATED: unread(CREATION_TIME),
  'LAST-MODIFIED': unread(CHANGE_TIME),
  CLASS: unread('the privacy of a task', isNot('PUBLIC')),
  ...all(['LOCATION', 'GEO', 'STRUCTURED-LOCATION'], unread('the location of a task')),
  ...all(['ORGANIZER', 'ATTENDEE', 'CONTACT'], unread('the people of a task')),
  COMMENT: unread('comments'),
  ATTACH: unread('attachments'),
  ...all(['URL', 'LINK', 'CONFERENCE', 'IMAGE'], unread('the web address of a task')),
  ...all(['RESOURCES', 'CONCEPT', 'REFID'], unread('the resources and groups of a task')),
  COLOR: unread('a colour'),
  'REQUEST-STATUS': unread('the answer to a request'),
  ...all(['DTSTAMP', 'SEQUENCE'], IMPLIED),
};

export const ICALENDAR_FIELDS = {
  'a calendar': CALENDAR_FIELDS,
  'a task': TASK_FIELDS,
} as const satisfies Record<string, SourceFields>;
