import { expect, test } from 'vitest';
import { createLocalWindows, shareOf } from './local-counter.ts';

test('[LIM3] a window begins with the first call of its key, and counts until it ends', () => {
  const count = createLocalWindows();
  expect(count('a', 10, 1_000)).toEqual({ used: 1, resetMs: 10_000 });
  expect(count('a', 10, 10_999)).toEqual({ used: 2, resetMs: 1 });
  expect(count('b', 10, 10_999)).toEqual({ used: 1, resetMs: 10_000 });
  expect(count('a', 10, 11_000)).toEqual({ used: 1, resetMs: 10_000 });
});

test.each([
  [300, 1, 300],
  [300, 2, 150],
  [5, 2, 2],
  [5, 16, 1],
])('[LIM3] of %i calls, one of %i gateways accepts %i', (points, gateways, share) => {
  expect(shareOf(points, gateways)).toBe(share);
});
