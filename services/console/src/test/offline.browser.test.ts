// The console without a connection, and in two tabs: the copy on this device, and the changes that
// wait. A proxy in front of the gateway breaks the connection.
import { type BreakableProxy, breakableProxy } from '@taskgraph/testkit/stack/breakable-proxy';
import type { Page } from '@taskgraph/testkit/stack/browser';
import { sharedStack } from '@taskgraph/testkit/stack/shared-stack';
import { afterEach, beforeEach, describe, expect } from 'vitest';
import { look } from './support/accessibility.ts';
import { type ConsoleUser, openAs, PASSWORD, signIn, test, untilLive } from './support/console-fixture.ts';

const [url = ''] = sharedStack().urls;
/** A lost connection is reported by the browser itself. */
const LOST = [
  /ERR_CONNECTION_REFUSED|ERR_EMPTY_RESPONSE|ERR_CONNECTION_RESET|ERR_CONNECTION_CLOSED|ERR_ABORTED/,
  /WebSocket/,
];
const REFUSED = /401/;

let proxy: BreakableProxy;
beforeEach(async () => {
  proxy = await breakableProxy(url);
});
afterEach(() => proxy.close());

const bar = (page: Page, state: string) => page.locator(`.status-bar[data-state="${state}"]`);
const untilOffline = (page: Page) => bar(page, 'offline').waitFor();
const task = (page: Page, title: string) => page.getByRole('link', { name: title, exact: true });
const tray = (page: Page) => page.getByRole('dialog', { name: 'Changes' });
const until = async (check: () => Promise<unknown>, value: unknown) => expect.poll(check).toEqual(value);

/** No socket of the page connects from now on, until the returned function is called. */
async function socketSwitch(page: Page): Promise<() => void> {
  let isOnline = false;
  await page.routeWebSocket(/ext-socket/, (socket) => {
    if (isOnline) socket.connectToServer();
    else void socket.close();
  });
  return () => {
    isOnline = true;
  };
}

/** The sockets of the page's next document connect, until the returned function is called. */
async function socketCut(page: Page): Promise<() => Promise<void>> {
  let isCut = false;
  const open: { close(): Promise<void> }[] = [];
  await page.routeWebSocket(/ext-socket/, (socket) => {
    if (isCut) return void socket.close();
    socket.connectToServer();
    open.push(socket);
  });
  return async () => {
    isCut = true;
    await Promise.all(open.map((socket) => socket.close()));
  };
}

/** A command shows at once, and is in the storage a moment later. */
const untilEntered = (page: Page, text: string) =>
  until(async () => (await storedTexts(page))?.entries.includes(text), true);

/** Keeps the page from writing changes into its copy, until the returned function is called. */
async function holdEntries(page: Page): Promise<() => Promise<void>> {
  await page.evaluate(`new Promise((resolve, reject) => {
    const request = indexedDB.open('taskgraph');
    request.onerror = () => reject(request.error);
    request.onsuccess = () => {
      const database = request.result;
      const store = database.transaction('entries', 'readwrite').objectStore('entries');
      globalThis.isHeld = true;
      // A transaction lasts as long as it has requests.
      const hold = () => {
        if (!globalThis.isHeld) return database.close();
        store.count().onsuccess = hold;
        resolve(null);
      };
      hold();
    };
  })`);
  return () => page.evaluate('void (globalThis.isHeld = false)');
}

/** The entries of the copy on this device, as texts; null if there is no database. */
function storedTexts(page: Page): Promise<{ graph: string; entries: string } | null> {
  return page.evaluate(`(async () => {
    if (!(await indexedDB.databases()).some(({ name }) => name === 'taskgraph')) return null;
    const result = (request) => new Promise((resolve, reject) => {
      request.onsuccess = () => resolve(request.result);
      request.onerror = () => reject(request.error);
    });
    const request = indexedDB.open('taskgraph');
    // It was deleted meanwhile, and must not be created again.
    request.onupgradeneeded = () => request.transaction.abort();
    const database = await result(request).catch((error) => {
      if (error.name === 'AbortError') return null;
      throw error;
    });
    if (database === null) return null;
    const textOf = async (store) => JSON.stringify(await result(database.transaction(store).objectStore(store).getAll()));
    const texts = { graph: await textOf('graph'), entries: await textOf('entries') };
    database.close();
    return texts;
  })()`);
}

