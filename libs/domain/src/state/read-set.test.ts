// Read sets: merges, sizes, and walks from starts above the bound.
import { expect, test } from 'vitest';
import { mergeReadSets, sizeOf, touches } from './read-set.ts';

test('a merged read set has the items of all, and its size counts them', () => {
  const sum = mergeReadSets([{ nodes: ['a'], between: [['a', 'b']] }, {}, { nodes: ['b'], deleted: ['c'] }]);
  expect(sum).toEqual({ nodes: ['a', 'b'], between: [['a', 'b']], deleted: ['c'] });
  expect(sizeOf(sum)).toBe(4);
});

test('a walk from an overflowing start differs from a look-up of the same node', () => {
  const overflowing = new Set(['a']);
  expect(touches({ linksOn: ['a'] }, overflowing)).toBe(true);
  expect(touches({ paths: [{ from: 'a', to: 'b' }] }, overflowing)).toBe(true);
  expect(touches({ paths: [{ from: 'b', to: 'a' }] }, overflowing)).toBe(false);
  expect(touches({ nodes: ['a'], linksBy: [{ node: 'a', owner: 'u' }] }, overflowing)).toBe(false);
});
