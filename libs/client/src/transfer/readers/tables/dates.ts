// The dates of tables, in the forms that spreadsheets and trackers write. Where day and month may be
// swapped, all dates of the table decide. Rules: IO6, IO10.
import { dueDateInFile } from '../../../values/days.ts';

export type DateOrder = 'day-first' | 'month-first';

/** A written day, perhaps with a time of day. */
interface DateParts {
  /** The day, or the two numbers whose order the form leaves open. */
  readonly day: { readonly year: number; readonly month: number; readonly day: number } | null;
  readonly numbers: { readonly year: number; readonly first: number; readonly second: number } | null;
  /** `T18:00:00` with an offset if there is one; '' for a day. */
  readonly clock: string;
  readonly notes: readonly DateNote[];
}

/** Something that a date says, and the due date does not. */
export type DateNote =
  | 'the start of a period, of which the end is the due date'
  | 'a time without a time zone, which is read as UTC'
  | 'a date as the number of a spreadsheet';

export interface DueDateResult {
  readonly dueDate: string;
  /** Whether only the order decided which number is the day. */
  readonly isAmbiguous: boolean;
  readonly notes: readonly DateNote[];
}

/** Characters of the longest date. */
const MAXIMUM_LENGTH = 100;
const DAY_MS = 86_400_000;
/** Day 0 of spreadsheets. */
const SPREADSHEET_EPOCH = Date.UTC(1899, 11, 30);
/** The days that a number of five digits may mean: the years 1954 to 2119. */
const [FIRST_SERIAL, LAST_SERIAL] = [20_000, 80_000];

/** Names of months by their first letters, without diacritics. A longer name only adds letters. */
const MONTHS: readonly (readonly string[])[] = [
  ['jan', 'ene', 'gen'],
  ['feb', 'fev'],
  ['mar', 'mae', 'mrz'],
  ['apr', 'avr', 'abr'],
  ['may', 'mai', 'mag'],
  ['jun', 'juin', 'giu'],
  ['jul', 'juil', 'lug'],
  ['aug', 'aou', 'ago'],
  ['sep', 'set'],
  ['oct', 'okt', 'out', 'ott'],
  ['nov'],
  ['dec', 'dez', 'dic'],
];

const WEEKDAY = /^(?:mon|tue|wed|thu|fri|sat|sun)[a-z]{0,6}\.?,?\s+/i;
const CLOCK = /(\d{1,2}):(\d\d)(?::(\d\d))?/;
/** Fractions of a second, the half of the day, and the offset. */
const AFTER_CLOCK = /^(?:[.,]\d{1,9})?(?: ?([ap])\.?m\.?)?(?: ?(Z|UTC|GMT))?(?: ?([+-]\d\d:?\d\d))?$/i;

interface ClockParts {
  readonly hour: number;
  readonly minutes: string;
  readonly seconds: string;
  /** '' if there is none. */
  readonly offset: string;
  /** The text before it. */
  readonly before: string;
}

/** The time of day at the end of a date; null if there is none. */
function clockIn(text: string, zone: string): ClockParts | null {
  const found = CLOCK.exec(text);
  const after = found === null ? null : AFTER_CLOCK.exec(text.slice(found.index + found[0].length).trimEnd());
  if (found === null || after === null || !/[\sT,]/.test(text[found.index - 1] ?? '')) return null;
  const [[, hours = '', minutes = '', seconds = '00'], [, half, utc, offset]] = [found, after];
  const hour = half === undefined ? Number(hours) : (Number(hours) % 12) + (half.toLowerCase() === 'p' ? 12 : 0);
  const words = text.slice(0, found.index - 1).trimEnd();
  const before = words.replace(/,$/, '').replace(/ (?:at|um)$/i, '');
  return { hour, minutes, seconds, offset: offset ?? (utc === undefined && zone !== 'GMT' ? '' : 'Z'), before };
}

/** The parts of a date; null if the text has no form of a date. */
function parse(text: string): DateParts | null {
  const [whole, notes]: [string, DateNote[]] = [text.trim(), []];
  if (whole.length > MAXIMUM_LENGTH) return null;
  const period = whole.split('→');
  if (period.length > 1) notes.push('the start of a period, of which the end is the due date');
  let rest = (period.at(-1) ?? '').trim().replace(WEEKDAY, '');
  // Names of time zones follow an offset, or are GMT.
  const zone = /\s\(([^()]{1,50})\)$/.exec(rest);
  if (zone !== null) rest = rest.slice(0, zone.index);
  const time = clockIn(rest, zone?.[1] ?? '');
  let clock = '';
  if (time !== null) {
    const { hour, minutes, seconds, offset } = time;
    const isDay = offset === '' && hour === 0 && minutes === '00' && seconds === '00';
    if (offset === '' && !isDay) notes.push('a time without a time zone, which is read as UTC');
    clock = isDay ? '' : `T${String(hour).padStart(2, '0')}:${minutes}:${seconds}${offset}`;
    rest = time.before;
  }
  const day = dayIn(rest.trim());
  if (day !== null) return { day: null, numbers: null, ...day, clock, notes };
  const serial = clock === '' ? serialDay(rest) : null;
  return serial === null
    ? null
    : { day: serial, numbers: null, clock, notes: [...notes, 'a date as the number of a spreadsheet'] };
}