const untilStored = (page: Page, title: string) =>
  until(async () => (await storedTexts(page))?.graph.includes(title), true);

const titlesOf = async ({ client }: ConsoleUser) => {
  const { nodes } = await client.node.find({});
  return nodes.map(({ title }) => title).sort();
};

async function add(page: Page, title: string): Promise<void> {
  await page.getByLabel('Title of the new task').fill(title);
  await page.keyboard.press('Enter');
}

describe('the copy on this device', () => {
  test('[CON31] shows the tasks before the service answers, and catches up', async ({ openConsole, newUser }) => {
    const ann = await newUser('stored');
    const id = await ann.add('Write the texts');
    const { page, expected } = await openAs(openConsole, { url: proxy.url, email: ann.email });
    expected.push(...LOST);
    await untilStored(page, 'Write the texts');
    const online = await socketSwitch(page);
    await page.reload();
    await task(page, 'Write the texts').waitFor();
    expect(await bar(page, 'offline').count()).toBe(1);
    await ann.client.node.update({ id, title: 'Write all texts' });
    online();
    await page.reload();
    await task(page, 'Write all texts').waitFor();
    await untilLive(page);
    await untilStored(page, 'Write all texts');
  });

  test('[CON31 ACL7] what is revoked or trashed leaves it', async ({ openConsole, newUser }) => {
    const [ann, bob] = [await newUser('giver'), await newUser('taker')];
    const shared = await ann.add('The shared plan');
    const own = await bob.add('An own plan');
    const { diff } = await ann.client.access.grant({ id: shared, email: bob.email, level: 2 });
    expect(diff).toBeDefined();
    const { page } = await openAs(openConsole, { url: proxy.url, email: bob.email });
    await untilStored(page, 'The shared plan');
    await untilStored(page, 'An own plan');
    await ann.client.access.revoke({ id: shared, email: bob.email });
    await bob.client.node.trash({ id: own });
    await until(async () => /plan/.test((await storedTexts(page))?.graph ?? 'no plan'), false);
  });

  test('[CON31] a setting deletes it, and stores it again', async ({ openConsole, newUser }) => {
    const ann = await newUser('switch');
    await ann.add('Write the texts');
    const { page, expected } = await openAs(openConsole, { url: proxy.url, email: ann.email, path: '/settings' });
    expected.push(/ERR_ABORTED/);
    await untilStored(page, 'Write the texts');
    const choice = page.getByLabel('Store a copy on this device');
    await choice.uncheck();
    await page.getByText('Deleted the copy on this device.').waitFor();
    expect(await storedTexts(page)).toBeNull();
    await page.reload();
    await untilLive(page);
    expect(await storedTexts(page)).toBeNull();
    expect(await choice.isChecked()).toBe(false);
    await look(page, 'settings-copy');
    await choice.check();
    await page.getByText('This device stores a copy.').waitFor();
    await untilStored(page, 'Write the texts');
  });

  test('[CON31] turned off and on in one tab, it is stored in all', async ({
    openConsole,
    openConsoleTab,
    newUser,
  }) => {
    const ann = await newUser('tabs-switch');
    await ann.add('Write the texts');
    const first = await openAs(openConsole, { url: proxy.url, email: ann.email, path: '/settings' });
    await untilStored(first.page, 'Write the texts');
    const second = await openConsoleTab(first.page, proxy.url, '/settings');
    await untilLive(second.page);
    for (const { expected } of [first, second]) expected.push(/ERR_ABORTED/);
    const choice = ({ page }: { page: Page }) => page.getByLabel('Store a copy on this device');
    await choice(first).uncheck();
    await first.page.getByText('Deleted the copy on this device.').waitFor();
    expect(await storedTexts(second.page)).toBeNull();
    // The tab whose copy was deleted by the other one.
    await choice(second).check();
    await second.page.getByText('This device stores a copy.').waitFor();
    await untilStored(second.page, 'Write the texts');
    await second.page.close();
    await ann.add('Print the texts');
    await untilStored(first.page, 'Print the texts');
  });

  test('[CON31] ends with the session, here and elsewhere', async ({ openConsole, newUser }) => {
    const ann = await newUser('leaver');
    await ann.add('The secret plan');
    const { page, expected } = await openAs(openConsole, { url: proxy.url, email: ann.email });
    expected.push(REFUSED);
    await untilStored(page, 'The secret plan');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByText('You are signed out.').waitFor();
    expect(await storedTexts(page)).toBeNull();
    await signIn(page, ann.email);
    await untilStored(page, 'The secret plan');
    await endSessions(ann);
    await page.getByText('You are signed out.').waitFor();
    await until(() => storedTexts(page), null);
  });

  test('[CON31] a session that ended while the page was closed ends it at the next visit', async ({
    openConsole,
    newUser,
  }) => {
    const ann = await newUser('visitor');
    await ann.add('The secret plan');
    const { page, expected } = await openAs(openConsole, { url: proxy.url, email: ann.email });
    expected.push(REFUSED);
    await untilStored(page, 'The secret plan');
    await page.goto('about:blank');
    await endSessions(ann);
    await page.goto('/ready');
    await page.getByText('You are signed out.').waitFor();
    await until(() => storedTexts(page), null);
  });

  test('[CON31] the next reader of the browser sees nothing of the first one', async ({ openConsole, newUser }) => {
    const [ann, bob] = [await newUser('ann-first'), await newUser('bob-second')];
    await ann.add('The secret plan');
    await bob.add('Another plan');
    const { page } = await openAs(openConsole, { url: proxy.url, email: ann.email });
    await untilStored(page, 'The secret plan');
    // As another tab would; this one is not asked.
    const credentials = JSON.stringify({ email: bob.email, password: PASSWORD });
    await page.evaluate(`fetch('/api/login', {
      method: 'POST', headers: { 'Content-Type': 'application/json' }, body: ${JSON.stringify(credentials)},
    }).then((response) => response.text())`);
    await page.reload();
    await task(page, 'Another plan').waitFor();
    expect(await page.locator('body').innerText()).not.toContain('secret');
    await untilStored(page, 'Another plan');
    expect((await storedTexts(page))?.graph).not.toContain('secret');
  });

  test('[CON31] if it cannot be written, the page says so, and the change is done', async ({
    openConsole,
    newUser,
  }) => {
    const ann = await newUser('full');
    await ann.add('Write the texts');
    const { page } = await openAs(openConsole, { url: proxy.url, email: ann.email });
    await untilStored(page, 'Write the texts');
    // As a later release would, of which this one cannot use the database.
    await page.evaluate(`new Promise((resolve) => {
      const request = indexedDB.open('taskgraph', 99);
      request.onsuccess = () => { request.result.close(); resolve(null); };
    })`);
    await add(page, 'Print the texts');
    await page.getByText('Could not store a copy of your tasks on this device.').waitFor();
    await until(() => titlesOf(ann), ['Print the texts', 'Write the texts']);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByText('You are signed out.').waitFor();
    expect(await storedTexts(page)).toBeNull();
  });
});

