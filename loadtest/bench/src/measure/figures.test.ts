import { expect, test } from 'vitest';
import { bestOf, histogram, median, percentile, round, withMissing } from './figures.ts';

test('percentiles are measured values', () => {
  expect(median([3, 1, 2])).toBe(2);
  expect(percentile([1, 2, 3, 4, 5, 6, 7, 8, 9, 10], 0.99)).toBe(10);
  expect(median([])).toBeNaN();
});

test('the best candidate has the best average, not the best turn', () => {
  const points = [
    { clients: 4, rates: [500, 520] },
    { clients: 8, rates: [550, 560] },
    { clients: 16, rates: [300, 700] },
  ];
  expect(bestOf(points, ({ rates }) => rates).clients).toBe(8);
  expect(() => bestOf([], () => [])).toThrow('nothing to choose');
});

test('figures are rounded by their size', () => {
  expect(round(1_234.5)).toBe(1_235);
  expect(round(12.345)).toBe(12.35);
  expect(round(0.012345)).toBe(0.0123);
});

test('a histogram counts each value once, bounds included', () => {
  expect(histogram([1, 2, 2.5, 100], [1, 2, 5])).toEqual([
    [1, 1],
    [2, 1],
    [5, 1],
    [Number.POSITIVE_INFINITY, 1],
  ]);
});

test('events that never arrived count with the time of the wait', () => {
  const arrived = Array.from({ length: 97 }, () => 100);
  expect(percentile(withMissing(arrived, 100, 20_000), 0.99)).toBe(20_000);
  expect(percentile(withMissing(arrived, 97, 20_000), 0.99)).toBe(100);
  expect(withMissing([], 2, 20_000)).toEqual([20_000, 20_000]);
  // A message may come twice.
  expect(withMissing([1, 2], 1, 20_000)).toEqual([1, 2]);
});
