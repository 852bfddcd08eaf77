// Times as clients write them: ISO 8601 with an offset, in the extended or the basic format, and
// days. Rule: GEN2.

/** Milliseconds in a day of 24 hours. */
export const DAY_MS = 86_400_000;

interface TimeParts {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hours: number;
  readonly minutes: number;
  readonly seconds: number;
  readonly ms: number;
  readonly offsetMinutes: number;
}

const EXTENDED = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,99}))?)?(?:Z|([+-])(\d\d)(?::?(\d\d))?)$/;
const BASIC = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(?:(\d\d)(?:[.,](\d{1,99}))?)?(?:Z|([+-])(\d\d)(\d\d)?)$/;
const DAY = /^(\d{4})-(\d\d)-(\d\d)$/;
const BASIC_DAY = /^(\d{4})(\d\d)(\d\d)$/;

/** UTF-16 units. */
export const LONGEST_TIME = 100;
const LAST_YEAR = 9999;
const MINUTE_MS = 60_000;
/** The stored end of a day (IO6). */
const END_OF_DAY = { hours: 23, minutes: 59, seconds: 59, ms: 0, offsetMinutes: 0 } as const;

/** A time in UTC with milliseconds; null if the text is not a time with an offset that exists. */
export function normalizeTime(text: string): string | null {
  if (text.length > LONGEST_TIME) return null;
  const upper = text.toUpperCase();
  const parts = EXTENDED.exec(upper) ?? BASIC.exec(upper);
  if (parts === null) return null;
  const [year = 0, month = 0, day = 0, hours = 0, minutes = 0, seconds = 0] = parts
    .slice(1, 7)
    .map((part = '0') => Number(part));
  const [, , , , , , , fraction = '', sign, offsetHours = '0', offsetMinutes = '0'] = parts;
  if (Number(offsetHours) > 23 || Number(offsetMinutes) > 59) return null;
  const offset = Number(offsetHours) * 60 + Number(offsetMinutes);
  const ms = Number(fraction.slice(0, 3).padEnd(3, '0'));
  return instantOf({ year, month, day, hours, minutes, seconds, ms, offsetMinutes: sign === '-' ? -offset : offset });
}

/** Like `normalizeTime`, but a day without a clock is accepted too. It means its last second in UTC. */
export function normalizeDue(text: string): string | null {
  return normalizeDay(text, END_OF_DAY);
}

/** Like `normalizeTime`, but a day without a clock means its first millisecond in UTC. */
export function normalizeFirst(text: string): string | null {
  return normalizeDay(text, { hours: 0, minutes: 0, seconds: 0, ms: 0, offsetMinutes: 0 });
}

/** Like `normalizeTime`, but a day without a clock means its last millisecond in UTC. */
export function normalizeLast(text: string): string | null {
  return normalizeDay(text, { ...END_OF_DAY, ms: 999 });
}

function normalizeDay(text: string, clock: Omit<TimeParts, 'year' | 'month' | 'day'>): string | null {
  const parts = DAY.exec(text) ?? BASIC_DAY.exec(text);
  if (parts === null) return normalizeTime(text);
  const [year = 0, month = 0, day = 0] = parts.slice(1).map(Number);
  return instantOf({ year, month, day, ...clock });
}

function instantOf({ year, month, day, hours, minutes, seconds, ms, offsetMinutes }: TimeParts): string | null {
  // ISO 8601 writes the end of a day as 24:00 too.
  const isMidnight = hours === 24 && minutes === 0 && seconds === 0 && ms === 0;
  if ((hours > 23 && !isMidnight) || minutes > 59 || seconds > 59) return null;
  const time = new Date(0);
  time.setUTCFullYear(year, month - 1, day);
  if (time.getUTCMonth() !== month - 1 || time.getUTCDate() !== day) return null;
  time.setUTCHours(hours, minutes, seconds, ms);
  const utc = new Date(time.getTime() - offsetMinutes * MINUTE_MS);
  const isInRange = utc.getUTCFullYear() >= 0 && utc.getUTCFullYear() <= LAST_YEAR;
  return isInRange ? utc.toISOString() : null;
}