test('[CON34 CON31] a reload without a connection shows all, in each view', async ({ openConsole, newUser }) => {
  const ann = await newUser('reload');
  const write = await ann.add('Write the texts');
  await ann.add('Print the texts');
  const { page, expected } = await openAs(openConsole, { url: proxy.url, email: ann.email });
  expected.push(...LOST, /Failed to load resource|Failed to fetch/);
  await untilStored(page, 'Print the texts');
  await page.evaluate('navigator.serviceWorker.ready.then(() => null)');
  proxy.cut();
  await page.reload();
  await task(page, 'Print the texts').waitFor();
  await untilOffline(page);
  for (const view of ['Board', 'Outline', 'Plan', 'Graph']) {
    await page.getByRole('link', { name: view, exact: true }).click();
    await page.getByRole('heading', { level: 1, name: view }).waitFor();
  }
  await page.goto(`/task/${write}`);
  await page.getByRole('heading', { level: 2, name: 'Write the texts' }).waitFor();
  proxy.mend();
  await untilLive(page);
  // The cache has the page and its files, and no answer of the service.
  const stored = await page.evaluate<string[]>(`caches.keys()
    .then((names) => Promise.all(names.map((name) => caches.open(name).then((cache) => cache.keys()))))
    .then((lists) => lists.flat().map(({ url }) => new URL(url).pathname.replace(/assets.*/, 'assets')))`);
  expect([...new Set(stored)].sort()).toEqual(['/', '/assets']);
});

