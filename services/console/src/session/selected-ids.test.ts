import { expect, test } from 'vitest';
import { MOST_SELECTED, parseIds, printIds, rangeOf } from './selected-ids.ts';

const uuid = (index: number) => `01890000-ffff-7fff-bfff-${index.toString(16).padStart(12, '0')}`;

test('[CON25] a selection comes back from its text, whole ids as well as short ones', () => {
  const ids = new Set([uuid(0), uuid(2 ** 40 - 1), 'pending:node:5b1c']);
  const text = printIds(ids);
  expect(text).toMatch(/^[\w-]{22},[\w-]{22},pending:node:5b1c$/);
  expect(parseIds(text)).toEqual(ids);
  expect(parseIds([...ids].join(','))).toEqual(ids);
  expect([printIds(new Set()), [...parseIds(null)], [...parseIds(',')]]).toEqual([null, [], []]);
});

test('[CON25] the text of the largest selection fits into the first line of a request', () => {
  const ids = new Set(Array.from({ length: MOST_SELECTED }, (_, index) => uuid(index)));
  expect(printIds(ids)?.length).toBeLessThan(12_000);
  expect(parseIds([...ids, uuid(MOST_SELECTED)].join(',')).size).toBe(MOST_SELECTED);
});

test('[CON25] a range goes from its beginning to its end, in both directions', () => {
  const list = [...'abcde'];
  expect(rangeOf(list, 'b', 'd')).toEqual(['b', 'c', 'd']);
  expect(rangeOf(list, 'd', 'b')).toEqual(['d', 'c', 'b']);
  expect(rangeOf(list, 'x', 'b')).toEqual(['b']);
});
