// The storage in a browser's IndexedDB: it runs in Chromium, on a page with its own origin.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Browser, openBrowser, type Page } from '@taskgraph/testkit/stack/browser';
import { rolldown } from 'rolldown';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { indexedDbStorage } from './indexed-db-storage.ts';

const PAGE = '<!doctype html><title>storage</title><script src="/storage.js"></script>';

let browser: Browser;
let page: Page;
const server = createServer();
beforeAll(async () => {
  const bundle = await rolldown({ input: new URL('./indexed-db-storage.ts', import.meta.url).pathname });
  const { output } = await bundle.generate({ format: 'iife', name: 'built' });
  await bundle.close();
  server.on('request', ({ url }, response) => {
    const isScript = url === '/storage.js';
    response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html');
    response.end(isScript ? output[0].code : PAGE);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  browser = await openBrowser();
  page = await browser.newPage();
});
afterAll(async () => {
  await browser?.close();
  server.close();
});
beforeEach(() => page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`));

/** The page's own globals. */
type Window = { built: { indexedDbStorage: typeof indexedDbStorage } };
type Entries = [string, unknown][];

/**
 * Opens the storage with this name, writes these batches, and closes it. Returns all entries.
 */
function use(name: string, ...batches: Entries[]): Promise<Entries> {
  return page.evaluate(
    async ([database, given]) => {
      const storage = (globalThis as unknown as Window).built.indexedDbStorage(database);
      await Promise.all(given.map((batch) => storage.write(new Map(batch))));
      const entries = [...(await storage.load())];
      await storage.close();
      return entries;
    },
    [name, batches] as const,
  );
}

test('returns the last values without deleted entries, also after a reload of the page', async () => {
  const first: Entries = [
    ['a', { title: 'one\n“two”' }],
    ['b', [1]],
    ['c', null],
  ];
  const second: Entries = [
    ['b', undefined],
    ['c', 'three'],
  ];
  const kept: Entries = [
    ['a', { title: 'one\n“two”' }],
    ['c', 'three'],
  ];
  expect(await use('one', first, second)).toEqual(kept);
  await page.reload();
  expect(await use('one')).toEqual(kept);
  expect(await use('another')).toEqual([]);
});

test('writes a batch in full or not at all, and reports the reason', async () => {
  const outcome = await page.evaluate(async () => {
    const storage = (globalThis as unknown as Window).built.indexedDbStorage('broken');
    await storage.write(new Map([['a', 1]]));
    // A function cannot be stored. It follows an entry that can.
    const refused = await storage
      .write(
        new Map<string, unknown>([
          ['a', 2],
          ['b', () => 1],
        ]),
      )
      .then(
        () => 'written',
        (error: Error) => error.name,
      );
    return { refused, left: [...(await storage.load())] };
  });
  expect(outcome).toEqual({ refused: 'DataCloneError', left: [['a', 1]] });
});

test('opens the database again after a failure and after its deletion', async () => {
  const outcome = await page.evaluate(async () => {
    const done = (request: { onsuccess: unknown; onerror: unknown; onblocked?: unknown; result: unknown }) =>
      new Promise((resolve, reject) => {
        request.onsuccess = () => resolve(request.result);
        request.onerror = request.onblocked = () => reject(new Error('it was refused'));
      });
    const { indexedDB } = globalThis as unknown as {
      indexedDB: { open(name: string, version: number): never; deleteDatabase(name: string): never };
    };
    // An older program cannot open a later version.
    ((await done(indexedDB.open('again', 2))) as { close(): void }).close();
    const storage = (globalThis as unknown as Window).built.indexedDbStorage('again');
    const failed = await Promise.all(
      [storage.load(), storage.write(new Map([['a', 1]]))].map((use) => use.then(String, ({ name }: Error) => name)),
    );
    await storage.close();
    await done(indexedDB.deleteDatabase('again'));
    await storage.write(new Map([['a', 1]]));
    const written = [...(await storage.load())];
    // The open storage does not block the deletion.
    await done(indexedDB.deleteDatabase('again'));
    const afterwards = [...(await storage.load())];
    await storage.close();
    return { failed, written, afterwards };
  });
  expect(outcome).toEqual({ failed: ['VersionError', 'VersionError'], written: [['a', 1]], afterwards: [] });
});
