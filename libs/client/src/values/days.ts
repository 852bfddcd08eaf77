// Reads and writes due dates, days and times in the forms that people and files use. Rule: IO6.
//
// A due date is stored as an instant. The last second of a day in UTC means the day itself, and
// every reader sees that day in any zone. All other instants show in the reader's zone, which is
// the zone of the process or the browser.

/**
 * The end of every stored day. It has no milliseconds, since some file formats can't carry them.
 */
const END_OF_DAY = 'T23:59:59.000Z';
const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
const LAST_YEAR = 9999;

/** ISO 8601: a day, or a day and a time of day with an optional offset. */
const WRITTEN =
  /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?(?: ?(Z|[+-]\d\d(?::?\d\d)?))?)?$/;

interface Clock {
  readonly hours: number;
  readonly minutes: number;
  readonly seconds: number;
  readonly ms: number;
}

/** The parts of a written time. It exists in the calendar, but perhaps not in every zone. */
interface WrittenTime {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  /** Null for a whole day. */
  readonly clock: Clock | null;
  /** Minutes east of UTC; null if none is written. */
  readonly offset: number | null;
}

/**
 * The reason why a text is not a valid time. The message completes a sentence that begins with the
 * text.
 */
export class TimeFault extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = 'TimeFault';
  }
}

function parseTime(text: string): WrittenTime {
  const [, year, month, day, hours, minutes, seconds = '0', fraction = '', offset] = WRITTEN.exec(text.trim()) ?? [];
  if (year === undefined)
    throw new TimeFault('is not a time such as 2026-12-24, 2026-12-24T18:00 or 2026-12-24T18:00:00Z');
  const date = { year: Number(year), month: Number(month), day: Number(day) };
  const start = utcOf(date, { hours: 0, minutes: 0, seconds: 0, ms: 0 });
  if (start.getUTCMonth() + 1 !== date.month || start.getUTCDate() !== date.day)
    throw new TimeFault('names a day that does not exist');
  if (hours === undefined) return { ...date, clock: null, offset: null };
  const clock = {
    hours: Number(hours),
    minutes: Number(minutes),
    seconds: Number(seconds),
    ms: Number(fraction.slice(0, 3).padEnd(3, '0')),
  };
  // ISO 8601 lets a day end at 24:00.
  const isEnd = clock.hours === 24 && clock.minutes + clock.seconds + clock.ms === 0;
  if ((clock.hours > 23 && !isEnd) || clock.minutes > 59 || clock.seconds > 59)
    throw new TimeFault('names a time of day that does not exist');
  return { ...date, clock, offset: offset === undefined ? null : minutesOf(offset) };
}

function minutesOf(offset: string): number {
  if (offset === 'Z') return 0;
  const [hours, minutes] = [Number(offset.slice(1, 3)), Number(offset.slice(3).replace(':', ''))];
  if (hours > 23 || minutes > 59) throw new TimeFault('has an offset that does not exist');
  return (offset.startsWith('-') ? -1 : 1) * (hours * 60 + minutes);
}

type CalendarDay = Pick<WrittenTime, 'year' | 'month' | 'day'>;

/** The Date constructors map the years 0 to 99 to 1900 to 1999, so set the year apart. */
function utcOf({ year, month, day }: CalendarDay, { hours, minutes, seconds, ms }: Clock): Date {
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  date.setUTCHours(hours, minutes, seconds, ms);
  return date;
}

function localOf({ year, month, day }: CalendarDay, { hours, minutes, seconds, ms }: Clock): Date {
  const date = new Date(year, month - 1, day, hours, minutes, seconds, ms);
  if (year < 100) date.setFullYear(year, month - 1, day);
  return date;
}

function isoOf(date: Date): string {
  const year = date.getUTCFullYear();
  if (year >= 0 && year <= LAST_YEAR) return date.toISOString();
  throw new TimeFault('is outside of the years 0 to 9999');
}

/**
 * The instant of a clock time in the reader's zone. If clocks were put back, the first of the two.
 */
function readersInstant(time: WrittenTime & { readonly clock: Clock }): Date {
  const local = localOf(time, time.clock);
  // 24:00 means the next day at 00:00.
  const meant = utcOf(time, time.clock);
  if (wallClockOf(local) !== meant.getTime())
    throw new TimeFault('names a time that clocks skip in the time zone of this computer');
  return local;
}

/** The clock in the reader's zone, as if it were one of UTC, in milliseconds. */
function wallClockOf(date: Date): number {
  const day = { year: date.getFullYear(), month: date.getMonth() + 1, day: date.getDate() };
  const clock = {
    hours: date.getHours(),
    minutes: date.getMinutes(),
    seconds: date.getSeconds(),
    ms: date.getMilliseconds(),
  };
  return utcOf(day, clock).getTime();
}

/**
 * The first moment of a day in the reader's zone. Some days have no midnight, and zones have
 * skipped whole days.
 */
