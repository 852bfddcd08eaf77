import { expect, test } from 'vitest';
import { DayFault, endOfDay } from './end-of-day.ts';

test('[CON15] access ends at the end of a day, and a text that is no day is refused in words', () => {
  expect(endOfDay('')).toBeNull();
  expect(endOfDay('2099-12-24')).toBe(new Date(2099, 11, 24, 23, 59, 59, 999).toISOString());
  for (const text of ['12345-01-01', '2099-13-01', 'soon']) expect(() => endOfDay(text)).toThrow(DayFault);
  expect(() => endOfDay('soon')).toThrow('Enter a day up to the year 9999.');
});
