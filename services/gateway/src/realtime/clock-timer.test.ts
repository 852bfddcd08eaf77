import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createAlarm } from './clock-timer.ts';

const DAY_MS = 86_400_000;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function counted() {
  let rung = 0;
  const alarm = createAlarm(() => void rung++);
  return { alarm, rung: () => rung };
}

it('[ACL5] fires once at its time, and immediately for a past time', () => {
  const { alarm, rung } = counted();
  alarm.set(Date.now() + 1_000);
  vi.advanceTimersByTime(999);
  expect(rung()).toBe(0);
  vi.advanceTimersByTime(10_000);
  expect(rung()).toBe(1);
  alarm.set(Date.now() - DAY_MS);
  vi.advanceTimersByTime(1);
  expect(rung()).toBe(2);
});

it('[ACL5] waits for a time beyond the maximum of a timer', () => {
  const { alarm, rung } = counted();
  alarm.set(Date.now() + 100 * DAY_MS);
  vi.advanceTimersByTime(100 * DAY_MS - 1);
  expect(rung()).toBe(0);
  vi.advanceTimersByTime(1);
  expect(rung()).toBe(1);
});

it('replaces the previous time', () => {
  const { alarm, rung } = counted();
  alarm.set(Date.now() + 1_000);
  alarm.set(Date.now() + 5_000);
  vi.advanceTimersByTime(4_999);
  expect(rung()).toBe(0);
  alarm.set(null);
  vi.advanceTimersByTime(DAY_MS);
  expect(rung()).toBe(0);
});
