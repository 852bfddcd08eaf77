import { expect, test } from 'vitest';
import { createPaint } from './paint.ts';
import { tableOf } from './table.ts';

const plain = { heads: ['id', 'title'], columns: null, paintHead: (text: string) => text };
const { cyan, dim } = createPaint(true);

test('columns fit their cells, with colours and wide letters', () => {
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

test('a line is truncated to the terminal with an ellipsis', () => {
  const lines = tableOf([['a1', 'a title that goes on']], { ...plain, columns: 12 });
  expect(lines).toEqual(['id  title', 'a1  a title…']);
});

test('a line is truncated within a colour, and the colour ends', () => {
  const lines = tableOf([['a1', dim('something that you do not see')]], { ...plain, columns: 12 });
  expect(lines).toEqual(['id  title', `a1  ${dim('somethi…')}`]);
});

test('the width of a cell is its printed width', () => {
  expect(tableOf([['a\u001b[2Jb', 'c']], plain)).toEqual(['id      title', 'a [2Jb  c']);
});
