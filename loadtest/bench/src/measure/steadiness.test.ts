import { expect, test, vi } from 'vitest';
import { combineWarmUps, isSteady, warmUp } from './steadiness.ts';

test('three figures within a tenth of each other are steady, and two are not', () => {
  expect(isSteady([100, 95, 91])).toBe(true);
  expect(isSteady([100, 95])).toBe(false);
});

test('only the last three count', () => {
  expect(isSteady([10, 50, 100, 95, 91])).toBe(true);
  expect(isSteady([100, 100, 100, 80])).toBe(false);
});

test('neither a slow climb nor an empty list is steady', () => {
  expect(isSteady([80, 90, 100])).toBe(false);
  expect(isSteady([0, 0, 0])).toBe(false);
});

/** A clock that advances by a second with each turn. */
function clocked(figures: readonly number[]) {
  const clock = { ms: 0, turns: 0 };
  const turn = async () => {
    clock.ms += 1_000;
    return figures[Math.min(clock.turns++, figures.length - 1)] as number;
  };
  return { turn, clock };
}

test('a warm-up runs until every side is steady, and reports its duration', async () => {
  const { turn, clock } = clocked([10, 20, 40, 80, 81, 82]);
  const note = vi.fn();
  const outcome = await warmUp({ quick: async () => 5, slow: turn }, 60_000, note, { nowMs: () => clock.ms });
  expect(outcome).toEqual({ seconds: 6, steady: true });
  expect(note).toHaveBeenCalledWith('steady after 6 s: quick 5.00, 5.00, 5.00; slow 80.0, 81.0, 82.0');
});

test('a warm-up goes on for its least duration, though every side is steady', async () => {
  const { turn, clock } = clocked([5, 5, 5, 5, 5, 5, 5, 5]);
  const options = { leastMs: 6_000, nowMs: () => clock.ms };
  expect(await warmUp({ ours: turn }, 60_000, () => undefined, options)).toEqual({ seconds: 6, steady: true });
});

test('a warm-up that does not become steady ends at its limit and reports that', async () => {
  const { turn, clock } = clocked([1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1_024]);
  expect(await warmUp({ ours: turn }, 5_000, () => undefined, { nowMs: () => clock.ms })).toEqual({
    seconds: 5,
    steady: false,
  });
});

test('combined warm-ups are steady if all of them are', () => {
  expect(
    combineWarmUps([
      { seconds: 2, steady: true },
      { seconds: 3, steady: false },
    ]),
  ).toEqual({ seconds: 5, steady: false });
});
