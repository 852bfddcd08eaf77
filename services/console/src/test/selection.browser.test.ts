// The selection: one set of tasks in the address and in all views, and what is done with all of them.
import type { Page } from '@taskgraph/testkit/stack/browser';
import { sharedStack } from '@taskgraph/testkit/stack/shared-stack';
import { describe, expect } from 'vitest';
import { cutOff, look } from './support/accessibility.ts';
import { type ConsoleUser, openAs, test, untilLive } from './support/console-fixture.ts';

const [url = ''] = sharedStack().urls;
const VIEWER = 3;

const bar = (page: Page) => page.getByRole('region', { name: 'Selection' });
const act = (page: Page, name: string) => bar(page).getByRole('button', { name, exact: true });
const dialog = (page: Page) => page.locator('dialog.question');
const messagesOf = (page: Page) => page.getByRole('region', { name: 'Messages' });
const row = (page: Page, title: string) => page.locator('.outline-row', { hasText: title });
const readyLink = (page: Page, title: string) => page.locator('.row-title', { hasText: title });
const selectedRows = (page: Page) => page.locator('.outline-row[aria-selected="true"] .outline-title').allInnerTexts();
const selectedReady = (page: Page) => page.locator('.row[data-selected="true"] .row-title').count();
const selection = (page: Page) => new URL(page.url()).searchParams.get('sel');
const goTo = async (page: Page, view: string) => {
  await page.getByRole('navigation').getByRole('link', { name: view }).click();
  await page.getByRole('heading', { level: 1, name: view }).waitFor({ state: 'attached' });
};
const tasksOf = async ({ client }: ConsoleUser) => (await client.node.find({ limit: 500 })).nodes;
const titlesWhere = async (user: ConsoleUser, isIt: (task: { status: number; priority: number }) => boolean) =>
  (await tasksOf(user))
    .filter((task) => isIt(task as { status: number; priority: number }))
    .map(({ title }) => title)
    .sort();

