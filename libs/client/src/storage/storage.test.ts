import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fileStorage } from './file-storage.ts';
import { memoryStorage } from './memory-storage.ts';
import type { ReplicaStorage } from './storage.ts';

let folder = '';
let files = 0;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'taskgraph-storage-'));
});
afterAll(() => rm(folder, { recursive: true }));

const path = () => join(folder, `${files}.log`);
const batch = (entries: Record<string, unknown>) => new Map(Object.entries(entries));
/** Each call opens the storage that the previous one wrote. */
const KINDS: readonly [string, () => () => ReplicaStorage][] = [
  [
    'memory',
    () => {
      const storage = memoryStorage();
      return () => storage;
    },
  ],
  [
    'a file',
    () => {
      files++;
      return () => fileStorage(path());
    },
  ],
];

describe.each(KINDS)('%s', (_name, make) => {
  test('returns the last values without deleted entries', async () => {
    const open = make();
    const first = open();
    expect(await first.load()).toEqual(new Map());
    await Promise.all([
      first.write(batch({ a: { title: 'one\n“two”' }, b: [1], c: null })),
      first.write(batch({ b: undefined, c: 'three' })),
    ]);
    await first.close();
    const again = open();
    expect(await again.load()).toEqual(batch({ a: { title: 'one\n“two”' }, c: 'three' }));
    await again.close();
  });

  test('returns copies', async () => {
    const storage = make()();
    const value = { tags: ['one'] };
    await storage.write(batch({ a: value }));
    value.tags.push('two');
    await storage.close();
    const held = (await storage.load()).get('a');
    await storage.close();
    expect(held).toEqual({ tags: ['one'] });
  });
});
