// The storage that a replica can do without, in several pages of one browser.
import type { Page } from '@taskgraph/testkit/stack/browser';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type BundledPages, bundledPages, untilLocks } from '../test/support/bundled-page.ts';

let pages: BundledPages;
beforeAll(async () => {
  pages = await bundledPages('storage/fallback-storage.ts');
});
afterAll(() => pages?.close());

/** A page with an open storage. Its own id in a key reads `own`. */
async function openStorage(name: string) {
  const page = await pages.open();
  await page.evaluate(`
    globalThis.failures = [];
    globalThis.takenOver = [];
    globalThis.storage = built.fallbackStorage('${name}', { failed: ({ name }) => failures.push(name) });
    storage.onTakeOver({
      graph: () => takenOver.push('graph'),
      commands: (entries) => takenOver.push(...entries.values()),
      everything: (entries) => takenOver.push('everything', ...entries.values()),
    });
    storage.load().then(() => null)`);
  return { page, ...actsOn(page) };
}

function actsOn(page: Page) {
  const evaluate = (text: string) => page.evaluate(text);
  return {
    write: (key: string, value: unknown) =>
      evaluate(`storage.write(new Map([['${key}'.replace('own', storage.page), ${JSON.stringify(value)}]]))`),
    /** A function cannot be stored. */
    writeUnstorable: () => evaluate(`storage.write(new Map([['command/9.' + storage.page, () => 1]]))`),
    load: () => evaluate(`storage.load().then((entries) => [...entries.values()])`),
    turn: (to: 'On' | 'Off') => evaluate(`storage.turn${to}()`),
    isStoring: () => evaluate('storage.isStoring'),
    failures: () => evaluate('failures'),
    takenOver: () => evaluate('takenOver'),
    untilTaken: (value: unknown) => page.waitForFunction(`takenOver.includes(${JSON.stringify(value)})`),
    entriesOfOthers: () =>
      evaluate(`storage.entriesOfOthers().then((entries) => [...entries.keys()].map((key) => key.split('.')[0]))`),
    databases: () => evaluate(`indexedDB.databases().then((all) => all.map(({ name }) => name))`),
  };
}

test('[CON33] a page that gives up leaves the others their changes, and its own to them', async () => {
  const [broken, other] = [await openStorage('shared'), await openStorage('shared')];
  await broken.write('command/1.own', 'of the broken one');
  await other.write('command/1.own', 'of the other');
  expect(await other.entriesOfOthers()).toEqual(['command/1']);
  await broken.writeUnstorable();
  expect([await broken.isStoring(), await broken.failures()]).toEqual([false, ['DataCloneError']]);
  // Those which it would delete: its own are in its memory too.
  expect(await broken.entriesOfOthers()).toEqual(['command/1']);
  await other.untilTaken('of the broken one');
  expect(await other.takenOver()).toEqual(expect.arrayContaining(['graph', 'of the broken one']));
  await other.write('node/a', 'a task');
  await other.write('command/2.own', 'after it');
  expect([await other.isStoring(), await other.failures()]).toEqual([true, []]);
  await other.page.close();
  const next = await openStorage('shared');
  expect(((await next.load()) as string[]).sort()).toEqual(['a task', 'after it', 'of the broken one', 'of the other']);
  await Promise.all([broken.page.close(), next.page.close()]);
});

test('[CON33] closed during a write, it stores what is written, and deletes nothing', async () => {
  const { page, write, failures, isStoring, databases } = await openStorage('closed');
  await write('node/a', 'a task');
  await page.evaluate(`(async () => {
    void storage.write(new Map([['command/1.' + storage.page, 'the last change']]));
    await storage.close();
  })()`);
  expect([await failures(), await isStoring()]).toEqual([[], false]);
  expect(await databases()).toContain('closed');
  const next = await openStorage('closed');
  expect(await next.load()).toEqual(['a task', 'the last change']);
  await Promise.all([page.close(), next.page.close()]);
});

test('[CON31] the last page that gives up deletes what is stored', async () => {
  const [first, last] = [await openStorage('last'), await openStorage('last')];
  await first.write('node/a', 'a task');
  await first.page.close();
  // The browser frees the locks of a page a moment after its end.
  await untilLocks(last.page, `held.filter((name) => name === 'last.open').length === 1`);
  await last.writeUnstorable();
  expect(await last.databases()).not.toContain('last');
  await last.page.close();
});

test('[CON31] turned on after another page has deleted it, it stores everything again', async () => {
  const [one, other] = [await openStorage('again'), await openStorage('again')];
  await one.write('node/a', 'a task');
  await other.turn('Off');
  expect(await one.isStoring()).toBe(false);
  await one.turn('On');
  expect([await one.isStoring(), await one.takenOver()]).toEqual([true, ['everything']]);
  await one.write('node/b', 'another task');
  await one.page.reload();
  const next = await openStorage('again');
  expect(await next.load()).toEqual(['another task']);
  await Promise.all([one, other, next].map(({ page }) => page.close()));
});

test('[CON33] turned on beside a page that stores, it leaves that page its changes', async () => {
  const [one, other] = [await openStorage('beside'), await openStorage('beside')];
  await one.turn('Off');
  await other.turn('On');
  await other.write('command/1.own', 'of the other');
  await other.write('node/a', 'a task');
  await one.turn('On');
  expect([await one.isStoring(), await other.isStoring(), await other.failures()]).toEqual([true, true, []]);
  await other.page.close();
  await one.untilTaken('of the other');
  await one.page.close();
});

test('[CON32] what others have stored is known without an open storage; a failure to read it is one', async () => {
  const other = await openStorage('known');
  await other.write('command/1.own', 'of the other');
  const page = await pages.open();
  const keys = (name: string) =>
    page.evaluate(`built.fallbackStorage('${name}', { isOn: false, failed() {} }).entriesOfOthers().then(
      (entries) => [...entries.keys()].map((key) => key.split('.')[0]), ({ name }) => name)`);
  expect([await keys('known'), await keys('none'), await other.databases()]).toEqual([
    ['command/1'],
    [],
    expect.not.arrayContaining(['none']),
  ]);
  await page.evaluate(`new Promise((resolve) => {
    const request = indexedDB.open('known', 99);
    request.onupgradeneeded = () => request.result.deleteObjectStore('entries');
    request.onsuccess = () => { request.result.close(); resolve(null); };
  })`);
  expect(await keys('known')).toBe('NotFoundError');
  await Promise.all([page.close(), other.page.close()]);
});

test('[CON31] what cannot be turned on says so', async () => {
  const { page, turn, isStoring, failures } = await openStorage('later');
  await turn('Off');
  await page.evaluate(`new Promise((resolve) => {
    const request = indexedDB.open('later', 99);
    request.onsuccess = () => { request.result.close(); resolve(null); };
  })`);
  await turn('On');
  expect([await isStoring(), await failures()]).toEqual([false, ['VersionError']]);
  await page.close();
});
