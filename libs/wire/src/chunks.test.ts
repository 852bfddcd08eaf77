import { expect, test } from 'vitest';
import { chunksOf } from './chunks.ts';

test.each([
  [[], []],
  [[1], [[1]]],
  [[1, 2], [[1, 2]]],
  [
    [1, 2, 3, 4, 5],
    [[1, 2], [3, 4], [5]],
  ],
])('%j in chunks of two', (items: number[], chunks: number[][]) => {
  expect(chunksOf(items, 2)).toEqual(chunks);
});
