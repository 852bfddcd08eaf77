import { expect, test } from 'vitest';
import { alongLine } from './arrow-keys.ts';

test('[CON37] from right to left, the arrows of a line are exchanged, and no other key', () => {
  expect(['ArrowLeft', 'ArrowRight', 'ArrowUp', 'Alt → ←'].map((keys) => alongLine(keys, true))).toEqual([
    'ArrowRight',
    'ArrowLeft',
    'ArrowUp',
    'Alt ← →',
  ]);
  expect(alongLine('ArrowLeft', false)).toBe('ArrowLeft');
});
