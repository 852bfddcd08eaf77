// Reads durations with their units, such as `5 days`, `1w 2d` or `1:30`. Rules: IO2, IO11.
import { CLOCK_MINUTES, type DurationUnit, WORK_MINUTES, wholeMinutes } from './duration-units.ts';
import { numberOf } from './words.ts';

type ClockUnit = keyof typeof CLOCK_MINUTES;

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

/** A duration as it is written. Without a unit it has a number only. */
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

const MAXIMUM_LENGTH = 60;
const PART = /(\d+(?:[.,]\d+)?)\s*([\p{L}]*)\.?\s*/uy;

/** The unit that a name means, such as the one in `Duration (days)`. */
export function unitNamed(name: string): DurationUnit | null {
  return UNIT_NAMES.get(name) ?? null;
}

/** A duration; null if the text is none. `unit` is that of a number without one. */
export function durationOf(text: string, unit: DurationUnit | null): Duration | null {
  const trimmed = text.trim();
  if (trimmed.length > MAXIMUM_LENGTH) return null;
  const isEstimate = trimmed.startsWith('~') || trimmed.endsWith('?');
  const plain = trimmed.replace(/^~/, '').replace(/\?$/, '').trim();
  const number = numberOf(plain);
  if (number !== null) {
    if (number < 0) return null;
    const minutes = unit === null ? null : wholeMinutes(number * WORK_MINUTES[unit]);
    return { minutes, number, unit, isEstimate, isElapsed: false };
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
    const isOfClock = elapsed !== undefined && elapsed in CLOCK_MINUTES;
    isElapsed ||= isOfClock;
    minutes +=
      Number(amount.replace(',', '.')) * (isOfClock ? CLOCK_MINUTES[elapsed as ClockUnit] : WORK_MINUTES[named]);
    // Days of the clock are not days of work: hours are the largest unit that both have.
    const smallest = isOfClock && WORK_MINUTES[named] > WORK_MINUTES.hour ? 'hour' : named;
    if (unit === null || WORK_MINUTES[smallest] < WORK_MINUTES[unit]) unit = smallest;
  }
  return unit === null ? null : { minutes: wholeMinutes(minutes), number: minutes, unit, isEstimate, isElapsed };
}

/** The smallest unit that is written; null if there is none. */
export function smallestUnit(durations: readonly Duration[]): DurationUnit | null {
  return durations.reduce<DurationUnit | null>((smallest, { unit }) => {
    if (unit === null || (smallest !== null && WORK_MINUTES[smallest] <= WORK_MINUTES[unit])) return smallest;
    return unit;
  }, null);
}
