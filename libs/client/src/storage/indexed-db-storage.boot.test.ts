// The storage in a browser's IndexedDB: it runs in Chromium, on a page with its own origin.
import type { Page } from '@taskgraph/testkit/stack/browser';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type BundledPages, bundledPages, untilLocks } from '../test/support/bundled-page.ts';
import type * as built from './indexed-db-storage.ts';

let pages: BundledPages;
let page: Page;
beforeAll(async () => {
  pages = await bundledPages('storage/indexed-db-storage.ts');
  page = await pages.open();
});
afterAll(() => pages?.close());
beforeEach(() => page.goto(pages.url));

/** The page's own globals. */
type Window = { built: typeof built };
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
    ['node/a', { title: 'one\n“two”' }],
    ['node/b', [1]],
    ['command/000000000001', null],
    ['meta', { position: 'one' }],
  ];
  const second: Entries = [
    ['node/b', undefined],
    ['command/000000000001', 'three'],
  ];
  const kept: Entries = [
    ['meta', { position: 'one' }],
    ['node/a', { title: 'one\n“two”' }],
    ['command/000000000001', 'three'],
  ];
  expect(await use('one', first, second)).toEqual(kept);
  await page.reload();
  expect(await use('one')).toEqual(kept);
  expect(await use('another')).toEqual([]);
});

test('a graph of thousands of entities is some chunks, of which a change rewrites one', async () => {
  const titles = Array.from({ length: 5_000 }, (_, at): [string, unknown] => [`node/${at}`, { title: `task ${at}` }]);
  await use('many', titles);
  const chunks = () =>
    page.evaluate(async () => {
      const { indexedDB } = globalThis as unknown as { indexedDB: { open(name: string): never } };
      const result = (request: { onsuccess: unknown; result: never }) =>
        new Promise<never>((resolve) => {
          request.onsuccess = () => resolve(request.result);
        });
      const database = (await result(indexedDB.open('many'))) as {
        transaction(store: string): { objectStore(name: string): { getAll(): never } };
        close(): void;
      };
      const texts = (await result(database.transaction('graph').objectStore('graph').getAll())) as string[];
      database.close();
      return texts;
    });
  const before = await chunks();
  expect(before.length).toBeLessThan(30);
  const after = await use('many', [
    ['node/77', { title: 'changed' }],
    ['node/78', undefined],
  ]);
  expect(after).toHaveLength(4_999);
  expect(new Map(after).get('node/77')).toEqual({ title: 'changed' });
  const changed = (await chunks()).filter((text, at) => text !== before[at]);
  expect(changed).toHaveLength(1);
  expect(changed[0]).not.toContain('task 78"');
});

test('writes a batch in full or not at all, and reports the reason', async () => {
  const outcome = await page.evaluate(async () => {
    const storage = (globalThis as unknown as Window).built.indexedDbStorage('broken');
    const outcomeOf = (batch: [string, unknown][]) =>
      storage.write(new Map(batch)).then(
        () => 'written',
        (error: Error) => error.name,
      );
    await outcomeOf([
      ['node/a', 1],
      ['command/1', 1],
    ]);
    // A function and a large number cannot be stored. They follow entries that can, in other chunks.
    const many = Array.from({ length: 300 }, (_, at): [string, unknown] => [`node/${at}`, 1]);
    const refused = [
      await outcomeOf([
        ['command/1', 2],
        ['command/2', () => 1],
      ]),
      await outcomeOf([['node/a', 2], ...many, ['node/b', 10n ** 20n], ['meta', 1]]),
    ];
    const left = [...(await storage.load())];
    await storage.write(new Map([['node/c', 3]]));
    const next = [...(await storage.load())];
    await storage.close();
    return { refused, left, next };
  });
  const left: Entries = [
    ['node/a', 1],
    ['command/1', 1],
  ];
  expect(outcome).toEqual({
    refused: ['DataCloneError', 'TypeError'],
    left,
    next: [left[0], ['node/c', 3], left[1]],
  });
});

/** Runs in the page: opens a database as another program would. `run` is a text. */
function inDatabase(name: string, version: number, run: string): Promise<unknown> {
  return page.evaluate(`new Promise((resolve, reject) => {
    const request = indexedDB.open(${JSON.stringify(name)}, ${version});
    request.onupgradeneeded = () => { const database = request.result; (${run})(database, request.transaction); };
    request.onsuccess = () => { request.result.close(); resolve(null); };
    request.onerror = () => reject(request.error);
  })`);
}

