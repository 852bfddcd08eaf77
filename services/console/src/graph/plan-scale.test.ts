import { expect, test } from 'vitest';
import { calendarOf, dayAt, isLate, lastDayAt, tickStep, timeAt } from './plan-scale.ts';
import type { Task } from './task.ts';

test('[CON12] a first day gives each time a day', () => {
  const days = calendarOf('2026-12-01', null);
  expect([days?.unit, dayAt(days!, 0), dayAt(days!, 31)]).toEqual(['day', '2026-12-01', '2027-01-01']);
  expect([lastDayAt(days!, 0), lastDayAt(days!, 4), lastDayAt(days!, 4.5)]).toEqual([
    '2026-12-01',
    '2026-12-04',
    '2026-12-05',
  ]);
  const weeks = calendarOf('2026-12-01', 'week');
  expect([dayAt(weeks!, 2), dayAt(weeks!, 1e9)]).toEqual(['2026-12-15', null]);
  expect(dayAt(calendarOf('2026-12-01', 'hour')!, 25)).toBe('2026-12-02');
  expect([calendarOf(null, 'day'), calendarOf('soon', 'day'), calendarOf('2026-13-01', 'day')]).toEqual([
    null,
    null,
    null,
  ]);
  expect(calendarOf('2026-12-01', 'month')?.unit).toBe('day');
});

test('[CON12] the present is at the clock of the reader', () => {
  const now = new Date(2026, 11, 3, 12);
  expect(timeAt(calendarOf('2026-12-01', 'day')!, now)).toBe(2.5);
});

test('[CON12] a scale has few ticks', () => {
  expect([1, 6, 7, 60, 61, 12_345].map((end) => tickStep(end, null, 6))).toEqual([1, 1, 2, 10, 20, 5_000]);
  expect([5, 10, 40, 4_000].map((end) => tickStep(end, 'day', 6))).toEqual([1, 2, 7, 1_000]);
});

test('[CON12 PLAN4] a task is late after its due date, or if the plan ends it later', () => {
  const calendar = calendarOf('2026-12-01', 'day');
  const now = Date.parse('2026-12-01T08:00:00Z');
  const due = (dueDate: string | null, status = 0) => ({ dueDate, status }) as Task;
  expect(isLate(due('2026-12-04T23:59:59.000Z'), 4, calendar, now)).toBe(false);
  expect(isLate(due('2026-12-04T23:59:59.000Z'), 5, calendar, now)).toBe(true);
  expect(isLate(due('2026-12-04T23:59:59.000Z'), 5, null, now)).toBe(false);
  expect(isLate(due('2026-11-30T23:59:59.000Z'), 1, null, now)).toBe(true);
  expect(isLate(due('2026-11-30T23:59:59.000Z', 3), 1, calendar, now)).toBe(false);
  expect(isLate(due(null), 1, calendar, now)).toBe(false);
});
