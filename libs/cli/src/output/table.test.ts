import colors from 'picocolors';
import { expect, test } from 'vitest';
import { tableOf } from './table.ts';

const plain = { heads: ['id', 'title'], columns: null, paintHead: (text: string) => text };
const { cyan } = colors.createColors(true);

test('columns are as wide as their cells look, whatever colours or wide letters they have', () => {
  expect(
    tableOf(
      [
        [cyan('a1'), '字 x'],
        ['longer', 'b'],
      ],
      { ...plain, heads: ['id', 'title', 'end'] },
    ),
  ).toEqual(['id      title  end', `${cyan('a1')}      字 x`, 'longer  b']);
});

test('a title with a line break is one row', () => {
  expect(tableOf([['a1', 'a\nb2  c']], plain)).toEqual(['id  title', 'a1  a b2  c']);
});

test('a line is cut to the terminal, and says so', () => {
  const lines = tableOf([['a1', 'a title that goes on']], { ...plain, columns: 12 });
  expect(lines).toEqual(['id  title', 'a1  a title…']);
});