test('of the database of an earlier release, the commands stay', async () => {
  await inDatabase(
    'early',
    1,
    `(database) => {
      const store = database.createObjectStore('entries');
      store.put({ key: 'one' }, 'command/000000000001');
      store.put({ position: 'early' }, 'meta');
      store.put({ id: 'a' }, 'node/a');
    }`,
  );
  expect(await use('early')).toEqual([['command/000000000001', { key: 'one' }]]);
});

test('a damaged chunk drops the graph, not the commands', async () => {
  await use('damaged', [
    ['node/a', 1],
    ['meta', { position: 'one' }],
    ['command/000000000001', { key: 'one' }],
  ]);
  await page.evaluate(`new Promise((resolve) => {
    const request = indexedDB.open('damaged');
    request.onsuccess = () => {
      const transaction = request.result.transaction('graph', 'readwrite');
      transaction.objectStore('graph').put('[["node/a",', 0);
      transaction.oncomplete = () => { request.result.close(); resolve(null); };
    };
  })`);
  const command: Entries[number] = ['command/000000000001', { key: 'one' }];
  expect(await use('damaged')).toEqual([command]);
  // Without a load, a batch is a part of a graph, which nothing may take for the whole.
  expect(await use('damaged', [['node/b', 2]])).toEqual([command]);
  const entries = await page.evaluate(async () => {
    const storage = (globalThis as unknown as Window).built.indexedDbStorage('damaged');
    await storage.load();
    await storage.write(new Map([['node/b', 2]]));
    const stored = [...(await storage.load())];
    await storage.close();
    return stored;
  });
  expect(entries).toEqual([['node/b', 2], command]);
});

test('a later version is an error, and after a deletion nothing is written before the next load', async () => {
  await inDatabase('again', 99, '() => {}');
  const outcome = await page.evaluate(async () => {
    const { indexedDbStorage, deleteIndexedDb } = (globalThis as unknown as Window).built;
    const storage = indexedDbStorage('again');
    const outcomeOf = (use: Promise<unknown>) => use.then(String, ({ name, message }: Error) => `${name}: ${message}`);
    const write = () => outcomeOf(storage.write(new Map([['node/a', 1]])));
    const failed = [await outcomeOf(storage.load()), await write()].map((text) => text.split(':')[0]);
    await storage.close();
    await deleteIndexedDb('again');
    const written = [await write(), ...(await storage.load())];
    // The open storage does not block the deletion.
    await deleteIndexedDb('again');
    const { indexedDB } = globalThis as unknown as { indexedDB: { databases(): Promise<{ name: string }[]> } };
    const afterwards = [await write(), (await indexedDB.databases()).some(({ name }) => name === 'again')];
    const loaded = [...(await storage.load())];
    await storage.close();
    return { failed, written, afterwards, loaded };
  });
  expect(outcome).toEqual({
    failed: ['VersionError', 'VersionError'],
    written: ['undefined', ['node/a', 1]],
    afterwards: ['Error: the database again was deleted', false],
    loaded: [],
  });
});

test('a write is completed although its page ends before it hears of it', async () => {
  const ending = await pages.open();
  await ending.evaluate(`globalThis.storage = built.indexedDbStorage('ending'); storage.load().then(() => null)`);
  const written = pages.requested('/written');
  // The page hears of nothing any more: it stays in the turn of the write until it is closed.
  ending
    .evaluate(`(async () => {
      void storage.write(new Map([['command/000000000001', 'written']]));
      for (let turn = 0; turn < 100; turn++) await null;
      navigator.sendBeacon('/written');
      for (;;);
    })()`)
    .catch(() => undefined);
  await written;
  await ending.close();
  expect(await use('ending')).toEqual([['command/000000000001', 'written']]);
});

test('a write during the deletion of the database ends as one that was deleted with it', async () => {
  const outcome = await page.evaluate(async () => {
    const { indexedDbStorage, deleteIndexedDb } = (globalThis as unknown as Window).built;
    const storage = indexedDbStorage('during');
    await storage.load();
    const writing = storage.write(new Map([['command/1', 1]]));
    const [write] = await Promise.allSettled([writing, deleteIndexedDb('during')]);
    await storage.close();
    return write.status === 'rejected' ? String(write.reason) : write.status;
  });
  expect(outcome).toBe('fulfilled');
});

