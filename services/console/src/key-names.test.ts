import { expect, test } from 'vitest';
import { isSingleSign, keyOf } from './key-names.ts';

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
