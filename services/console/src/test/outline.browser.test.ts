// The outline: what stands where, how keys walk and edit, and how it stays small.
import type { Page } from '@taskgraph/testkit/stack/browser';
import { sharedStack } from '@taskgraph/testkit/stack/shared-stack';
import { expect } from 'vitest';
import { openAs, test } from './support/console-fixture.ts';

const [url = ''] = sharedStack().urls;

const row = (page: Page, title: string) => page.locator('.outline-row', { hasText: title });
const titles = (page: Page) => page.locator('.outline-title').allInnerTexts();
const focused = (page: Page, title: string) => page.locator('.outline-row:focus', { hasText: title }).waitFor();

test('[CON8] keys walk, open and close, and follow a reference to its home', async ({ openConsole, newUser }) => {
  const { email, client, add } = await newUser('walker');
  const launch = await add('Go live');
  const build = await add('Build the pages', { target: launch });
  const write = await add('Write the texts', { target: build });
  const print = await add('Print the leaflets');
  await client.link.add({ source: write, target: print });
  const { page } = await openAs(openConsole, { url, email, path: '/outline' });
  await row(page, 'Write the texts').waitFor();
  expect(await titles(page)).toEqual(['Go live', 'Build the pages', 'Print the leaflets', 'Write the texts']);
  await row(page, 'Go live').focus();
  await page.keyboard.press('ArrowDown');
  await focused(page, 'Build the pages');
  await page.keyboard.press('ArrowRight');
  await expect.poll(() => titles(page)).toHaveLength(5);
  await page.keyboard.press('End');
  await focused(page, 'also below another task');
  await page.keyboard.press('ArrowRight');
  await page.locator('.outline-row:focus[aria-level="3"]', { hasText: 'Write the texts' }).waitFor();
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('ArrowLeft');
  await expect.poll(() => titles(page)).toHaveLength(4);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { level: 2, name: 'Build the pages' }).waitFor();
  expect(new URL(page.url()).pathname).toBe(`/task/${build}`);
});

test('[CON8] a title is changed in its row, and a change of another shows', async ({ openConsole, newUser }) => {
  const { email, client, add } = await newUser('editor');
  const launch = await add('Go live');
  const { page } = await openAs(openConsole, { url, email, path: '/outline' });
  await row(page, 'Go live').focus();
  await page.keyboard.press('F2');
  await page.getByLabel('Title of “Go live”').fill('Open the shop');
  await page.keyboard.press('Enter');
  await page.getByText('Renamed “Go live” to “Open the shop”.').waitFor();
  await expect.poll(async () => (await client.node.get({ ids: [launch] })).nodes[0]?.title).toBe('Open the shop');
  await focused(page, 'Open the shop');
  await page.keyboard.press('F2');
  await page.getByLabel('Title of “Open the shop”').fill('never mind');
  await page.keyboard.press('Escape');
  await add('Paint the shop', { target: launch });
  await row(page, 'Paint the shop').waitFor();
  expect(await titles(page)).toEqual(['Open the shop', 'Paint the shop']);
  await client.node.update({ id: launch, title: 'Open two shops', volume: 3 });
  await row(page, 'Open two shops').getByText('effort 3').waitFor();
});

test('[CON8] of many tasks only the rows in view are elements, and keys reach the last', async ({
  openConsole,
  newUser,
}) => {
  const { email, client } = await newUser('keeper');
  await client.batch((batch) => {
    for (let index = 0; index < 300; index++) batch.node.add({ title: `Task ${index}` });
  });
  const { page } = await openAs(openConsole, { url, email, path: '/outline' });
  await row(page, 'Task 0').first().waitFor();
  expect(await page.getByRole('treegrid').getAttribute('aria-rowcount')).toBe('300');
  expect(await page.locator('.outline-row').count()).toBeLessThan(60);
  await page.locator('.outline-row').first().focus();
  await page.keyboard.press('End');
  await page.locator('.outline-row:focus[aria-rowindex="300"]').waitFor();
  await page.keyboard.press('ArrowUp');
  await page.locator('.outline-row:focus[aria-rowindex="299"]').waitFor();
  expect(await page.locator('.outline-row').count()).toBeLessThan(60);
});

/** The rows that are elements, as far as they show at all, and whether they fill the view. */
const rowsInView = (page: Page, view: string) =>
  page.evaluate<{ heights: number[]; misplaced: number[]; first: number; last: number; isFull: boolean }>(`(() => {
    const edges = (element) => element.getBoundingClientRect();
    const view = edges(document.querySelector('.${view}-scroller'));
    const top = edges(document.querySelector('tbody')).top;
    const rows = [...document.querySelectorAll('tbody > [aria-rowindex]')].map((row) => {
      const { top: start, bottom: end, height } = edges(row);
      return { index: Number(row.getAttribute('aria-rowindex')), start, end, height };
    });
    const shown = rows.filter(({ start, end }) => end > view.top && start < view.bottom);
    return {
      heights: [...new Set(rows.map(({ height }) => Math.round(height * 100) / 100))],
      misplaced: rows
        .filter(({ index, start, height }) => Math.abs(start - top - (index - 1) * height) > 1)
        .map(({ index }) => index),
      first: shown[0]?.index ?? 0,
      last: shown.at(-1)?.index ?? 0,
      isFull: shown.length > 0 && shown[0].start <= view.top && shown.at(-1).end >= view.bottom - 40,
    };
  })()`);

