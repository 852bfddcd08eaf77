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

test('[CON33] closed during a write, it stores what is written, and deletes nothing', async () => {
  vi.stubGlobal('indexedDB', createModelDatabases());
  const failed = vi.fn();
  const storage = fallbackStorage('closed', { failed });
  await storage.load();
  await storage.write(new Map([['node/a', 'a task']]));
  const write = storage.write(new Map([[`command/1.${storage.page}`, 'the last change']]));
  await storage.close();
  await write;
  expect([storage.isStoring, failed.mock.calls]).toEqual([false, []]);
  const next = fallbackStorage('closed', { failed });
  expect([...(await next.load()).values()]).toEqual(['a task', 'the last change']);
  await next.close();
});

test('[EVT2] turned on before the replica listens, it asks for everything as soon as that listens', async () => {
  vi.stubGlobal('indexedDB', createModelDatabases());
  const failed = vi.fn();
  const listen = (storage: ReturnType<typeof fallbackStorage>) => {
    const everything = vi.fn();
    storage.onTakeOver?.({ graph: vi.fn(), commands: vi.fn(), everything });
    return everything.mock.calls;
  };
  const storage = fallbackStorage('early', { failed });
  await storage.load();
  await storage.turnOff();
  await storage.turnOn();
  await storage.write(new Map([['command/000000000001', 1]]));
  expect([listen(storage), listen(storage)]).toEqual([[[new Map()]], []]);
  await storage.close();
  const next = fallbackStorage('early', { failed });
  await next.load();
  await next.turnOff();
  await next.turnOn();
  await next.turnOff();
  expect([listen(next), failed.mock.calls]).toEqual([[], []]);
  await next.close();
});
