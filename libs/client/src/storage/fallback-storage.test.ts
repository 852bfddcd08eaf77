import { afterEach, expect, test, vi } from 'vitest';
import { createModelDatabases } from '../test/support/model-databases.ts';
import { fallbackStorage } from './fallback-storage.ts';
import { deleteIndexedDb } from './indexed-db-storage.ts';

afterEach(() => void vi.unstubAllGlobals());

test('nothing is stored any more once another page has deleted the database', async () => {
  vi.stubGlobal('indexedDB', createModelDatabases());
  const failed = vi.fn();
  const storage = fallbackStorage('copy', { failed });
  await storage.load();
  await storage.write(new Map([['command/000000000001', 1]]));
  expect(storage.isStoring).toBe(true);
  await deleteIndexedDb('copy');
  expect([storage.isStoring, failed.mock.calls]).toEqual([false, []]);
  await storage.close();
});
