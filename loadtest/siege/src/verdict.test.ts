import { describe, expect, test } from 'vitest';
import { compare, countMissed, p99 } from './verdict.ts';

describe('the verdict on a siege', () => {
  test('takes the value below which 99 in 100 lie', () => {
    expect(p99(Array.from({ length: 1_000 }, (_, index) => index))).toBe(990);
    expect(p99([7])).toBe(7);
    expect(p99([])).toBe(0);
  });

  test('fails if clients wait over five times as long, or without undisturbed times', () => {
    expect(compare('write', [10], [50])).toMatchObject({ ratio: 5, ok: true, worstMs: 50 });
    expect(compare('write', [10], [51])).toMatchObject({ ok: false });
    expect(compare('write', [], [1])).toMatchObject({ ok: false });
  });

  test('counts the batches that a guest never received', () => {
    expect(countMissed(['a', 'b', 'c'], new Set(['b']))).toBe(2);
  });
});