test.for([
  ['outline', 36],
  ['plan', 44],
] as const)(
  '[CON8 CON12] the rows of the %s have the height with which the list counts, also at its end',
  async ([view, height], { openConsole, newUser }) => {
    const { email, client, add } = await newUser(`measurer-${view}`);
    await add('A task with a title that is much longer than the row, '.repeat(8), {
      volume: 3,
      dueDate: '2030-01-31',
      assignee: ['Ann', 'Bob', 'A person with a name that is as long as names become'],
    });
    await client.batch((batch) => {
      for (let index = 1; index < 400; index++) batch.node.add({ title: `Task ${index}` });
    });
    const { page } = await openAs(openConsole, { url, email, path: `/${view}` });
    const scrollTo = (share: number) =>
      page.evaluate(`{
        const scroller = document.querySelector('.${view}-scroller');
        scroller.scrollTop = ${share} * scroller.scrollHeight;
      }`);
    await page.locator('[aria-rowindex="1"]').waitFor();
    await expect.poll(() => rowsInView(page, view)).toMatchObject({ heights: [height], misplaced: [], first: 1 });
    await scrollTo(0.5);
    await expect.poll(() => rowsInView(page, view)).toMatchObject({ heights: [height], misplaced: [], isFull: true });
    const { first, last } = await rowsInView(page, view);
    expect(first).toBeLessThan(200);
    expect(last).toBeGreaterThan(200);
    await scrollTo(1);
    await expect.poll(() => rowsInView(page, view)).toMatchObject({ last: 400, misplaced: [], isFull: true });

    // Letters may become larger while the view shows.
    const session = await page.context().newCDPSession(page);
    await session.send('Page.setFontSizes', { fontSizes: { standard: 32, fixed: 26 } });
    await expect.poll(() => rowsInView(page, view)).toMatchObject({ heights: [2 * height], misplaced: [] });
    await scrollTo(0.5);
    await expect
      .poll(() => rowsInView(page, view))
      .toMatchObject({ heights: [2 * height], misplaced: [], isFull: true });
  },
);

test('[CON8] adds tasks beside and below by keys, and continues until a title is empty', async ({
  openConsole,
  newUser,
}) => {
  const { email, client, add } = await newUser('writer');
  await add('Go live');
  const { page } = await openAs(openConsole, { url, email, path: '/outline' });
  await row(page, 'Go live').focus();
  await page.keyboard.press('Shift+C');
  for (const title of ['Build the pages', 'Write the texts']) {
    await page.getByLabel('Title of the new task').fill(title);
    await page.keyboard.press('Enter');
  }
  await page.keyboard.press('Enter');
  await focused(page, 'Go live');
  await page.keyboard.press('c');
  await page.getByLabel('Title of the new task').fill('Print the leaflets');
  await page.keyboard.press('Enter');
  await page.keyboard.press('Escape');
  await expect
    .poll(async () => (await client.node.find({ fields: ['title', 'status'] })).nodes.map(({ title }) => title).sort())
    .toEqual(['Build the pages', 'Go live', 'Print the leaflets', 'Write the texts']);
  expect(await titles(page)).toHaveLength(4);
  expect(await page.locator('.outline-row[aria-level="2"]').count()).toBe(2);
  await page.locator('.outline-row[data-status="2"]', { hasText: 'Go live' }).waitFor();
});

