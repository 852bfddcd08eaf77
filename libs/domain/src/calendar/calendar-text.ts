// The text of a calendar (RFC 5545): one entry for each due date or task, and bars of a plan.
// It contains no time of the request, so an unchanged calendar has the same text all day. Rule: ICAL3.
import type { WireNode } from '@taskgraph/wire/entities';
import {
  categoryLines,
  compactTime,
  dateLine,
  dayLine,
  escapeText,
  HEAD_LINES,
  priorityLines,
  stateLines,
  textOfLines,
} from './icalendar-text.ts';

/** The most entries of a calendar, and UTF-16 units of their text; further entries are left out. */
const MOST_ENTRIES = 5_000;
const MOST_CHARACTERS = 4_000_000;
/** How often programs should read a calendar again. */
const REFRESH = 'PT1H';
const MIDNIGHT = 'T00:00:00.000Z';
/** Many programs know no year 0, and would refuse the whole calendar. */
const FIRST_YEAR = '0001';
/** As a whole day, it would end in the year 10000, which has no form. */
const LAST_DAY = '9999-12-31';

/** The fields of a node that entries show. */
export const CALENDAR_FIELDS = [
  'title',
  'status',
  'dueDate',
  'tags',
  'priority',
  'createdTime',
  'lastEditedTime',
  'completedTime',
] as const satisfies readonly (keyof WireNode)[];

export type CalendarNode = Pick<WireNode, 'id' | 'version' | (typeof CALENDAR_FIELDS)[number]>;

/** The dates of an open node in a plan. */
export interface PlanBar {
  readonly startDate: string;
  readonly finishDate: string;
}

/** The bar of a node with these dates; null without a length, and past the year 9999. */
export function barOf(startDate: string | null, finishDate: string | null): PlanBar | null {
  if (startDate === null || finishDate === null || startDate === finishDate) return null;
  return isWritable(startDate) ? { startDate, finishDate } : null;
}

function isWritable(time: string): boolean {
  return time >= FIRST_YEAR;
}

/** The address of a node for people; null if the service has no pages. */
export type PageUrlOf = (id: string) => string | null;

/** A node that is added again keeps its first entry. */
export interface CalendarText {
  /** Adds an event on the due date; no entry without one. False if the calendar is full. */
  addDueDate(node: CalendarNode): boolean;
  /** Adds a task. False if the calendar is full. */
  addTask(node: CalendarNode): boolean;
  /** Adds the bar of a node, as it is on the day that begins at `today`. False if the calendar is full. */
  addBar(node: CalendarNode, bar: PlanBar, today: string): boolean;
  isFull(): boolean;
  /** The whole text. */
  text(): string;
}

export function createCalendarText(name: string, pageUrlOf: PageUrlOf): CalendarText {
  /** By UID: programs may refuse a calendar with two entries of one. */
  const entries = new Map<string, string>();
  let characters = 0;
  let truncated = false;

  const isFull = () => truncated || entries.size >= MOST_ENTRIES;

  function add(uid: string, lines: () => readonly string[]): boolean {
    if (entries.has(uid)) return true;
    if (isFull()) return false;
    const entry = textOfLines(lines());
    truncated = characters + entry.length > MOST_CHARACTERS;
    if (truncated) return false;
    characters += entry.length;
    entries.set(uid, entry);
    return true;
  }

  return {
    addDueDate(node) {
      const { id, dueDate } = node;
      return dueDate === null || !isWritable(dueDate) || add(id, () => dueDateLines(node, dueDate, pageUrlOf));
    },
    addTask: (node) => add(node.id, () => taskLines(node, pageUrlOf)),
    addBar: (node, bar, today) => add(`${node.id}-plan`, () => barLines(node, { ...bar, today }, pageUrlOf)),
    isFull,
    text: () => [textOfLines(headLines(name)), ...entries.values(), textOfLines(['END:VCALENDAR'])].join(''),
  };
}

/** Programs know the name and the interval by older properties too. */
function headLines(name: string): string[] {
  const escaped = escapeText(name);
  return [
    ...HEAD_LINES,
    'CALSCALE:GREGORIAN',
    `NAME:${escaped}`,
    `X-WR-CALNAME:${escaped}`,
    `REFRESH-INTERVAL;VALUE=DURATION:${REFRESH}`,
    `X-PUBLISHED-TTL:${REFRESH}`,
  ];
}

function dueDateLines(node: CalendarNode, dueDate: string, pageUrlOf: PageUrlOf): string[] {
  return [
    'BEGIN:VEVENT',
    `UID:${node.id}`,
    ...changeLines(node),
    ...sharedLines(node, pageUrlOf),
    dueLine('DTSTART', dueDate),
    // A due date blocks no time.
    'TRANSP:TRANSPARENT',
    'END:VEVENT',
  ];
}

/** A due date, as a day if it stands for one. The last day would end in the year 10000. */
function dueLine(property: string, dueDate: string): string {
  return dueDate.startsWith(LAST_DAY) ? `${property}:${compactTime(dueDate)}` : dateLine(property, dueDate);
}

function taskLines(node: CalendarNode, pageUrlOf: PageUrlOf): string[] {
  const { dueDate, status, completedTime, lastEditedTime } = node;
  return [
    'BEGIN:VTODO',
    `UID:${node.id}`,
    ...changeLines(node),
    ...sharedLines(node, pageUrlOf),
    ...(dueDate === null || !isWritable(dueDate) ? [] : [dueLine('DUE', dueDate)]),
    ...stateLines({ status, completed: completedTime ?? lastEditedTime }),
    'END:VTODO',
  ];
}

/**
 * A bar moves without a change of its node. So it has no SEQUENCE and no LAST-MODIFIED, by which
 * programs would keep the old one, and its stamp is at least the day's.
 */
function barLines(
  node: CalendarNode,
  { startDate, finishDate, today }: PlanBar & { readonly today: string },
  pageUrlOf: PageUrlOf,
): string[] {
  const hasDays = startDate.endsWith(MIDNIGHT) && finishDate.endsWith(MIDNIGHT);
  const line = (property: string, time: string) =>
    hasDays ? dayLine(property, time) : `${property}:${compactTime(time)}`;
  return [
    'BEGIN:VEVENT',
    `UID:${node.id}-plan`,
    `DTSTAMP:${compactTime(node.lastEditedTime > today ? node.lastEditedTime : today)}`,
    ...sharedLines(node, pageUrlOf),
    line('DTSTART', startDate),
    line('DTEND', finishDate),
    'TRANSP:TRANSPARENT',
    'END:VEVENT',
  ];
}

/** The lines about the last change of an entry that changes with its node alone. */
function changeLines({ version, lastEditedTime }: CalendarNode): string[] {
  const time = compactTime(lastEditedTime);
  return [`SEQUENCE:${version}`, `DTSTAMP:${time}`, `LAST-MODIFIED:${time}`];
}

function sharedLines(node: CalendarNode, pageUrlOf: PageUrlOf): string[] {
  const { id, title, tags, priority, createdTime } = node;
  const address = pageUrlOf(id);
  return [
    `CREATED:${compactTime(createdTime)}`,
    `SUMMARY:${escapeText(title)}`,
    ...categoryLines(tags),
    ...priorityLines(priority),
    ...(address === null ? [] : [`URL:${address}`]),
  ];
}
