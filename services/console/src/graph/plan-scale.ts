// The scale of the plan: from units of effort to places in the chart, and to days if the plan has a
// first day. Days are those of UTC, as in the plans of the service (PLAN4).
import { dayOf } from '@taskgraph/client';
import { COMPLETED, type Task } from './task.ts';

export const UNITS = ['hour', 'day', 'week'] as const;
export type Unit = (typeof UNITS)[number];

/** When a plan starts, and how long a unit of effort is. */
export interface Calendar {
  /** Of the first moment of the first day. */
  readonly startMs: number;
  readonly unit: Unit;
}

const HOUR_MS = 3_600_000;
const SECOND_MS = 1_000;
const UNIT_MS: Readonly<Record<Unit, number>> = { hour: HOUR_MS, day: 24 * HOUR_MS, week: 7 * 24 * HOUR_MS };
const LAST_DAY_MS = Date.parse('9999-12-31T00:00:00Z');
const IS_DAY = /^\d{4}-\d\d-\d\d$/;

/** The distances between ticks, in units. */
const STEPS: Readonly<Record<Unit, readonly number[]>> = {
  hour: [24, 48, 168, 336, 720, 2_160, 4_320, 8_760],
  day: [1, 2, 7, 14, 28, 91, 182, 365],
  week: [1, 2, 4, 13, 26, 52],
};

/** A calendar from the address; null without a first day. */
export function calendarOf(start: string | null, unit: string | null): Calendar | null {
  const startMs = start !== null && IS_DAY.test(start) ? Date.parse(`${start}T00:00:00Z`) : Number.NaN;
  if (Number.isNaN(startMs)) return null;
  return { startMs, unit: UNITS.find((each) => each === unit) ?? 'day' };
}

/** The day of a time of the plan, as `2026-12-24`; null after the year 9999. */
export function dayAt({ startMs, unit }: Calendar, time: number): string | null {
  const moment = startMs + time * UNIT_MS[unit];
  return moment > LAST_DAY_MS ? null : new Date(moment).toISOString().slice(0, 10);
}

/** The last day of work that ends at a time of the plan. */
export function lastDayAt(calendar: Calendar, time: number): string | null {
  return dayAt(calendar, Math.max(0, time - SECOND_MS / UNIT_MS[calendar.unit]));
}

/** The place of a moment in units since the start. `now` is the clock of the reader. */
export function timeAt({ startMs, unit }: Calendar, now: Date): number {
  const wallClockMs = now.getTime() - now.getTimezoneOffset() * 60_000;
  return (wallClockMs - startMs) / UNIT_MS[unit];
}

/** The distance between two ticks, of which there are `most` at most. */
export function tickStep(end: number, unit: Unit | null, most: number): number {
  const steps = unit === null ? [] : STEPS[unit];
  return steps.find((step) => end / step <= most) ?? roundStep(end / most);
}

/** 1, 2 or 5 times a power of ten. */
function roundStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, least)));
  return ([1, 2, 5].find((factor) => factor * power >= least) ?? 10) * power;
}

/**
 * Whether an open task is late: its due date has passed, or the plan finishes it after that. A due
 * date that stands for a day lasts until the day is over.
 */
export function isLate({ status, dueDate }: Task, finish: number, calendar: Calendar | null, nowMs: number): boolean {
  if (dueDate === null || status === COMPLETED) return false;
  const lastMs = Date.parse(dueDate) + (dayOf(dueDate) === null ? 0 : SECOND_MS);
  return lastMs < nowMs || (calendar !== null && calendar.startMs + finish * UNIT_MS[calendar.unit] > lastMs);
}
