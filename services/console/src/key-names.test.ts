import { expect, test } from 'vitest';
import { isSingleSign, keyOf, latinKey } from './key-names.ts';

const NONE = { ctrlKey: false, metaKey: false, altKey: false, shiftKey: false };

test('[CON10] a key is named with its modifiers, whatever the platform and the case', () => {
  expect(keyOf({ ...NONE, key: 'z', ctrlKey: true })).toBe('Ctrl+Z');
  expect(keyOf({ ...NONE, key: 'z', metaKey: true })).toBe('Ctrl+Z');
  expect(keyOf({ ...NONE, key: 'Z', ctrlKey: true, shiftKey: true })).toBe('Ctrl+Shift+Z');
  expect(keyOf({ ...NONE, key: 'ArrowLeft', altKey: true })).toBe('Alt+ArrowLeft');
  expect(keyOf({ ...NONE, key: 'Delete' })).toBe('Delete');
  expect(keyOf({ ...NONE, key: '?', shiftKey: true })).toBe('?');
});

test('single signs are letters, and keys with Ctrl or a name are none', () => {
  expect(['D', '?', 'Shift+C'].filter(isSingleSign)).toEqual(['D', '?', 'Shift+C']);
  expect(['Ctrl+K', 'Delete', 'Alt+D'].filter(isSingleSign)).toEqual([]);
});

test('[CON37] a keyboard of another script has the keys of a Latin one at the same places', () => {
  expect(keyOf({ ...NONE, key: 'ؤ', code: 'KeyC' })).toBe('C');
  expect(keyOf({ ...NONE, key: 'لا', code: 'KeyB' })).toBe('B');
  expect(keyOf({ ...NONE, key: 'ئ', code: 'KeyZ', ctrlKey: true, shiftKey: true })).toBe('Ctrl+Shift+Z');
  expect(keyOf({ ...NONE, key: '٣', code: 'Digit3' })).toBe('3');
  expect(keyOf({ ...NONE, key: 'ظ', code: 'Slash' })).toBe('/');
  expect(keyOf({ ...NONE, key: '؟', code: 'Slash', shiftKey: true })).toBe('?');
  expect(keyOf({ ...NONE, key: 'q', code: 'KeyA' })).toBe('Q');
  expect(keyOf({ ...NONE, key: 'é', code: 'Digit2' })).toBe('É');
  expect([
    latinKey({ key: 'ؤ', code: 'KeyC', shiftKey: false }),
    latinKey({ key: 'ؤ', code: 'KeyC', shiftKey: true }),
  ]).toEqual(['c', 'C']);
});
