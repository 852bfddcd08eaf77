import { expect, test } from 'vitest';
import { endOfWindowAt, lastWindowEnd } from './due-windows.ts';

const MINUTE = Date.parse('2026-01-01T00:00:00.000Z');

test('[HOOK5] a window of due dates ends a millisecond after a full minute', () => {
  for (const [ms, end] of [
    [0, 1],
    [1, 60_001],
    [59_999, 60_001],
    [60_000, 60_001],
  ] as const) {
    expect(endOfWindowAt(MINUTE + ms)).toBe(MINUTE + end);
    // The window is over at its end, and not before.
    expect(lastWindowEnd(MINUTE + end)).toBe(MINUTE + end);
    expect(lastWindowEnd(MINUTE + end - 1)).toBe(MINUTE + end - 60_000);
  }
});