function readersDay(day: CalendarDay): Date {
  const start = localOf(day, { hours: 0, minutes: 0, seconds: 0, ms: 0 });
  if (start.getDate() === day.day) return start;
  throw new TimeFault('names a day that the time zone of this computer left out');
}

/**
 * The instant of a written time with a clock. Without an offset it is one of UTC or of the reader's
 * zone.
 */
function instantOf(time: WrittenTime & { readonly clock: Clock }, zone: 'utc' | 'reader'): string {
  if (zone === 'reader' && time.offset === null) return isoOf(readersInstant(time));
  return isoOf(new Date(utcOf(time, time.clock).getTime() - (time.offset ?? 0) * MINUTE_MS));
}

function dueIn(text: string, zone: 'utc' | 'reader'): string {
  const { clock, ...time } = parseTime(text);
  return clock === null ? `${text.trim()}${END_OF_DAY}` : instantOf({ ...time, clock }, zone);
}

/**
 * The due date that a person writes, in ISO 8601 UTC with milliseconds. A day stays a day, and a
 * time of day without an offset is in the reader's zone. Throws a TimeFault.
 */
export function dueDateOf(text: string): string {
  return dueIn(text, 'reader');
}

/**
 * The due date of a file, in ISO 8601 UTC with milliseconds; null if the text is not an existing time.
 * A day stays a day, and a time of day without an offset is in UTC, so that an import depends on
 * the file alone (IO1).
 */
export function dueDateInFile(text: string): string | null {
  try {
    return dueIn(text, 'utc');
  } catch (error) {
    if (error instanceof TimeFault) return null;
    throw error;
  }
}

/** A due date for formats with days and instants: a day, or an instant in ISO 8601; '' for none. */
export function dueDateForFile(dueDate: string | null): string {
  return dueDate === null ? '' : (dayOf(dueDate) ?? dueDate);
}

/**
 * The moment that a person writes, in ISO 8601 UTC. A day starts and ends in the reader's zone.
 * Throws a TimeFault.
 */
export function momentOf(text: string, edge: 'start' | 'end'): string {
  const { clock, ...time } = parseTime(text);
  if (clock !== null) return instantOf({ ...time, clock }, 'reader');
  return isoOf(edge === 'start' ? readersDay(time) : readersEnd(time));
}

/** The last second before the next day, since clocks may skip 23:59:59. */
function readersEnd(day: CalendarDay): Date {
  readersDay(day);
  const noon = utcOf(day, { hours: 36, minutes: 0, seconds: 0, ms: 0 });
  const next = { year: noon.getUTCFullYear(), month: noon.getUTCMonth() + 1, day: noon.getUTCDate() };
  return new Date(localOf(next, { hours: 0, minutes: 0, seconds: 0, ms: 0 }).getTime() - SECOND_MS);
}

/** The day that a due date means, such as `2026-12-24`; null if it is an instant. */
export function dayOf(dueDate: string): string | null {
  return dueDate.endsWith(END_OF_DAY) ? dueDate.slice(0, -END_OF_DAY.length) : null;
}

/**
 * A due date for its reader: a day, or an instant in their zone. `dueDateOf` parses it, without
 * fractions of a second.
 */
export function dueText(dueDate: string): string {
  const day = dayOf(dueDate);
  if (day !== null) return day;
  // Older versions stored a day as its last second in the writer's zone.
  return dayOf(localIso(new Date(dueDate))) ?? momentText(dueDate);
}

/** The clock in the reader's zone, written as if it were one of UTC. */
function localIso(date: Date): string {
  return new Date(wallClockOf(date)).toISOString();
}

/**
 * An instant in the reader's zone, without fractions of a second. It has an offset if clocks were
 * put back and show it twice.
 */
export function momentText(instant: string): string {
  const time = new Date(Math.floor(Date.parse(instant) / SECOND_MS) * SECOND_MS);
  const [, date = '', clock = ''] = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)/.exec(localIso(time)) ?? [];
  // In the reader's zone the year may be -1 or 10000.
  if (date === '') return instant;
  const text = `${date} ${clock.endsWith(':00') ? clock.slice(0, 5) : clock}`;
  return isShownFor(text, time) ? text : `${text}${offsetText(-time.getTimezoneOffset())}`;
}

function isShownFor(text: string, time: Date): boolean {
  const { clock, ...rest } = parseTime(text);
  return clock !== null && localOf(rest, clock).getTime() === time.getTime();
}

function offsetText(minutes: number): string {
  const two = (number: number) => String(number).padStart(2, '0');
  const size = Math.abs(minutes);
  return `${minutes < 0 ? '-' : '+'}${two(Math.floor(size / 60))}:${two(size % 60)}`;
}

/**
 * The moment at which a due date has passed for its reader, in milliseconds. The reader's day may
 * end before or after the day in UTC.
 */
export function dueMs(dueDate: string): number {
  const day = dayOf(dueDate);
  if (day === null) return Date.parse(dueDate);
  try {
    return readersEnd(parseTime(day)).getTime();
  } catch (error) {
    if (error instanceof TimeFault) return Date.parse(dueDate);
    throw error;
  }
}
