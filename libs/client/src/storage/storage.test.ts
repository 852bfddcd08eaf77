import { appendFile, mkdtemp, readFile, rm } from 'node:fs/promises';
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
/** Each opens anew what the one before wrote. */
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
  test('has what was written last, without what was deleted', async () => {
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

  test('hands out copies', async () => {
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

describe('a file', () => {
  test('takes a batch that a crash cut off for never written, and goes on', async () => {
    files++;
    const storage = fileStorage(path());
    await storage.write(batch({ a: 1, b: 1 }));
    await storage.close();
    await appendFile(path(), '[["a",2],["b",');
    const again = fileStorage(path());
    expect(await again.load()).toEqual(batch({ a: 1, b: 1 }));
    await again.write(batch({ b: 3 }));
    await again.close();
    expect(await fileStorage(path()).load()).toEqual(batch({ a: 1, b: 3 }));
  });

  test('is written anew when most of it is out of date', async () => {
    files++;
    const storage = fileStorage(path());
    const many = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`key ${index}`, 'value']));
    for (let turn = 0; turn < 30; turn++) await storage.write(batch({ ...many, turn }));
    await storage.close();
    expect((await readFile(path(), 'utf8')).split('\n').length).toBeLessThan(25);
    expect(await fileStorage(path()).load()).toEqual(batch({ ...many, turn: 29 }));
  });
});
