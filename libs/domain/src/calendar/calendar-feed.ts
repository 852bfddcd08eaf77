// The text of a calendar feed (RFC 5545): one entry for each due date or task, and bars of a plan.
// It depends on the nodes alone, so unchanged nodes give the same text. Rule: ICAL3.
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

/** The most entries of a feed, and UTF-16 units of their text; further entries are left out. */
const MOST_ENTRIES = 5_000;
const MOST_CHARACTERS = 4_000_000;
/** How often programs should read a feed again. */
const REFRESH = 'PT1H';
const MIDNIGHT = 'T00:00:00.000Z';

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

/** The dates of an open node in a plan; null past the year 9999. */
export interface PlanBar {
  readonly startDate: string | null;
  readonly finishDate: string | null;
}

/** The address of a node for people; null if the service has no pages. */
export type NodeAddress = (id: string) => string | null;

export interface CalendarFeed {
  /** Adds an event on the due date; no entry without one. False if the feed is full. */
  addDueDate(node: CalendarNode): boolean;
  /** Adds a task. False if the feed is full. */
  addTask(node: CalendarNode): boolean;
  /** Adds the bar of a node; no entry without a length. False if the feed is full. */
  addBar(node: CalendarNode, bar: PlanBar): boolean;
  /** The whole text. */
  text(): string;
}

export function createCalendarFeed(name: string, addressOf: NodeAddress): CalendarFeed {
  const entries: string[] = [];
  let characters = 0;

  function add(lines: readonly string[]): boolean {
    if (entries.length >= MOST_ENTRIES) return false;
    const entry = textOfLines(lines);
    if (characters + entry.length > MOST_CHARACTERS) return false;
    characters += entry.length;
    entries.push(entry);
    return true;
  }

  return {
    addDueDate: (node) => node.dueDate === null || add(dueDateLines(node, node.dueDate, addressOf)),
    addTask: (node) => add(taskLines(node, addressOf)),
    addBar(node, { startDate, finishDate }) {
      if (startDate === null || finishDate === null || startDate === finishDate) return true;
      return add(barLines(node, { startDate, finishDate }, addressOf));
    },
    text: () => `${textOfLines(headLines(name))}${entries.join('')}${textOfLines(['END:VCALENDAR'])}`,
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

function dueDateLines(node: CalendarNode, dueDate: string, addressOf: NodeAddress): string[] {
  return [
    'BEGIN:VEVENT',
    `UID:${node.id}`,
    `SEQUENCE:${node.version}`,
    ...sharedLines(node, addressOf),
    dateLine('DTSTART', dueDate),
    // A due date keeps nobody busy.
    'TRANSP:TRANSPARENT',
    'END:VEVENT',
  ];
}

function taskLines(node: CalendarNode, addressOf: NodeAddress): string[] {
  const { dueDate, status, completedTime, lastEditedTime } = node;
  return [
    'BEGIN:VTODO',
    `UID:${node.id}`,
    `SEQUENCE:${node.version}`,
    ...sharedLines(node, addressOf),
    ...(dueDate === null ? [] : [dateLine('DUE', dueDate)]),
    ...stateLines({ status, completed: completedTime ?? lastEditedTime }),
    'END:VTODO',
  ];
}

/** A bar moves without a change of its node, so it has no SEQUENCE. */
function barLines(
  node: CalendarNode,
  { startDate, finishDate }: { readonly startDate: string; readonly finishDate: string },
  addressOf: NodeAddress,
): string[] {
  const hasDays = startDate.endsWith(MIDNIGHT) && finishDate.endsWith(MIDNIGHT);
  const line = (property: string, time: string) =>
    hasDays ? dayLine(property, time) : `${property}:${compactTime(time)}`;
  return [
    'BEGIN:VEVENT',
    `UID:${node.id}-plan`,
    ...sharedLines(node, addressOf),
    line('DTSTART', startDate),
    line('DTEND', finishDate),
    'TRANSP:TRANSPARENT',
    'END:VEVENT',
  ];
}

function sharedLines(node: CalendarNode, addressOf: NodeAddress): string[] {
  const { id, title, tags, priority, createdTime, lastEditedTime } = node;
  const address = addressOf(id);
  return [
    `DTSTAMP:${compactTime(lastEditedTime)}`,
    `CREATED:${compactTime(createdTime)}`,
    `LAST-MODIFIED:${compactTime(lastEditedTime)}`,
    `SUMMARY:${escapeText(title)}`,
    ...categoryLines(tags),
    ...priorityLines(priority),
    ...(address === null ? [] : [`URL:${address}`]),
  ];
}