describe('changes without a connection', () => {
  test('[CON32 GEN8] wait, outlive a reload, and are sent once', async ({ openConsole, newUser }) => {
    const ann = await newUser('away');
    const id = await ann.add('Write the texts');
    const { page, expected } = await openAs(openConsole, { url: proxy.url, email: ann.email });
    expected.push(...LOST);
    await untilStored(page, 'Write the texts');
    const online = await socketSwitch(page);
    await page.reload();
    await untilOffline(page);
    await add(page, 'Print the texts');
    // It shows at once, and is stored a moment later.
    await untilEntered(page, 'Print the texts');
    await page.goto(`/task/${id}`);
    await untilOffline(page);
    const title = page.getByRole('complementary').getByLabel('Title', { exact: true });
    await page.getByRole('button', { name: 'Change the title' }).click();
    await title.fill('Write all texts');
    await title.press('Enter');
    await page.getByRole('button', { name: 'In progress' }).click();
    const line = page.getByRole('button', { name: '3 changes wait to be sent' });
    await line.click();
    await until(
      () => tray(page).getByRole('listitem').allInnerTexts(),
      ['New task “Print the texts”', 'Changes the title of “Write all texts”', 'Sets “Write all texts” to In progress'],
    );
    await look(page, 'tray-waiting');
    await page.keyboard.press('Escape');
    await page.reload();
    await line.waitFor();
    online();
    await page.reload();
    await untilLive(page);
    await until(() => titlesOf(ann), ['Print the texts', 'Write all texts']);
    await until(async () => (await ann.client.node.get({ id })).nodes[0]?.status, 1);
    await until(async () => (await storedTexts(page))?.entries, '[]');
    expect(await page.getByRole('button', { name: /was refused/ }).count()).toBe(0);
  });

  test('[CON32] a refused one goes to the tray: copy, try again, dismiss', async ({ openConsole, newUser }) => {
    const ann = await newUser('refused');
    const [write, draw] = [await ann.add('Write the texts'), await ann.add('Draw the pages')];
    const { page, expected } = await openAs(openConsole, { url: proxy.url, email: ann.email, path: `/task/${write}` });
    expected.push(...LOST);
    await untilStored(page, 'Draw the pages');
    proxy.cut();
    await untilOffline(page);
    await rename(page, 'Write all texts');
    await task(page, 'Draw the pages').click();
    await rename(page, 'Draw all pages');
    await page.getByRole('button', { name: '2 changes wait to be sent' }).waitFor();
    await ann.client.node.trash({ id: write });
    await ann.client.node.trash({ id: draw });
    proxy.mend();
    const line = page.getByRole('button', { name: '2 changes were refused' });
    await line.click();
    await tray(page).waitFor();
    await look(page, 'tray-refused');
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'], { origin: proxy.url });
    await tray(page)
      .getByRole('button', { name: /^Copy: / })
      .first()
      .click();
    await until(() => page.evaluate('navigator.clipboard.readText()'), 'Write all texts');
    await ann.client.node.restore({ id: write });
    await tray(page)
      .getByRole('button', { name: /^Try again: / })
      .first()
      .click();
    await until(() => titlesOf(ann), ['Write all texts']);
    await tray(page)
      .getByRole('button', { name: /^Dismiss: / })
      .click();
    await tray(page).getByText('No changes are waiting').waitFor();
    await until(async () => (await storedTexts(page))?.entries, '[]');
    await page.reload();
    await untilLive(page);
    expect(await page.getByRole('button', { name: /refused/ }).count()).toBe(0);
  });

  test('[CON32] a conflict shows both values, also after a reload', async ({ openConsole, newUser }) => {
    const ann = await newUser('conflict');
    const id = await ann.add('Write the texts');
    const { page, expected } = await openAs(openConsole, { url: proxy.url, email: ann.email, path: `/task/${id}` });
    expected.push(...LOST);
    await untilStored(page, 'Write the texts');
    const online = await socketSwitch(page);
    await page.reload();
    await untilOffline(page);
    await rename(page, 'Mine');
    await page.getByRole('button', { name: '1 change waits to be sent' }).waitFor();
    await untilEntered(page, 'Mine');
    await ann.client.node.update({ id, title: 'Theirs' });
    online();
    await page.reload();
    const line = page.getByRole('button', { name: '1 change was refused' });
    await line.waitFor();
    await untilEntered(page, 'version_conflict');
    await page.reload();
    await line.click();
    await tray(page).getByText('Someone else has changed it.').waitFor();
    await tray(page).getByText('You wrote for the title: Mine · Now: Theirs').waitFor();
    await tray(page)
      .getByRole('button', { name: /^Try again: / })
      .click();
    await until(() => titlesOf(ann), ['Mine']);
  });

  test('[CON32 GEN8] a connection that breaks before the answer makes no change twice', async ({
    openConsole,
    newUser,
  }) => {
    const ann = await newUser('broken');
    const { page, expected } = await openAs(openConsole, { url: proxy.url, email: ann.email });
    expected.push(...LOST, /Failed to load resource/);
    await page.evaluate('navigator.serviceWorker.ready.then(() => null)');
    proxy.mute();
    await add(page, 'Write the texts');
    // The service has done it, and the page does not know.
    await until(() => titlesOf(ann), ['Write the texts']);
    proxy.cut();
    await untilOffline(page);
    await page.getByRole('button', { name: '1 change waits to be sent' }).waitFor();
    // The next page only knows what is stored.
    await page.reload();
    await page.getByRole('button', { name: '1 change waits to be sent' }).waitFor();
    proxy.mend();
    await untilLive(page);
    await until(async () => (await storedTexts(page))?.entries, '[]');
    expect(await titlesOf(ann)).toEqual(['Write the texts']);
    expect(await task(page, 'Write the texts').count()).toBe(1);
  });

  test('[CON32] wait only once they are stored, and before that the page asks', async ({ openConsole, newUser }) => {
    const ann = await newUser('moment');
    await ann.add('Write the texts');
    const { page, expected } = await openAs(openConsole, { url: proxy.url, email: ann.email });
    expected.push(...LOST, /Failed to load resource|Failed to fetch/);
    await untilStored(page, 'Write the texts');
    await page.evaluate('navigator.serviceWorker.ready.then(() => null)');
    proxy.cut();
    await untilOffline(page);
    const release = await holdEntries(page);
    await add(page, 'Print the texts');
    await task(page, 'Print the texts').waitFor();
    await page.getByRole('button', { name: '1 change is being stored' }).waitFor();
    expect(await page.getByRole('button', { name: 'wait' }).count()).toBe(0);
    const asked = page.waitForEvent('dialog');
    await page.close({ runBeforeUnload: true });
    const question = await asked;
    expect(question.type()).toBe('beforeunload');
    await question.dismiss();
    await release();
    await page.getByRole('button', { name: '1 change waits to be sent' }).waitFor();
    await page.reload();
    await page.getByRole('button', { name: '1 change waits to be sent' }).waitFor();
    proxy.mend();
    await until(() => titlesOf(ann), ['Print the texts', 'Write the texts']);
  });

  test('[CON32] signing out asks before it deletes what is not sent or was refused, in any tab', async ({
    openConsole,
    openConsoleTab,
    newUser,
  }) => {
    const ann = await newUser('asked');
    const id = await ann.add('Write the texts');
    const first = await openAs(openConsole, { url: proxy.url, email: ann.email, path: `/task/${id}` });
    const { page } = first;
    await untilStored(page, 'Write the texts');
    const second = await openConsoleTab(page, proxy.url, '/ready');
    await untilLive(second.page);
    for (const { expected } of [first, second]) expected.push(...LOST, REFUSED);
    proxy.cut();
    await untilOffline(page);
    await rename(page, 'Write all texts');
    await page.getByRole('button', { name: '1 change waits to be sent' }).waitFor();
    await ann.client.node.trash({ id });
    await socketSwitch(second.page);
    proxy.mend();
    await page.getByRole('button', { name: '1 change was refused' }).waitFor();
    await second.page.reload();
    await untilOffline(second.page);
    await add(second.page, 'Print the texts');
    await second.page.getByRole('button', { name: '1 change waits to be sent' }).waitFor();
    const question = page.getByRole('dialog', { name: 'Sign out and delete changes?' });
    const signOut = page.getByRole('button', { name: 'Sign out', exact: true });
    await signOut.click();
    await question.getByText('1 change is not sent yet. 1 refused change is in the tray.').waitFor();
    await look(page, 'sign-out');
    await question.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: '1 change was refused' }).click();
    await tray(page)
      .getByRole('button', { name: /^Try again: / })
      .waitFor();
    await page.keyboard.press('Escape');
    expect((await storedTexts(page))?.entries).toContain('Print the texts');
    await signOut.click();
    await question.getByRole('button', { name: 'Sign out and delete' }).click();
    await page.getByText('You are signed out.').waitFor();
    await until(() => storedTexts(page), null);
  });

  test('[CON32] signing out in a tab that lost its copy asks for those of the other tabs', async ({
    openConsole,
    openConsoleTab,
    newUser,
  }) => {
    const ann = await newUser('copyless');
    const first = await openAs(openConsole, { url: proxy.url, email: ann.email, path: '/ready' });
    const { page } = first;
    const second = await openConsoleTab(page, proxy.url, '/ready');
    await untilLive(second.page);
    for (const { expected } of [first, second]) expected.push(...LOST, REFUSED);
    await socketSwitch(second.page);
    await second.page.reload();
    await untilOffline(second.page);
    await add(second.page, 'Print the texts');
    await untilEntered(page, 'Print the texts');
    /** As a later release would, of which this one cannot use the database. */
    const upgrade = (version: number, change: string) =>
      page.evaluate(`new Promise((resolve) => {
        const request = indexedDB.open('taskgraph', ${version});
        request.onupgradeneeded = () => { ${change} };
        request.onsuccess = () => { request.result.close(); resolve(null); };
      })`);
    await upgrade(99, '');
    await add(page, 'Write the texts');
    await page.getByText('Could not store a copy of your tasks on this device.').waitFor();
    await until(() => titlesOf(ann), ['Write the texts']);
    const question = page.getByRole('dialog', { name: 'Sign out and delete changes?' });
    const signOut = page.getByRole('button', { name: 'Sign out', exact: true });
    await signOut.click();
    await question.getByText('1 change is not sent yet. Signing out deletes them.').waitFor();
    await question.getByRole('button', { name: 'Cancel' }).click();
    await upgrade(100, `request.result.deleteObjectStore('entries')`);
    await signOut.click();
    await question.getByText('Could not read whether other tabs have stored changes').waitFor();
  });

  test('[CON32] that are lost with the session are counted', async ({ openConsole, newUser }) => {
    const ann = await newUser('lost');
    const { page, expected } = await openAs(openConsole, { url: proxy.url, email: ann.email });
    expected.push(...LOST, REFUSED);
    proxy.cut();
    await untilOffline(page);
    await add(page, 'Write the texts');
    await page.getByRole('button', { name: '1 change waits to be sent' }).waitFor();
    await endSessions(ann);
    proxy.mend();
    await page.getByText('1 change was discarded without being sent.').waitFor();
    await until(() => storedTexts(page), null);
  });
});

