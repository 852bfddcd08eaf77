// The storage after the browser has closed its database. The boot test covers the rest in a browser.
import { afterEach, expect, test, vi } from 'vitest';
import { createModelDatabases } from '../test/support/model-databases.ts';
import { countTurns } from '../test/support/turn-count.ts';
import { chunkEntries } from './chunk-index.ts';
import { completionOf, type DatabaseFactory, GRAPH, resultOf } from './indexed-databases.ts';
import { deleteForeignIndexedDb, indexedDbStorage } from './indexed-db-storage.ts';

/** A storage with a stored graph, and how often it asks for everything. */
async function storageWithGraph(first: readonly string[] = ['node/a', 'node/b', 'meta']) {
  const databases = createModelDatabases();
  const open = () =>
    indexedDbStorage('graph', {
      databases,
      openChannel: () => {
        throw new Error('only pages with locks have a channel');
      },
    });
  const storage = open();
  const everything = vi.fn();
  storage.onTakeOver?.({ graph: vi.fn(), commands: vi.fn(), everything });
  await storage.load();
  const write = (...keys: string[]) => storage.write(new Map(keys.map((key) => [key, 1])));
  await write(...first);
  const stored = async () => [...(await open().load()).keys()].sort();
  return { databases, open, everything, storage, write, stored };
}

/** Of more chunks than a turn of a read has, all of them full. */
const MANY = [...Array.from({ length: 5_120 }, (_, at) => `node/${at}`), 'meta'];

afterEach(() => void vi.unstubAllGlobals());

/** In the model, a read gets there without another turn of the event loop, and its next chunks need one. */
async function untilInMiddle(turns: () => number): Promise<void> {
  for (let step = 0; step < 200; step++) await null;
  expect(turns()).toBe(1);
}

test('[EVT2] after the browser has deleted its data, no part of the graph passes for the whole', async () => {
  const { databases, everything, write, stored } = await storageWithGraph();
  databases.closeAll(true);
  await write('command/000000000001');
  await write('node/b', 'meta');
  expect([everything.mock.calls.length, await stored()]).toEqual([1, ['command/000000000001']]);
  await write('node/a', 'node/b', 'meta');
  await write('node/c', 'meta');
  expect(await stored()).toEqual(['command/000000000001', 'meta', 'node/a', 'node/b', 'node/c']);
  expect(everything).toHaveBeenCalledOnce();
});

test('a database that the browser has closed alone is written on', async () => {
  const { databases, everything, write, stored } = await storageWithGraph();
  databases.closeAll(false);
  await write('node/c', 'meta');
  expect([everything.mock.calls.length, await stored()]).toEqual([0, ['meta', 'node/a', 'node/b', 'node/c']]);
});

test('[EVT2] if a chunk is damaged when the graph is read after a failed write, everything is written anew', async () => {
  const { databases, everything, storage, write, stored } = await storageWithGraph();
  // No JSON has such a number.
  await expect(storage.write(new Map([['node/a', 1n]]))).rejects.toThrow(TypeError);
  const transaction = (await resultOf(databases.open('graph'))).transaction([GRAPH], 'readwrite');
  transaction.objectStore(GRAPH).put('damaged', 0);
  await completionOf(transaction);
  await write('node/b', 'meta');
  expect(everything).toHaveBeenCalledOnce();
  await write('node/a', 'node/b', 'meta');
  expect(await stored()).toEqual(['meta', 'node/a', 'node/b']);
});

test('a graph of many chunks is read in several turns, as it was written', async () => {
  const { open } = await storageWithGraph(MANY);
  const turns = countTurns();
  let isLoaded = false;
  const loading = open()
    .load()
    .finally(() => {
      isLoaded = true;
    });
  await untilInMiddle(turns);
  expect(isLoaded).toBe(false);
  expect(await loading).toEqual(new Map(MANY.map((key) => [key, 1])));
});

test('a write in the middle of a read follows it: each entry stays in one chunk', async () => {
  const { databases, open } = await storageWithGraph(MANY);
  const storage = open();
  await storage.load();
  const turns = countTurns();
  const loading = storage.load();
  await untilInMiddle(turns);
  const changes: [string, unknown][] = [
    // It leaves the only space to the new one.
    ['node/0', undefined],
    ['node/new', 2],
    ['node/5119', 2],
    ['meta', 2],
  ];
  const writing = storage.write(new Map(changes));
  expect((await loading).get('node/5119')).toBe(1);
  await writing;
  await storage.write(new Map([['node/new', 3]]));
  const expected = new Map([...MANY.map((key): [string, unknown] => [key, 1]), ...changes, ['node/new', 3]]);
  expected.delete('node/0');
  expect(await open().load()).toEqual(expected);
  expect((await keysInChunks(databases)).sort()).toEqual([...expected.keys()].filter((key) => key !== 'meta').sort());
});

test('[EVT2] a read fails if its database is closed meanwhile: its graph may be gone', async () => {
  const { databases, everything, write, stored } = await storageWithGraph(MANY);
  databases.closeAll(false);
  const turns = countTurns();
  const writing = write('node/a', 'meta');
  const outcome = writing.then(
    () => 'written',
    (error: Error) => error.message,
  );
  await untilInMiddle(turns);
  databases.closeAll(true);
  expect(await outcome).toBe('the database graph was closed');
  await write('node/b', 'meta');
  expect([everything.mock.calls.length, await stored()]).toEqual([1, []]);
});

test('[CON31] a graph that cannot be read is deleted after a sign-in, though a page has it open', async () => {
  const { databases, open, stored } = await storageWithGraph();
  await open().write(new Map([['meta', { uid: 'ann' }]]));
  const locks = {
    request: async (_name: string, _options: unknown, callback: (lock: null) => unknown) => callback(null),
  };
  const openChannel = () => {
    throw new Error('nothing is opened');
  };
  await deleteForeignIndexedDb('graph', 'ann', { databases, locks, openChannel });
  expect(await stored()).toContain('meta');
  const damaged: DatabaseFactory = {
    ...databases,
    open: () => {
      throw new Error('the database is damaged');
    },
  };
  await deleteForeignIndexedDb('graph', 'ann', { databases: damaged, locks, openChannel });
  expect(await stored()).toEqual([]);
});

/** The keys of the nodes and links in all chunks. A key in two of them occurs twice. */
async function keysInChunks(databases: DatabaseFactory): Promise<string[]> {
  const store = (await resultOf(databases.open('graph'))).transaction([GRAPH], 'readonly').objectStore(GRAPH);
  const values = await resultOf(store.getAll());
  const texts = values.filter((value) => typeof value === 'string');
  return texts.flatMap((text) => chunkEntries(text).map(([key]) => key));
}
