// The durations of tables, with their units. All volumes of a table get one unit. Rules: IO2, IO10.
import { numberOf } from './words.ts';

/** In minutes. A day of work has 8 hours, a week 5 days, and a month 20 days. */
const MINUTES = {
  month: 9_600,
  week: 2_400,
  day: 480,
  hour: 60,
  minute: 1,
  second: 1 / 60,
  millisecond: 1 / 60_000,
} as const;
export type DurationUnit = keyof typeof MINUTES;
/** The units of volumes, the largest first. */
const VOLUME_UNITS = ['month', 'week', 'day', 'hour', 'minute'] as const;
export type VolumeUnit = (typeof VOLUME_UNITS)[number];

/** Days, weeks and months of the clock, as Microsoft Project writes them with an `e`. */
const ELAPSED = { month: 43_200, week: 10_080, day: 1_440, hour: 60, minute: 1 } as const;

const UNIT_NAMES: ReadonlyMap<string, DurationUnit> = new Map(
  (
    [
      ['month', ['mo', 'mos', 'mon', 'mons', 'month', 'months', 'monat', 'monate', 'mes', 'meses', 'mois']],
      ['week', ['w', 'wk', 'wks', 'week', 'weeks', 'woche', 'wochen', 'semana', 'semanas', 'semaine', 'semaines']],
      ['day', ['d', 'day', 'days', 'dy', 'dys', 'tag', 'tage', 't', 'dia', 'dias', 'jour', 'jours', 'j']],
      ['hour', ['h', 'hr', 'hrs', 'hour', 'hours', 'std', 'stunde', 'stunden', 'hora', 'horas', 'heure', 'heures']],
      ['minute', ['m', 'min', 'mins', 'minute', 'minutes', 'minuten', 'minuto', 'minutos']],
      ['second', ['s', 'sec', 'secs', 'second', 'seconds', 'sek', 'sekunden']],
    ] as const
  ).flatMap(([unit, names]) => names.map((name): [string, DurationUnit] => [name, unit])),
);

/** A written duration. Without a unit it has a number only. */
export interface Duration {
  readonly minutes: number | null;
  readonly number: number;
  /** The smallest unit in it. */
  readonly unit: DurationUnit | null;
  /** Whether it has a mark such as `?` or `~`. */
  readonly isEstimate: boolean;
  /** Whether it counts the hours of the clock and not those of work. */
  readonly isElapsed: boolean;
}

const LONGEST = 60;
const PART = /(\d+(?:[.,]\d+)?)\s*([\p{L}]*)\.?\s*/uy;

/** The unit that a name means, such as the one in `Duration (days)`. */
export function unitNamed(name: string): DurationUnit | null {
  return UNIT_NAMES.get(name) ?? null;
}

/** A duration; null if the text is none. `unit` is that of a number without one. */
export function durationOf(text: string, unit: DurationUnit | null): Duration | null {
  const trimmed = text.trim();
  if (trimmed.length > LONGEST) return null;
  const isEstimate = trimmed.startsWith('~') || trimmed.endsWith('?');
  const plain = trimmed.replace(/^~/, '').replace(/\?$/, '').trim();
  const number = numberOf(plain);
  if (number !== null) {
    if (number < 0) return null;
    return { minutes: unit === null ? null : number * MINUTES[unit], number, unit, isEstimate, isElapsed: false };
  }
  const clock = /^(\d{1,4}):(\d\d)(?::(\d\d))?$/.exec(plain);
  if (clock !== null) {
    const minutes = Number(clock[1]) * 60 + Number(clock[2]) + Number(clock[3] ?? 0) / 60;
    return { minutes, number: minutes, unit: 'minute', isEstimate, isElapsed: false };
  }
  return partsOf(plain, isEstimate);
}

function partsOf(plain: string, isEstimate: boolean): Duration | null {
  let [minutes, unit, isElapsed]: [number, DurationUnit | null, boolean] = [0, null, false];
  PART.lastIndex = 0;
  for (let at = 0; at < plain.length; at = PART.lastIndex) {
    const [, amount = '', written = ''] = PART.exec(plain) ?? [];
    const word = written.toLowerCase().normalize('NFKD').replaceAll(/\p{M}/gu, '');
    const elapsed = word.length > 1 && word.startsWith('e') ? UNIT_NAMES.get(word.slice(1)) : undefined;
    const named = UNIT_NAMES.get(word) ?? elapsed;
    if (amount === '' || named === undefined) return null;
    const isOfClock = elapsed !== undefined && elapsed in ELAPSED;
    isElapsed ||= isOfClock;
    minutes += Number(amount.replace(',', '.')) * (isOfClock ? ELAPSED[elapsed as VolumeUnit] : MINUTES[named]);
    // Days of the clock are not days of work: hours are the largest unit that both have.
    const smallest = isOfClock && MINUTES[named] > MINUTES.hour ? 'hour' : named;
    if (unit === null || MINUTES[smallest] < MINUTES[unit]) unit = smallest;
  }
  return unit === null ? null : { minutes, number: minutes, unit, isEstimate, isElapsed };
}

/**
 * The unit of all volumes of a table: the largest in which every duration is a whole number, and
 * not larger than the smallest that is written. Null if no duration has a unit.
 */
export function volumeUnit(durations: readonly Duration[]): VolumeUnit | null {
  const measured = durations.filter(({ minutes, unit }) => minutes !== null && unit !== null);
  if (measured.length === 0) return null;
  const smallest = Math.min(...new Set(measured.map(({ unit }) => MINUTES[unit ?? 'minute'])));
  const isWhole = (size: number) =>
    measured.every(({ minutes }) => Math.abs((minutes ?? 0) / size - Math.round((minutes ?? 0) / size)) < 1e-6);
  return VOLUME_UNITS.find((unit) => MINUTES[unit] <= Math.max(1, smallest) && isWhole(MINUTES[unit])) ?? 'minute';
}

export function inUnit(minutes: number, unit: VolumeUnit): number {
  const volume = minutes / MINUTES[unit];
  return Math.abs(volume - Math.round(volume)) < 1e-6 ? Math.round(volume) : volume;
}

export function minutesIn(number: number, unit: VolumeUnit): number {
  return number * MINUTES[unit];
}
