import { expect, test } from 'vitest';
import { definedFields } from './defined-fields.ts';

test('undefined fields are missing; null, false, zero and empty ones are not', () => {
  const fields = { a: undefined, b: null, c: false, d: 0, e: '' };
  expect(Object.keys(definedFields(fields))).toEqual(['b', 'c', 'd', 'e']);
});
