import { expect, test } from 'vitest';
import { quoted } from './en.ts';
import { isolated, markEnglish, splitMarked } from './isolated.ts';

test('[CON6] a title from right to left is isolated in a sentence, and cannot leave it', () => {
  expect([isolated('Go live'), quoted('Go live')]).toEqual(['Go live', '“Go live”']);
  expect(quoted('שלום 2')).toBe('“\u2068שלום 2\u2069”');
  expect(isolated('a\u202eb\u2069c')).toBe('\u2068abc\u2069');
});

test('[CON44] a marked English text is a part of its sentence, and cannot leave it', () => {
  expect(splitMarked(`قبل ${markEnglish('It is \u2069 gone\u202e.')} بعد ${markEnglish('b')}`)).toEqual([
    'قبل ',
    'It is  gone.',
    ' بعد ',
    'b',
    '',
  ]);
  expect(splitMarked('It is gone.')).toEqual(['It is gone.']);
});