test('[CON8] what the reader writes survives what others do meanwhile', async ({ openConsole, newUser }) => {
  const { email, client, add } = await newUser('survivor');
  const launch = await add('Go live');
  const build = await add('Build the pages');
  const print = await add('Print the leaflets');
  const { page } = await openAs(openConsole, { url, email, path: '/outline' });
  const below = (title: string) => page.locator('.outline-row[aria-level="2"]', { hasText: title });

  // The edited row moves.
  await row(page, 'Build the pages').focus();
  await page.keyboard.press('F2');
  const title = page.getByLabel('Title of “Build the pages”');
  await title.fill('Build the shop');
  await client.link.add({ source: build, target: launch });
  await page.locator('.outline-row[aria-level="2"] input').waitFor();
  expect(await title.inputValue()).toBe('Build the shop');
  await title.dispatchEvent('keydown', { key: 'Enter', isComposing: true });
  await page.keyboard.type('s');
  await page.keyboard.press('Enter');
  await below('Build the shops').and(page.locator(':focus')).waitFor();

  // The task above the draft moves, and then is gone.
  await row(page, 'Print the leaflets').focus();
  await page.keyboard.press('Shift+C');
  const draft = page.getByLabel('Title of the new task');
  await draft.fill('Buy paper');
  await client.link.add({ source: print, target: launch });
  await page.locator('.outline-row[aria-level="3"] input').waitFor();
  await page.keyboard.press('Enter');
  await draft.fill('Buy ink');
  // A trash that overtakes the new task would have the service refuse the task.
  await expect
    .poll(async () => (await client.node.find({ fields: ['title'] })).nodes.map((node) => node.title))
    .toContain('Buy paper');
  await client.node.trash({ id: print });
  await expect.poll(() => below('Print the leaflets').count()).toBe(0);
  await page.keyboard.press('Enter');
  await page.getByText('“Buy ink”: This task does not exist, or you cannot see it.').waitFor();
  expect(await draft.inputValue()).toBe('Buy ink');
  await page.keyboard.press('Escape');
  await expect.poll(() => draft.count()).toBe(0);
  const { nodes } = await client.node.find({ fields: ['title'] });
  expect(nodes.map((node) => node.title).sort()).toEqual(['Build the shops', 'Buy paper', 'Go live']);
});

test('[CON8] keys do not edit a title that the reader may only see', async ({ openConsole, newUser }) => {
  const [ann, bob] = [await newUser('ann'), await newUser('bob')];
  const theirs = await ann.add('Go live');
  await bob.add('My own');
  await ann.client.call('node:access', { id: theirs, email: bob.email, level: 3, branch: false });
  const { page } = await openAs(openConsole, { url, email: bob.email, path: '/outline' });
  await row(page, 'Go live').focus();
  await page.keyboard.press('F2');
  await page.getByText('“Go live”: You can see this task, but not change it.').waitFor();
  expect(await page.locator('.outline-row input').count()).toBe(0);
  await page.keyboard.press('ArrowDown');
  await focused(page, 'My own');
});

test('[CON8] moves a task below its neighbour and out again, each as one batch', async ({ openConsole, newUser }) => {
  const { email, client, add } = await newUser('mover');
  const launch = await add('Go live');
  const build = await add('Build the pages', { target: launch });
  const write = await add('Write the texts', { target: launch });
  const { page } = await openAs(openConsole, { url, email, path: '/outline' });
  const targets = async () => {
    const { links = [] } = await client.node.get({ id: write, links: true });
    return links.filter(({ source, type }) => source === write && type === 0).map(({ target }) => target);
  };
  await row(page, 'Write the texts').focus();
  await page.keyboard.press('Alt+ArrowRight');
  await page.locator('.outline-row:focus[aria-level="3"]', { hasText: 'Write the texts' }).waitFor();
  await expect.poll(targets).toEqual([build]);
  await page.keyboard.press('Alt+ArrowLeft');
  await page.locator('.outline-row:focus[aria-level="2"]', { hasText: 'Write the texts' }).waitFor();
  await expect.poll(targets).toEqual([launch]);
  await page.keyboard.press('Alt+ArrowLeft');
  await page.locator('.outline-row:focus[aria-level="1"]', { hasText: 'Write the texts' }).waitFor();
  await expect.poll(targets).toEqual([]);
  const { batches } = await client.history.page({
    scopeType: 'USER',
    scopeId: String(client.connected.uid),
    limit: 100,
  });
  expect(batches).toHaveLength(6);
});

test.for(['outline', 'plan'] as const)(
  '[CON6] rows follow a change of the size of letters: %s',
  async (view, { openConsole, newUser }) => {
    const { email, client } = await newUser(`enlarger-${view}`);
    await client.batch((batch) => {
      for (let index = 0; index < 120; index++) batch.node.add({ title: `Task ${index}`, volume: 1 });
    });
    const { page } = await openAs(openConsole, { url, email, path: `/${view}` });
    await page.locator('tr[data-key]').first().waitFor();
    const session = await page.context().newCDPSession(page);
    const setLetters = (standard: number) =>
      session.send('Page.setFontSizes', { fontSizes: { standard, fixed: standard } });
    /** How far the height of the table is from that of all its rows; and whether rows fill the view. */
    const look = () =>
      page.evaluate<[number, boolean]>(`(() => {
        const rows = [...document.querySelectorAll('tr[data-key]')];
        const { height } = document.querySelector('tbody').getBoundingClientRect();
        const row = rows[0].getBoundingClientRect().height;
        return [Math.round((height - 120 * row) / row), rows.at(-1).getBoundingClientRect().bottom >= innerHeight];
      })()`);
    await expect.poll(look).toEqual([0, true]);
    for (const letters of [32, 9]) {
      await setLetters(letters);
      await expect.poll(look).toEqual([0, true]);
    }
  },
);
