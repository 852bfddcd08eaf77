import { expect, test } from 'vitest';
import { backoffMs, shortWaitMs } from './backoff.ts';

const minutes = (count: number) => count * 60_000;

test('[HOOK8] the delays grow to 12 hours, and then remain', () => {
  const delays = Array.from({ length: 10 }, (_, index) => backoffMs(index + 1, 0, 0.5));
  const hours = [2, 5, 10, 12, 12, 12].map((count) => minutes(60 * count));
  expect(delays).toEqual([5_000, minutes(1), minutes(5), minutes(30), ...hours]);
});

test('[HOOK8] delays differ by at most a fifth, and are not before the receiver wants them', () => {
  expect([0, 1].map((random) => backoffMs(2, 0, random))).toEqual([48_000, 72_000]);
  expect(backoffMs(1, minutes(3), 0.5)).toBe(minutes(3));
  expect(backoffMs(5, minutes(3), 0.5)).toBe(minutes(120));
});

test('what is no failure waits between one and three seconds, and longer if it repeats', () => {
  expect([0, 0.5, 1].map((random) => shortWaitMs(0, random))).toEqual([1_000, 2_000, 3_000]);
  expect([1, 2, 5, 50].map((waits) => shortWaitMs(waits, 0.5))).toEqual([4_000, 8_000, 64_000, 64_000]);
});