describe('the selection', () => {
  test('[CON25] keys make it, views share it, and the address has it', async ({ openConsole, newUser }) => {
    const user = await newUser('selector');
    for (const title of ['One', 'Two', 'Three', 'Four']) await user.add(title);
    const { page } = await openAs(openConsole, { url, email: user.email, path: '/outline' });
    await row(page, 'One').focus();
    await page.keyboard.press('x');
    await bar(page).getByText('1 selected').waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await page.locator('.outline-row:focus', { hasText: 'Three' }).waitFor();
    await page.keyboard.press('Shift+ArrowDown');
    await expect.poll(() => selectedRows(page)).toEqual(['One', 'Three', 'Four']);
    await page.keyboard.press('Shift+ArrowUp');
    await page.locator('.outline-row:focus', { hasText: 'Three' }).waitFor();
    await page.keyboard.press('Shift+ArrowUp');
    await expect.poll(() => selectedRows(page)).toEqual(['One', 'Two', 'Three']);
    expect(await page.getByRole('treegrid').getAttribute('aria-multiselectable')).toBe('true');
    await goTo(page, 'Ready');
    await expect.poll(() => selectedReady(page)).toBe(3);
    await page.getByRole('link', { name: /^Two ?, selected$/ }).waitFor();
    await goTo(page, 'Board');
    await expect.poll(() => page.locator('.board-card[data-selected="true"]').count()).toBe(3);
    await goTo(page, 'Graph');
    await expect.poll(() => page.locator('.card[data-selected="true"]').count()).toBe(3);
    await goTo(page, 'Plan');
    await expect.poll(() => page.locator('.plan-row[aria-selected="true"]').count()).toBe(3);
    expect(selection(page)?.split(',')).toHaveLength(3);
    await page.reload();
    await untilLive(page);
    await bar(page).getByText('3 selected').waitFor();
    await page.keyboard.press('Control+a');
    await bar(page).getByText('4 selected').waitFor();
    await page.keyboard.press('Escape');
    await expect.poll(() => bar(page).count()).toBe(0);
    expect(selection(page)).toBeNull();
  });

  test('[CON25] a pointer toggles and extends it, and opens no panel', async ({ openConsole, newUser }) => {
    const user = await newUser('pointer');
    for (const title of ['One', 'Two', 'Three', 'Four']) await user.add(title);
    const { page } = await openAs(openConsole, { url, email: user.email, path: '/ready' });
    await readyLink(page, 'One').waitFor();
    const order = await page.locator('.row-title').allInnerTexts();
    const at = (place: number) => page.locator('.row-title').nth(place);
    await at(0).click({ modifiers: ['Control'] });
    await at(2).click({ modifiers: ['Shift'] });
    await expect.poll(() => selectedReady(page)).toBe(3);
    await at(1).click({ modifiers: ['Control'] });
    await expect.poll(() => selectedReady(page)).toBe(2);
    expect(await page.locator('.row:not([data-selected="true"]) .row-title').allInnerTexts()).toEqual([
      order[1],
      order[3],
    ]);
    expect([new URL(page.url()).pathname, page.context().pages().length]).toEqual(['/ready', 1]);
    await goTo(page, 'Graph');
    await page.locator('.card', { hasText: order[3] ?? '' }).click({ modifiers: ['Control'] });
    await bar(page).getByText('3 selected').waitFor();
    expect(new URL(page.url()).pathname).toBe('/graph');
    await goTo(page, 'Board');
    await page.locator('.board-card a').nth(1).focus();
    await page.keyboard.press('Shift+ArrowDown');
    await bar(page)
      .getByText(/^[34] selected$/)
      .waitFor();
    await page.locator('.board-card a', { hasText: order[1] ?? '' }).click();
    await page.getByRole('heading', { level: 2, name: order[1] ?? '', exact: true }).waitFor();
    // Escape closes the panel first.
    await page.keyboard.press('Escape');
    await bar(page).waitFor();
  });

  test('[CON25] tasks that are gone drop out, and it has at most 500', async ({ openConsole, newUser }) => {
    const user = await newUser('bounded');
    const { client, email } = user;
    await client.batch((batch) => {
      for (let index = 0; index < 499; index++) batch.node.add({ title: `Task ${index}` });
    });
    const { page } = await openAs(openConsole, {
      url,
      email,
      path: '/outline?sel=01890000-0000-7000-8000-000000000001',
    });
    await page.locator('.outline-row').first().waitFor();
    await expect.poll(() => selection(page)).toBeNull();
    const last = [await user.add('Almost last'), await user.add('Last')];
    await page.locator('[role="treegrid"][aria-rowcount="501"]').waitFor();
    await page.locator('.outline-row').first().focus();
    await page.keyboard.press('Control+a');
    await messagesOf(page).getByText('You can select up to 500 tasks. The first 500 of 501 are selected.').waitFor();
    await bar(page).getByText('500 selected').waitFor();
    await page.reload();
    await untilLive(page);
    await bar(page).getByText('500 selected').waitFor();
    const [gone = ''] = last;
    await client.node.trash({ id: gone });
    await bar(page).getByText('499 selected').waitFor();
  });
});