describe('in the graph', () => {
  const card = (page: Page, words: RegExp) => page.locator('.card').and(page.getByRole('button', { name: words }));

  test('[CON39] a change that waits, and one that was refused, mark the card of their task', async ({
    openConsole,
    newUser,
  }) => {
    const ann = await newUser('marks');
    const launch = await ann.add('Go live');
    const write = await ann.add('Write the texts', { target: launch });
    const { page, expected } = await openAs(openConsole, { url: proxy.url, email: ann.email, path: '/graph' });
    expected.push(...LOST);
    await page.locator('.card', { hasText: 'Write the texts' }).focus();
    expect(await page.locator('.card[data-change]').count()).toBe(0);
    proxy.cut();
    await untilOffline(page);
    await page.keyboard.press('d');
    await card(page, /^Write the texts ?, Completed, .*a change waits to be sent$/).waitFor();
    expect(await page.locator('.card-change').allInnerTexts()).toEqual(['⋯']);
    await look(page, 'graph-waiting');
    // A Blocked task cannot be completed: the service refuses it later.
    await ann.add('Order the texts', { target: write });
    proxy.mend();
    await card(page, /^Write the texts ?, Blocked, .*a change was refused$/).waitFor();
    expect(await page.locator('.card-change').allInnerTexts()).toEqual(['!']);
    await look(page, 'graph-refused');
    await page.getByRole('button', { name: '1 change was refused' }).click();
    await tray(page)
      .getByRole('button', { name: /^Dismiss: / })
      .click();
    await page.keyboard.press('Escape');
    await page.locator('.card[data-change]').waitFor({ state: 'detached' });
    expect(await card(page, /a change/).count()).toBe(0);
  });
});

