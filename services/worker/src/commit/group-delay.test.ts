import { expect, test } from 'vitest';
import { createGroupDelay } from './group-delay.ts';

function setUp() {
  const clock = { ms: 1_000 };
  return { clock, delay: createGroupDelay(() => clock.ms) };
}

test('the first group starts at once', () => {
  expect(setUp().delay.leftMs(1)).toBeLessThanOrEqual(0);
});

test('a group waits for the callers of the previous one, for at most half of its duration', () => {
  const { clock, delay } = setUp();
  delay.record({ size: 10, tookMs: 20, waiting: 5 });
  expect(delay.leftMs(5)).toBe(10);
  expect(delay.leftMs(14)).toBe(10);
  expect(delay.leftMs(15)).toBe(0);
  clock.ms += 10;
  expect(delay.leftMs(5)).toBe(0);
});

test('no caller waits long after a slow group or a single caller', () => {
  const { delay } = setUp();
  delay.record({ size: 10, tookMs: 3_000, waiting: 0 });
  expect(delay.leftMs(1)).toBe(25);
  delay.record({ size: 1, tookMs: 20, waiting: 0 });
  expect(delay.leftMs(1)).toBeLessThanOrEqual(0);
});
