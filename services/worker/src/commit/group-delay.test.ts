import { expect, test } from 'vitest';
import { createGroupDelay } from './group-delay.ts';

function setUp() {
  const clock = { ms: 1_000 };
  return { clock, gathering: createGroupDelay(() => clock.ms) };
}

test('the first group starts at once', () => {
  expect(setUp().gathering.leftMs(1)).toBeLessThanOrEqual(0);
});

test('a group waits for the callers of the one before, for half of its time at most', () => {
  const { clock, gathering } = setUp();
  gathering.record({ size: 10, tookMs: 20, waiting: 5 });
  expect(gathering.leftMs(5)).toBe(10);
  expect(gathering.leftMs(14)).toBe(10);
  expect(gathering.leftMs(15)).toBe(0);
  clock.ms += 10;
  expect(gathering.leftMs(5)).toBe(0);
});

test('nobody waits long after a group that took long, nor after a lone caller', () => {
  const { gathering } = setUp();
  gathering.record({ size: 10, tookMs: 3_000, waiting: 0 });
  expect(gathering.leftMs(1)).toBe(25);
  gathering.record({ size: 1, tookMs: 20, waiting: 0 });
  expect(gathering.leftMs(1)).toBeLessThanOrEqual(0);
});
