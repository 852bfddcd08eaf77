import { expect, test } from 'vitest';
import { chunkEntries, chunkText, createChunkIndex } from './chunk-index.ts';

test('a new entry goes into a chunk with space, and stays there', () => {
  const index = createChunkIndex(2);
  expect(['a', 'b', 'c', 'a', 'd', 'e'].map(index.place)).toEqual([0, 0, 1, 0, 1, 2]);
});

test('a deleted entry makes space for another one', () => {
  const index = createChunkIndex(2);
  for (const key of ['a', 'b', 'c', 'd']) index.place(key);
  expect([index.remove('b'), index.remove('b'), index.remove('unknown')]).toEqual([0, undefined, undefined]);
  expect(['e', 'f'].map(index.place)).toEqual([0, 2]);
});

test('continues with the chunks of an earlier run, also with empty and full ones', () => {
  const index = createChunkIndex(2);
  index.restore(0, ['a', 'b']);
  index.restore(3, ['c']);
  index.restore(5, []);
  expect(['b', 'c', 'd', 'e', 'f', 'g'].map(index.place)).toEqual([0, 3, 3, 5, 5, 6]);
});

test('any sequence leaves each entry in one chunk, and none too large', () => {
  const most = 4;
  const index = createChunkIndex(most);
  const model = new Map<string, number>();
  let seed = 7;
  const random = (below: number) => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed % below;
  };
  for (let step = 0; step < 5_000; step++) {
    const key = `key ${random(60)}`;
    if (random(3) === 0) {
      expect(index.remove(key)).toBe(model.get(key));
      model.delete(key);
    } else {
      const chunk = index.place(key);
      expect(chunk).toBe(model.get(key) ?? chunk);
      model.set(key, chunk);
    }
    const sizes = new Map<number, number>();
    for (const chunk of model.values()) sizes.set(chunk, (sizes.get(chunk) ?? 0) + 1);
    expect(Math.max(0, ...sizes.values())).toBeLessThanOrEqual(most);
  }
});

test('a chunk is stored as a text, and a damaged one is refused', () => {
  const entries = new Map<string, unknown>([['node/a', { title: 'one\n“two”', via: [] }]]);
  expect(new Map(chunkEntries(chunkText(entries)))).toEqual(entries);
  for (const damaged of ['[["a",', '{"a":1}', '[[1,2]]', undefined]) expect(() => chunkEntries(damaged)).toThrow();
});