describe('two tabs', () => {
  test('[CON33] show each other’s changes, and one of them writes the copy', async ({
    openConsole,
    openConsoleTab,
    newUser,
  }) => {
    const ann = await newUser('tabs');
    await ann.add('Write the texts');
    const first = await openAs(openConsole, { url: proxy.url, email: ann.email });
    await untilStored(first.page, 'Write the texts');
    const second = await openConsoleTab(first.page, proxy.url, '/ready');
    await untilLive(second.page);
    await add(second.page, 'Print the texts');
    await task(first.page, 'Print the texts').waitFor();
    await untilStored(first.page, 'Print the texts');
    await first.page.close();
    await add(second.page, 'Bind the book');
    await untilStored(second.page, 'Bind the book');
    await second.page.getByRole('button', { name: 'Sign out' }).click();
    await second.page.getByText('You are signed out.').waitFor();
    expect(await storedTexts(second.page)).toBeNull();
  });

  test.for([
    ['the first', 0],
    ['the second', 1],
  ] as const)(
    '[CON33 GEN8] %s closes with waiting changes, and the other sends them once',
    async ([, closing], { openConsole, openConsoleTab, newUser }) => {
      const ann = await newUser(`closing${closing}`);
      await ann.add('Write the texts');
      const one = await openAs(openConsole, { url: proxy.url, email: ann.email });
      await untilStored(one.page, 'Write the texts');
      const other = await openConsoleTab(one.page, proxy.url, '/ready');
      await untilLive(other.page);
      for (const { expected } of [one, other]) expected.push(...LOST);
      proxy.cut();
      await Promise.all([untilOffline(one.page), untilOffline(other.page)]);
      await add(one.page, 'By the first tab');
      await add(other.page, 'By the second tab');
      const [ends, stays] = closing === 0 ? [one, other] : [other, one];
      await until(async () => (await storedTexts(stays.page))?.entries.match(/By the \w+ tab/g)?.length, 2);
      await ends.page.close();
      await stays.page.getByRole('button', { name: '2 changes wait to be sent' }).waitFor();
      proxy.mend();
      await until(() => titlesOf(ann), ['By the first tab', 'By the second tab', 'Write the texts']);
      await until(async () => (await storedTexts(stays.page))?.entries, '[]');
      await untilStored(stays.page, 'By the first tab');
    },
  );

  test('[CON31 CON33] signing in leaves the copy that another tab of the user has, and its changes', async ({
    openConsole,
    openConsoleTab,
    newUser,
  }) => {
    const ann = await newUser('again');
    await ann.add('Write the texts');
    const first = await openConsole(proxy.url, '/ready');
    await first.page.getByLabel('Password').waitFor();
    const second = await openConsoleTab(first.page, proxy.url, '/ready');
    for (const { expected } of [first, second]) expected.push(...LOST, REFUSED);
    const cut = await socketCut(second.page);
    // Only the sockets of a later document are routed.
    await second.page.reload();
    await signIn(second.page, ann.email);
    await untilStored(second.page, 'Write the texts');
    await cut();
    await untilOffline(second.page);
    await add(second.page, 'By the second tab');
    await untilEntered(second.page, 'By the second tab');
    await signIn(first.page, ann.email);
    await untilLive(first.page);
    // The form is gone, and so is each deletion that precedes the first view.
    expect((await storedTexts(first.page))?.entries).toContain('By the second tab');
    await add(second.page, 'Later by the second tab');
    await untilEntered(first.page, 'Later by the second tab');
    // The line follows the end of the write, and a failure would be told before it.
    await second.page.getByRole('button', { name: '2 changes wait to be sent' }).waitFor();
    expect(await second.page.getByText('Could not store a copy').count()).toBe(0);
    await second.page.close();
    await until(() => titlesOf(ann), ['By the second tab', 'Later by the second tab', 'Write the texts']);
    expect(await first.page.getByText('Could not store a copy').count()).toBe(0);
  });

  test('[CON31 ACL7] signing in as somebody else deletes the copy that another tab has', async ({
    openConsole,
    openConsoleTab,
    newUser,
  }) => {
    const [ann, bob] = [await newUser('ann-tab'), await newUser('bob-tab')];
    await ann.add('The secret plan');
    await bob.add('Another plan');
    const first = await openConsole(proxy.url, '/ready');
    await first.page.getByLabel('Password').waitFor();
    const second = await openConsoleTab(first.page, proxy.url, '/ready');
    for (const { expected } of [first, second]) expected.push(...LOST, REFUSED);
    await signIn(second.page, ann.email);
    await untilStored(second.page, 'The secret plan');
    await signIn(first.page, bob.email);
    await task(first.page, 'Another plan').waitFor();
    await untilStored(first.page, 'Another plan');
    expect((await storedTexts(first.page))?.graph).not.toContain('secret');
  });

  test('[CON33] signing out in one ends the other', async ({ openConsole, openConsoleTab, newUser }) => {
    const ann = await newUser('both');
    await ann.add('The secret plan');
    const first = await openAs(openConsole, { url: proxy.url, email: ann.email });
    const second = await openConsoleTab(first.page, proxy.url, '/ready');
    await untilLive(second.page);
    for (const { expected } of [first, second]) expected.push(REFUSED);
    await first.page.getByRole('button', { name: 'Sign out' }).click();
    await Promise.all([first, second].map(({ page }) => page.getByText('You are signed out.').waitFor()));
    await until(() => storedTexts(first.page), null);
  });
});

async function rename(page: Page, title: string): Promise<void> {
  await page.getByRole('button', { name: 'Change the title' }).click();
  const field = page.getByRole('complementary').getByLabel('Title', { exact: true });
  await field.fill(title);
  await field.press('Enter');
}

/** Ends all sessions of the user, as they would elsewhere. */
async function endSessions({ email }: ConsoleUser): Promise<void> {
  const login = await fetch(`${url}/api/login`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ email, password: PASSWORD }),
  });
  const { session } = (await login.json()) as { session: string };
  const headers = { Authorization: `Bearer ${session}`, 'Content-Type': 'application/json' };
  const ended = await fetch(`${url}/api/session`, { method: 'DELETE', headers, body: '{}' });
  expect(ended.status).toBe(200);
}
