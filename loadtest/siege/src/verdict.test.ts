import { describe, expect, test } from 'vitest';
import { compare, missed, p99 } from './verdict.ts';

describe('the verdict on a siege', () => {
  test('takes the wait below which 99 in 100 lie', () => {
    expect(p99(Array.from({ length: 1_000 }, (_, index) => index))).toBe(990);
    expect(p99([7])).toBe(7);
    expect(p99([])).toBe(0);
  });

  test('is no where honest clients wait over five times as long, or nothing was measured in the quiet', () => {
    expect(compare('write', [10], [50])).toMatchObject({ ratio: 5, ok: true, worstMs: 50 });
    expect(compare('write', [10], [51])).toMatchObject({ ok: false });
    expect(compare('write', [], [1])).toMatchObject({ ok: false });
  });

  test('counts what a guest was never pushed', () => {
    expect(missed(['a', 'b', 'c'], new Set(['b']))).toBe(2);
  });
});
