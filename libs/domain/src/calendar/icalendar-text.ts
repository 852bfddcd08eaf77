// Texts and lines of iCalendar (RFC 5545), for exports and for calendars. No text of a
// user begins a line or a property. Rules: ICAL3, IO2.
import { Status } from '@taskgraph/wire/codes';

/** The most octets of a line without its end. */
const LINE_OCTETS = 75;
/** The most octets of a UTF-16 unit. */
const MOST_OCTETS = 3;
/** The characters at which some program ends a line of a file. */
const LINE_BREAK = /\r\n?|[\n\u0085\u2028\u2029]/g;
/** Control characters except the tab. */
const CONTROLS = /(?!\t)\p{Cc}/gu;

/** Whether a text has control characters that a calendar cannot hold. Line breaks are escaped. */
export function controlCharactersIn(text: string): boolean {
  return text.replaceAll(LINE_BREAK, '').search(CONTROLS) >= 0;
}

/**
 * The text as a property's value. Line breaks become escapes; other control characters are dropped.
 */
export function escapeText(text: string): string {
  return text
    .replaceAll(LINE_BREAK, '\n')
    .replaceAll(/[\\;,]/g, '\\$&')
    .replaceAll('\n', '\\n')
    .replaceAll(CONTROLS, '');
}

/** A time as iCalendar and Taskwarrior write it: 20260131T235900Z. */
export function compactTime(time: string): string {
  return `${time.slice(0, 19).replaceAll(/[-:]/g, '')}Z`;
}

/** Folds a line: each further piece begins with a space. Characters are not split. */
function foldLine(line: string): string {
  if (line.length <= LINE_OCTETS / MOST_OCTETS) return line;
  const pieces: string[] = [];
  let [piece, octets] = ['', 0];
  for (const character of line) {
    const size = octetsOf(character.codePointAt(0) as number);
    if (octets + size > LINE_OCTETS - (pieces.length === 0 ? 0 : 1)) {
      pieces.push(piece);
      [piece, octets] = ['', 0];
    }
    piece += character;
    octets += size;
  }
  return [...pieces, piece].join('\r\n ');
}

/** The octets of a character in UTF-8. A lone surrogate is written as U+FFFD. */
function octetsOf(codePoint: number): number {
  if (codePoint < 0x80) return 1;
  if (codePoint < 0x800) return 2;
  return codePoint < 0x10000 ? 3 : 4;
}

/** The end of a due date that stands for a day. */
const END_OF_DAY = 'T23:59:59.000Z';

/** A property with a due date: a day if it stands for a day, otherwise a time. */
export function dateLine(property: string, dueDate: string): string {
  if (!dueDate.endsWith(END_OF_DAY)) return `${property}:${compactTime(dueDate)}`;
  return dayLine(property, dueDate);
}

/** A property with the UTC day of a time. */
export function dayLine(property: string, time: string): string {
  return `${property};VALUE=DATE:${time.slice(0, 'YYYY-MM-DD'.length).replaceAll('-', '')}`;
}

/** By status. */
const TASK_STATUSES = ['NEEDS-ACTION', 'IN-PROCESS', 'NEEDS-ACTION', 'COMPLETED'] as const;
/** For 1 (low) to 5. In RFC 5545, 1 to 4 are high, 5 is medium, and 6 to 9 are low. */
const PRIORITIES = [9, 5, 3, 2, 1] as const;

interface TaskState {
  readonly status: number;
  /** The time of completion. */
  readonly completed: string;
}

/** The lines of a task's state. */
export function stateLines({ status, completed }: TaskState): string[] {
  const line = `STATUS:${TASK_STATUSES[status]}`;
  return status === Status.COMPLETED ? [line, `COMPLETED:${compactTime(completed)}`, 'PERCENT-COMPLETE:100'] : [line];
}

/** No line for priority 0, which stands for none. Priorities above 5 are written like 5. */
export function priorityLines(priority: number): string[] {
  return priority === 0 ? [] : [`PRIORITY:${PRIORITIES[Math.min(priority, PRIORITIES.length) - 1]}`];
}

export function categoryLines(tags: readonly string[]): string[] {
  return tags.length === 0 ? [] : [`CATEGORIES:${tags.map(escapeText).join(',')}`];
}

/** The text of a calendar with these lines: folded, and ended as RFC 5545 requires. */
export function textOfLines(lines: readonly string[]): string {
  return lines.map((line) => `${foldLine(line)}\r\n`).join('');
}

/** The first lines of a calendar. */
export const HEAD_LINES = ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//Taskgraph//Taskgraph//EN'] as const;