describe('changes of the selected tasks', () => {
  test('[CON26] 300 tasks change by one batch, and one undo brings them back', async ({ openConsole, newUser }) => {
    const user = await newUser('many');
    await user.client.batch((batch) => {
      for (let index = 0; index < 300; index++) batch.node.add({ title: `Task ${index}`, priority: 1 });
    });
    const { page } = await openAs(openConsole, { url, email: user.email, path: '/board' });
    await page.locator('.board-card a').first().focus();
    await page.keyboard.press('Control+a');
    await bar(page).getByText('300 selected').waitFor();
    await page.keyboard.press('p');
    await dialog(page).getByLabel('Priority').fill('7');
    await page.keyboard.press('Enter');
    await messagesOf(page).getByText('Changed the priority of 300 tasks.').waitFor();
    expect(await titlesWhere(user, ({ priority }) => priority === 7)).toHaveLength(300);
    const { batches } = await user.client.history.page({
      scopeType: 'USER',
      scopeId: String(user.client.connected.uid),
      limit: 100,
    });
    expect(batches).toHaveLength(2);
    await page.keyboard.press('Control+z');
    await messagesOf(page).getByText('Undone: Changed the priority of 300 tasks.').waitFor();
    expect(await titlesWhere(user, ({ priority }) => priority === 1)).toHaveLength(300);
    await page.keyboard.press('Delete');
    await messagesOf(page).getByText('Moved 300 tasks to the trash.').waitFor();
    await expect.poll(() => bar(page).count()).toBe(0);
    await messagesOf(page).getByRole('button', { name: 'Undo' }).click();
    await expect.poll(async () => (await tasksOf(user)).length).toBe(300);
  });

  test('[CON26] the bar sets status, effort, day, people and tags of all, and moves them', async ({
    openConsole,
    newUser,
  }) => {
    const user = await newUser('editor');
    const { client } = user;
    const launch = await user.add('Go live');
    const build = await user.add('Build the pages', { tags: ['web', 'old'], target: launch });
    const write = await user.add('Write the texts', { tags: ['old'], target: launch, dueDate: '2030-01-31' });
    const shop = await user.add('Open the shop');
    const stored = async (id: string) => (await client.node.get({ ids: [id] })).nodes[0];
    const { page } = await openAs(openConsole, { url, email: user.email, path: '/outline' });
    await row(page, 'Build the pages').click({ modifiers: ['Control'] });
    await row(page, 'Write the texts').click({ modifiers: ['Control'] });
    await look(page, 'selection');

    await act(page, 'Start').click();
    await messagesOf(page).getByText('Started 2 tasks.').waitFor();
    await act(page, 'Effort').click();
    await dialog(page).getByLabel('Effort').fill('many');
    await page.keyboard.press('Enter');
    await dialog(page).getByText('Enter a whole number from 0 to 1,000,000.').waitFor();
    await dialog(page).getByLabel('Effort').fill('3');
    await page.keyboard.press('Enter');
    await messagesOf(page).getByText('Changed the effort of 2 tasks.').waitFor();
    await page.locator('.selection-bar button:focus', { hasText: 'Effort' }).waitFor();
    await act(page, 'Due').click();
    await dialog(page).getByLabel('Due').fill('2031-12-24');
    await look(page, 'selection-due');
    await dialog(page).getByRole('button', { name: 'Apply' }).click();
    await messagesOf(page).getByText('Changed the due date of 2 tasks.').waitFor();
    await act(page, 'People').click();
    await dialog(page).getByLabel('Person').fill('Ann');
    await page.keyboard.press('Enter');
    await messagesOf(page).getByText('Assigned 2 tasks to Ann.').waitFor();
    await act(page, 'Tags').click();
    await dialog(page).getByLabel('Tag', { exact: true }).fill('web');
    await page.keyboard.press('Enter');
    await messagesOf(page).getByText('Added the tag “web” to “Write the texts”.').waitFor();
    await act(page, 'Tags').click();
    await dialog(page).getByLabel('Remove').check();
    await dialog(page).getByLabel('Tag', { exact: true }).fill('old');
    await page.keyboard.press('Enter');
    await messagesOf(page).getByText('Removed the tag “old” from 2 tasks.').waitFor();
    const changed = { status: 1, volume: 3, dueDate: '2031-12-24T23:59:59.000Z', assignee: ['Ann'] };
    expect(await stored(build)).toMatchObject({ ...changed, tags: ['web'] });
    expect(await stored(write)).toMatchObject({ ...changed, tags: ['web'] });

    await act(page, 'Move below').click();
    await dialog(page).getByRole('combobox').fill('shop');
    await dialog(page)
      .getByRole('option', { name: /^Open the shop/ })
      .waitFor();
    await look(page, 'selection-move');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Enter');
    await messagesOf(page).getByText('Moved 2 tasks below “Open the shop”.').waitFor();
    const { links = [] } = await client.node.get({ id: shop, links: true });
    expect(links.map(({ source }) => source).sort()).toEqual([build, write].sort());
    await page.keyboard.press('Control+z');
    await messagesOf(page).getByText('Undone: Moved 2 tasks below “Open the shop”.').waitFor();
    expect((await client.node.get({ id: shop, links: true })).links).toEqual([]);
    await page.setViewportSize({ width: 320, height: 640 });
    await look(page, 'phone-selection');
    expect(await cutOff(page)).toEqual([]);
  });

  test('[CON26] what stays out is said before, and a refusal names its task and changes nothing', async ({
    openConsole,
    newUser,
  }) => {
    const [owner, user] = [await newUser('owner'), await newUser('helper')];
    const theirs = await owner.add('Rent a server');
    await owner.client.call('node:access', { id: theirs, email: user.email, level: VIEWER, branch: false });
    const build = await user.add('Build the pages');
    await user.add('Write the texts', { target: build });
    const { page } = await openAs(openConsole, { url, email: user.email, path: '/board' });
    await page.locator('.board-card a').nth(2).waitFor();
    await page.locator('.board-card a').first().focus();
    await page.keyboard.press('Control+a');
    await bar(page).getByText('You can only view 1 of them.').waitFor();
    await act(page, 'Complete').click();
    await dialog(page).getByText('1 task is skipped: you can only view it.').waitFor();
    await look(page, 'selection-question');
    await dialog(page).getByRole('button', { name: 'Cancel' }).click();

    // A blocker that the reader does not see: only the service knows it.
    const hidden = await owner.add('Sign the contract');
    await user.client.call('node:access', { id: build, email: owner.email, level: 2, branch: false });
    await owner.client.link.add({ source: hidden, target: build });
    await act(page, 'Complete').click();
    await dialog(page).getByRole('button', { name: 'Apply' }).click();
    await messagesOf(page)
      .getByText('Nothing was changed. “Build the pages”: It is blocked by a task that is not completed.')
      .waitFor();
    expect(await titlesWhere(user, ({ status }) => status === 3)).toEqual([]);
    await owner.client.node.trash({ id: hidden });
    await act(page, 'Complete').click();
    await dialog(page).getByRole('button', { name: 'Apply' }).click();
    await messagesOf(page).getByText('Completed 2 tasks.').waitFor();
    expect(await titlesWhere(user, ({ status }) => status === 3)).toEqual(['Build the pages', 'Write the texts']);
  });
});

