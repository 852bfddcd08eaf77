import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Filter, isTooLong, NO_FILTER, parseFilter, printFilter, searchOf } from './filter.ts';

test('[CON14] a text has conditions and words, and unknown conditions are words', () => {
  expect(parseFilter('status:open tag:web Assignee:me late: launch plan http://x status:soon')).toEqual({
    statuses: [0, 1, 2],
    tags: ['web'],
    assignees: ['me'],
    isLate: true,
    words: 'launch plan http://x status:soon',
  });
  expect(parseFilter('')).toEqual(NO_FILTER);
  expect(parseFilter('status:done status:available').statuses).toEqual([0, 3]);
});

test('[CON14] names of the language itself are no statuses', () => {
  for (const name of ['constructor', 'toString', '__proto__'])
    expect(parseFilter(`status:${name}`)).toEqual({ ...NO_FILTER, words: `status:${name}` });
});

test('[CON14] quotes hold a value together, also while it is written', () => {
  expect(parseFilter('tag:"two words" tag:"a ""b"" c" assignee:"Ann B').tags).toEqual(['two words', 'a "b" c']);
  expect(parseFilter('assignee:"Ann B').assignees).toEqual(['Ann B']);
  expect(parseFilter('tag: status: assignee:" ')).toEqual(NO_FILTER);
});

test('[CON14] a printed filter is the same filter', () => {
  const value = fc
    .string({ unit: 'grapheme', minLength: 1 })
    .map((text) => text.trim())
    .filter((text) => text !== '');
  const values = fc.uniqueArray(value, { maxLength: 4 });
  const filter = fc.record<Filter>({
    statuses: fc.uniqueArray(fc.nat(3)).map((list) => list.toSorted((one, other) => one - other)),
    tags: values,
    assignees: values,
    isLate: fc.boolean(),
    words: fc.constantFrom('', 'launch', 'launch plan'),
  });
  fc.assert(
    fc.property(filter, (each) => {
      expect(parseFilter(printFilter(each))).toEqual(each);
    }),
  );
});

test('[CON14] any text parses, and printing it again changes nothing', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      const filter = parseFilter(text);
      expect(parseFilter(printFilter(filter))).toEqual(filter);
    }),
  );
});

test('[CON14 FIND2] a filter is a search, and one without conditions is none', () => {
  expect(searchOf(NO_FILTER)).toBeNull();
  expect(searchOf(parseFilter('status:blocked tag:web late: go'))).toEqual({
    text: 'go',
    where: { status: [2], tag: ['web'], overdue: true },
  });
  expect(searchOf(parseFilter('assignee:me'))).toEqual({ where: { assignee: ['me'] } });
});

test('[CON14 FIND4] a search has at most 10 words and 200 characters', () => {
  expect(isTooLong(parseFilter('a b c d e f g h i j'))).toBe(false);
  expect(isTooLong(parseFilter('a b c d e f g h i j k'))).toBe(true);
  expect(isTooLong(parseFilter('"a\tb\tc\td\te\tf\tg\th\ti\tj\tk"'))).toBe(true);
  expect(isTooLong(NO_FILTER)).toBe(false);
  expect(isTooLong(parseFilter('x'.repeat(201)))).toBe(true);
  expect(isTooLong(parseFilter(`tag:${'x'.repeat(256)}`))).toBe(true);
  const tags = Array.from({ length: 65 }, (_, index) => `tag:${index}`);
  expect(isTooLong(parseFilter(tags.slice(1).join(' ')))).toBe(false);
  expect(isTooLong(parseFilter(tags.join(' ')))).toBe(true);
});