describe('two pages', () => {
  /** Runs in another page of the same browser, where `storage` stays open between calls. */
  async function openAnother(name: string): Promise<Page> {
    const another = await pages.open();
    await another.evaluate(`globalThis.storage = built.indexedDbStorage('${name}'); globalThis.takenOver = []`);
    return another;
  }
  const evaluateIn = (given: Page, text: string) => given.evaluate(`(async () => (${text}))()`);
  const load = (given: Page) =>
    evaluateIn(given, `[...(await storage.load())].map(([key, value]) => [key.replace(storage.page, 'own'), value])`);
  const listen = (given: Page) =>
    given.evaluate(`storage.onTakeOver({
      graph: () => takenOver.push('graph'),
      commands: (entries) => takenOver.push(...entries.values()),
    })`);
  const write = (given: Page, key: string, value: unknown) =>
    given.evaluate(
      `storage.write(new Map([[${JSON.stringify(key)}.replace('own', storage.page), ${JSON.stringify(value)}]]))`,
    );
  const untilTaken = (given: Page, count: number) => given.waitForFunction(`takenOver.length >= ${count}`);

  test('one writes the graph, and both their own commands', async () => {
    const [first, second] = [await openAnother('two'), await openAnother('two')];
    expect(await load(first)).toEqual([]);
    await write(first, 'node/a', 1);
    await write(first, 'command/1.own', 'of the first');
    expect(await load(second)).toEqual([['node/a', 1]]);
    await write(second, 'node/b', 2);
    await write(second, 'command/1.own', 'of the second');
    expect(await load(first)).toEqual([
      ['node/a', 1],
      ['command/1.own', 'of the first'],
    ]);
    expect(await load(second)).toEqual([
      ['node/a', 1],
      ['command/1.own', 'of the second'],
    ]);
    await Promise.all([first.close(), second.close()]);
  });

  test('when the writer ends, the other takes over its commands, and writes the graph anew', async () => {
    const [first, second] = [await openAnother('over'), await openAnother('over')];
    await load(first);
    await write(first, 'node/a', 1);
    await write(first, 'meta', { position: 'one' });
    await load(second);
    await listen(second);
    await write(first, 'command/1.own', 'of the first');
    await first.close();
    await untilTaken(second, 2);
    expect(((await second.evaluate('takenOver')) as string[]).sort()).toEqual(['graph', 'of the first']);
    await write(second, 'node/b', 2);
    const third = await openAnother('over');
    expect(await load(third)).toEqual([['node/b', 2]]);
    await Promise.all([second.close(), third.close()]);
  });

  test('when the other one ends, the writer takes over its commands', async () => {
    const [first, second] = [await openAnother('other'), await openAnother('other')];
    await load(first);
    await listen(first);
    await load(second);
    await write(second, 'command/1.own', 'of the second');
    // The first one has heard of it before the second one ends.
    await untilLocks(first, `pending.length === 2`);
    await second.close();
    await untilTaken(first, 1);
    expect(await first.evaluate('takenOver')).toEqual(['of the second']);
    await first.close();
  });

  test('[CON31] after a sign-in a database stays if a page of the same user has it open, and no other', async () => {
    const open = await openAnother('user');
    await load(open);
    await write(open, 'meta', { uid: 'ann' });
    const stays = async (user: string) => {
      await page.evaluate(`built.deleteForeignIndexedDb('user', '${user}')`);
      return evaluateIn(page, `(await indexedDB.databases()).some(({ name }) => name === 'user')`);
    };
    expect(await stays('ann')).toBe(true);
    await write(open, 'command/1.own', 'of ann');
    expect(await stays('bob')).toBe(false);
    // Until its graph is stored, it may be anybody's.
    await load(open);
    expect(await stays('ann')).toBe(false);
    await load(open);
    await write(open, 'meta', { uid: 'ann' });
    await evaluateIn(open, 'await storage.close()');
    expect(await stays('ann')).toBe(false);
    await open.close();
  });

  test('commands of pages that have ended are returned to the next one', async () => {
    const first = await openAnother('next');
    await load(first);
    await write(first, 'command/1.own', 'of the first');
    await first.close();
    const second = await openAnother('next');
    // The browser releases the locks of a page after its end.
    await untilLocks(second, `held.length === 0`);
    expect(((await load(second)) as Entries).map(([, value]) => value)).toEqual(['of the first']);
    await second.close();
  });
});