test('[CON27] single keys act on the task with the focus, and the palette has the same acts', async ({
  openConsole,
  newUser,
}) => {
  const user = await newUser('keys');
  const id = await user.add('Write the texts');
  await user.add('Draw the pictures');
  const stored = async () => (await user.client.node.get({ ids: [id] })).nodes[0];
  const { page } = await openAs(openConsole, { url, email: user.email, path: '/ready' });
  const link = readyLink(page, 'Write the texts');
  await link.focus();
  await page.keyboard.press('4');
  await messagesOf(page).getByText('Changed the effort of “Write the texts”.').waitFor();
  await page.keyboard.press('u');
  await dialog(page).getByLabel('Due').fill('2031-12-24');
  await page.keyboard.press('Enter');
  await messagesOf(page).getByText('Changed the due date of “Write the texts”.').waitFor();
  await page.locator('.row-title:focus').waitFor();
  for (const [key, label, text] of [
    ['a', 'Person', 'Ann'],
    ['t', 'Tag', 'web'],
  ] as const) {
    await page.keyboard.press(key);
    await dialog(page).getByLabel(label, { exact: true }).fill(text);
    await page.keyboard.press('Enter');
    await dialog(page).waitFor({ state: 'detached' });
  }
  await expect.poll(stored).toMatchObject({
    volume: 4,
    dueDate: '2031-12-24T23:59:59.000Z',
    assignee: ['Ann'],
    tags: ['web'],
  });
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Find a command or a task' }).fill('priority');
  await page.keyboard.press('Enter');
  await dialog(page).getByLabel('Priority').fill('2');
  await page.keyboard.press('Enter');
  await expect.poll(stored).toMatchObject({ priority: 2 });
  await link.focus();
  await page.keyboard.press('s');
  await expect.poll(stored).toMatchObject({ status: 1 });
  await link.focus();
  await page.keyboard.press('d');
  await messagesOf(page).getByText('Completed “Write the texts”.').waitFor();
  // The row is gone, and the next one has the focus.
  await page.locator('.row-title:focus', { hasText: 'Draw the pictures' }).waitFor();
  await page.keyboard.press('Delete');
  await messagesOf(page).getByText('Moved “Draw the pictures” to the trash.').waitFor();
  expect((await tasksOf(user)).map(({ title }) => title)).toEqual(['Write the texts']);
});

test('[CON27 CON19] without single letters, the acts are in the palette alone', async ({ openConsole, newUser }) => {
  const user = await newUser('speaker');
  const id = await user.add('Write the texts');
  const { page } = await openAs(openConsole, { url, email: user.email, path: `/task/${id}` });
  await page.getByRole('heading', { level: 2, name: 'Write the texts' }).waitFor();
  await page.keyboard.press('?');
  await page.getByText('Add or remove a tag').waitFor();
  await page.getByLabel('Single-letter shortcuts').uncheck();
  await page.getByRole('button', { name: 'Close', exact: true }).last().click();
  await page.locator('.key-list').waitFor({ state: 'detached' });
  await page.keyboard.press('4');
  await page.keyboard.press('x');
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Find a command or a task' }).fill('effort to 5');
  await page.keyboard.press('Enter');
  await messagesOf(page).getByText('Changed the effort of “Write the texts”.').waitFor();
  expect((await user.client.node.get({ ids: [id] })).nodes[0]).toMatchObject({ volume: 5 });
  expect(selection(page)).toBeNull();
});
