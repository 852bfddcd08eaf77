// The storage after the browser has closed its database. The boot test covers the rest in a browser.
import { expect, test, vi } from 'vitest';
import { createModelDatabases } from '../test/support/model-databases.ts';
import { indexedDbStorage } from './indexed-db-storage.ts';

/** A storage with a stored graph, and how often it asks for everything. */
async function storageWithGraph() {
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
  await write('node/a', 'node/b', 'meta');
  const stored = async () => [...(await open().load()).keys()].sort();
  return { databases, everything, write, stored };
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
