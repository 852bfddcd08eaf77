// The units of durations. A volume that comes from a duration with a unit is in minutes of work, in
// every format; a number without a unit stays as it is. Rules: IO2, IO11.
import type { LossReport } from '../graph/loss-report.ts';

/** In minutes. A day of work has 8 hours, a week 5 days, a month 20 days, and a year 12 months. */
export const WORK_MINUTES = {
  year: 115_200,
  month: 9_600,
  week: 2_400,
  day: 480,
  hour: 60,
  minute: 1,
  second: 1 / 60,
  millisecond: 1 / 60_000,
} as const;
export type DurationUnit = keyof typeof WORK_MINUTES;

/** The same units on the clock, which Microsoft Project calls elapsed. */
export const CLOCK_MINUTES = { month: 43_200, week: 10_080, day: 1_440, hour: 60, minute: 1 } as const;

/** A volume. It is whole unless the duration has a part of a minute. */
export function workMinutes(number: number, unit: DurationUnit): number {
  return wholeMinutes(number * WORK_MINUTES[unit]);
}

/** Without the errors of sums and products of fractions. */
export function wholeMinutes(minutes: number): number {
  return Math.abs(minutes - Math.round(minutes)) < 1e-6 ? Math.round(minutes) : minutes;
}

/** Reports that the durations of a file, or of one column, are not in minutes. */
export function reportUnit(unit: DurationUnit, losses: LossReport, column?: string): void {
  if (unit === 'minute') return;
  const minutes = WORK_MINUTES[unit];
  const size = minutes >= 1 ? `1 ${unit} is ${minutes} minutes` : `${1 / minutes} ${unit}s are 1 minute`;
  losses.noteOnce(
    'the unit of durations, which become minutes of work',
    column === undefined ? size : `${column}: ${size}`,
  );
}