function dayIn(text: string): Partial<Pick<DateParts, 'day' | 'numbers'>> | null {
  const parts =
    /^(\d{4})(?:年|[-/. ])\s?(\d{1,2})(?:月|[-/. ])\s?(\d{1,2})日?$/.exec(text) ?? /^(\d{4})(\d\d)(\d\d)$/.exec(text);
  if (parts !== null) return { day: { year: Number(parts[1]), month: Number(parts[2]), day: Number(parts[3]) } };
  const dotted = /^(\d{1,2})\.\s?(\d{1,2})\.\s?(\d{4}|\d\d)$/.exec(text);
  if (dotted !== null) return { day: { year: yearOf(dotted[3]), month: Number(dotted[2]), day: Number(dotted[1]) } };
  const numbers = /^(\d{1,2})([-/ ])(\d{1,2})\2(\d{4}|\d\d)$/.exec(text);
  if (numbers !== null)
    return { numbers: { year: yearOf(numbers[4]), first: Number(numbers[1]), second: Number(numbers[3]) } };
  return namedDay(text);
}

/** A day with the name of its month: `24 Dec 2026`, `Dec 24, 2026`, `24. Dezember 2026`, `24/Dec/26`. */
function namedDay(text: string): Pick<DateParts, 'day'> | null {
  const words = text.split(/[\s,./-]+/).filter((word) => word !== '' && word !== 'de' && word !== 'of');
  if (words.length !== 3) return null;
  const at = words.findIndex((word) => monthOf(word) !== null);
  const month = monthOf(words[at] ?? '');
  const [one = '', other = ''] = words.filter((_, index) => index !== at);
  if (month === null || at === 2) return null;
  const [dayText, yearText] = at === 1 && /^\d{4}$/.test(one) ? [other, one] : [one, other];
  const day = /^(\d{1,2})(?:st|nd|rd|th|er)?$/i.exec(dayText);
  if (day === null || !/^(?:\d{4}|\d\d)$/.test(yearText)) return null;
  return { day: { year: yearOf(yearText), month, day: Number(day[1]) } };
}

function monthOf(word: string): number | null {
  if (!/^\p{L}{3,12}$/u.test(word)) return null;
  const plain = word.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase();
  const index = MONTHS.findIndex((names) => names.some((name) => plain.startsWith(name)));
  return index < 0 ? null : index + 1;
}

/** Two digits mean the years 1970 to 2069. */
function yearOf(text = ''): number {
  const year = Number(text);
  return text.length === 4 ? year : year < 70 ? 2000 + year : 1900 + year;
}

function serialDay(text: string): DateParts['day'] {
  const serial = /^\d{5}(?:\.\d{1,12})?$/.test(text) ? Math.floor(Number(text)) : 0;
  if (serial < FIRST_SERIAL || serial > LAST_SERIAL) return null;
  const date = new Date(SPREADSHEET_EPOCH + serial * DAY_MS);
  return { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() };
}

/** What the numbers of one date say about the order of all dates in the table. */
export function orderShownBy(text: string): DateOrder | null {
  const { first = 0, second = 0 } = parse(text)?.numbers ?? {};
  if (first > 12 && second <= 12) return 'day-first';
  return second > 12 && first >= 1 && first <= 12 ? 'month-first' : null;
}

/** The due date of a cell; null if it is not an existing time. */
export function dateOf(text: string, order: DateOrder): DueDateResult | null {
  // Spreadsheets and trackers write a day as its midnight without a zone.
  const iso = dueDateInFile(text.replace(/^(\d{4}-\d\d-\d\d)[T ]00:00(?::00(?:\.0{1,9})?)?$/, '$1'));
  if (iso !== null) return { dueDate: iso, isAmbiguous: false, notes: [] };
  const epoch = /^\d{10}(?:\d{3})?$/.test(text) ? Number(text) * (text.length === 10 ? 1_000 : 1) : null;
  if (epoch !== null) return { dueDate: new Date(epoch).toISOString(), isAmbiguous: false, notes: [] };
  const written = parse(text);
  if (written === null) return null;
  const { numbers, clock, notes } = written;
  const isDayFirst = numbers !== null && (numbers.second > 12 ? false : numbers.first > 12 || order === 'day-first');
  const day =
    written.day ??
    (numbers === null
      ? null
      : isDayFirst
        ? { year: numbers.year, month: numbers.second, day: numbers.first }
        : { year: numbers.year, month: numbers.first, day: numbers.second });
  if (day === null) return null;
  const two = (number: number) => String(number).padStart(2, '0');
  const dueDate = dueDateInFile(`${String(day.year).padStart(4, '0')}-${two(day.month)}-${two(day.day)}${clock}`);
  if (dueDate === null) return null;
  const isAmbiguous =
    numbers !== null && numbers.first <= 12 && numbers.second <= 12 && numbers.first !== numbers.second;
  return { dueDate, isAmbiguous, notes };
}
