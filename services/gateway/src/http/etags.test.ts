import { expect, test } from 'vitest';
import { etagsIn } from './etags.ts';

test.each([
  ['', []],
  ['W/"abc"', ['abc']],
  ['"abc", W/"d-e_f"', ['abc', 'd-e_f']],
  ['*', []],
  ['abc', []],
  ['"a b", "abc"', ['abc']],
  [`"${'a'.repeat(65)}"`, []],
  [Array.from({ length: 9 }, (_, index) => `"${index}"`).join(), ['0', '1', '2', '3', '4', '5', '6', '7']],
  [`${'"a",'.repeat(400)}"b"`, []],
])('the etags of %s', (header, etags) => {
  expect(etagsIn(header)).toEqual(etags);
});
