// The board: its columns, how cards move, what is refused, and its screens.
import type { Page } from '@taskgraph/testkit/stack/browser';
import { sharedStack } from '@taskgraph/testkit/stack/shared-stack';
import { describe, expect } from 'vitest';
import { cutOff, look } from './support/accessibility.ts';
import { type ConsoleUser, openAs, test } from './support/console-fixture.ts';

const [url = ''] = sharedStack().urls;

const column = (page: Page, name: string) =>
  page.locator('.board-column', { has: page.getByRole('heading', { name }) });
const card = (page: Page, title: string) =>
  page.locator('.board-card', { has: page.getByRole('link', { name: title, exact: true }) });
const titlesIn = (page: Page, name: string) => column(page, name).locator('.board-card a').allInnerTexts();
const menu = (page: Page, title: string) => page.getByLabel(`Move to another column: “${title}”`);
const focusedTask = (page: Page): Promise<string | undefined> => page.evaluate('document.activeElement?.dataset.task');

/** `write` blocks `build`; `draw` and `rent` are free. */
async function addTasks({ add }: ConsoleUser) {
  const build = await add('Build the pages', { volume: 5 });
  const write = await add('Write the texts', { target: build, volume: 4, dueDate: '2020-01-31', assignee: ['Ann'] });
  const draw = await add('Draw the pictures', { status: 1 });
  const rent = await add('Rent a server', { priority: 3 });
  return { build, write, draw, rent };
}

describe('the board', () => {
  test('[CON13] has the tasks by status, with their facts and numbers', async ({ openConsole, newUser }) => {
    const user = await newUser('board');
    await addTasks(user);
    const first = await user.add('First', {});
    const second = await user.add('Second', {});
    await user.client.node.update({ id: first, status: 3 });
    await user.client.node.update({ id: second, status: 3 });
    const { page } = await openAs(openConsole, { url, email: user.email, path: '/board' });
    await card(page, 'Build the pages').waitFor();
    expect(await titlesIn(page, 'Available')).toEqual(['Write the texts', 'Rent a server']);
    expect(await titlesIn(page, 'In progress')).toEqual(['Draw the pictures']);
    expect(await titlesIn(page, 'Blocked')).toEqual(['Build the pages']);
    expect(await titlesIn(page, 'Completed')).toEqual(['Second', 'First']);
    expect(await column(page, 'Available').getByRole('heading').innerText()).toContain('2');
    const facts = await card(page, 'Write the texts').innerText();
    for (const fact of ['! late', 'due 31 Jan 2020', 'effort 4', 'Ann']) expect(facts).toContain(fact);
    expect(await card(page, 'Build the pages').innerText()).toContain('Blocked: complete “Write the texts” first.');
    await user.client.node.update({ id: first, status: 0 });
    await expect.poll(() => titlesIn(page, 'Completed')).toEqual(['Second']);
  });

  test('[CON13] a card is dragged to another column, and not to Blocked or away from it', async ({
    openConsole,
    newUser,
  }) => {
    const user = await newUser('dragger');
    const { write } = await addTasks(user);
    const statusOf = async (id: string) => (await user.client.node.get({ ids: [id] })).nodes[0]?.status;
    const { page } = await openAs(openConsole, { url, email: user.email, path: '/board' });
    await card(page, 'Rent a server').dragTo(column(page, 'Blocked'));
    await page.getByText('“Rent a server” cannot be moved to Blocked').waitFor();
    await card(page, 'Build the pages').dragTo(column(page, 'Completed'));
    await page.getByText('“Build the pages”: Blocked: complete “Write the texts” first.').waitFor();
    await card(page, 'Write the texts').dragTo(column(page, 'In progress'));
    await page.getByText('Started “Write the texts”.').waitFor();
    expect(await statusOf(write)).toBe(1);
    await card(page, 'Write the texts').dragTo(column(page, 'Completed'));
    await page.getByText('Completed “Write the texts”. Now available: Build the pages.').waitFor();
    await expect.poll(() => titlesIn(page, 'Available')).toEqual(['Rent a server', 'Build the pages']);
    expect(await titlesIn(page, 'Blocked')).toEqual([]);
  });

  test('[CON13] keys walk from card to card, and a menu moves the card, which stays in focus', async ({
    openConsole,
    newUser,
  }) => {
    const user = await newUser('typist');
    const { write, rent, draw, build } = await addTasks(user);
    const { page } = await openAs(openConsole, { url, email: user.email, path: '/board' });
    await page.locator(`.board [data-task="${write}"]`).focus();
    await page.keyboard.press('ArrowDown');
    expect(await focusedTask(page)).toBe(rent);
    await page.keyboard.press('ArrowRight');
    expect(await focusedTask(page)).toBe(draw);
    await page.keyboard.press('ArrowRight');
    expect(await focusedTask(page)).toBe(build);
    expect(await menu(page, 'Build the pages').count()).toBe(0);
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('ArrowLeft');
    expect(await focusedTask(page)).toBe(write);
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement?.ariaLabel')).toBe('Move to another column: “Write the texts”');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByText('Started “Write the texts”.').waitFor();
    expect(await titlesIn(page, 'In progress')).toEqual(['Write the texts', 'Draw the pictures']);
    await expect.poll(() => focusedTask(page)).toBe(write);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 2, name: 'Write the texts' }).waitFor();
    await page.keyboard.press('Escape');
    await expect.poll(() => focusedTask(page)).toBe(write);
  });

  test('[CON13 CON6] the Tab key reaches a card after the filter has hidden the last one', async ({
    openConsole,
    newUser,
  }) => {
    const user = await newUser('tabber');
    const { write, rent } = await addTasks(user);
    const { page } = await openAs(openConsole, { url, email: user.email, path: '/board' });
    await page.locator(`.board [data-task="${write}"]`).focus();
    await page.keyboard.press('/');
    await page.keyboard.type('server');
    await expect.poll(() => page.locator('.board-card').count()).toBe(1);
    await page.locator(`.board [data-task="${rent}"][tabindex="0"]`).waitFor();
  });

  test('[CON13] a column shows 50 cards, then more', async ({ openConsole, newUser }) => {
    const { email, client } = await newUser('many');
    await client.batch((batch) => {
      for (let index = 0; index < 120; index++) batch.node.add({ title: `Task ${index}` });
    });
    const { page } = await openAs(openConsole, { url, email, path: '/board' });
    await expect.poll(() => page.locator('.board-card').count()).toBe(50);
    expect(await column(page, 'Available').getByRole('heading').innerText()).toContain('120');
    await page.getByRole('button', { name: 'Show 50 more tasks' }).click();
    await page.getByRole('button', { name: 'Show 20 more tasks' }).click();
    await expect.poll(() => page.locator('.board-card').count()).toBe(120);
  });

  test('[CON13 CON6] a viewer moves nothing', async ({ openConsole, newUser }) => {
    const [owner, viewer] = [await newUser('owner'), await newUser('viewer')];
    const { rent } = await addTasks(owner);
    await owner.client.call('node:access', { id: rent, email: viewer.email, level: 3, branch: false });
    const { page } = await openAs(openConsole, { url, email: viewer.email, path: '/board' });
    await card(page, 'Rent a server').dragTo(column(page, 'Completed'));
    await page.getByText('You can see “Rent a server”, but not change it.').waitFor();
    expect(await page.locator('.board-moves').count()).toBe(0);
  });

  test('[CON13 CON6] its screens have no violation that a program finds', async ({ openConsole, newUser }) => {
    const user = await newUser('screens');
    const { build } = await addTasks(user);
    await user.add('Ask three customers for a quote about the new product', { assignee: ['Ann', 'Bob'], volume: 3 });
    await user.client.node.update({ id: await user.add('Set up the domain'), status: 3 });
    const { page } = await openAs(openConsole, { url, email: user.email, path: '/board' });
    await card(page, 'Set up the domain').waitFor();
    await menu(page, 'Rent a server').click();
    await look(page, 'board');
    await page.locator(`.board [data-task="${build}"]`).click();
    await page.getByRole('region', { name: 'Why it is blocked' }).waitFor();
    await look(page, 'board-task');
    await page.keyboard.press('Escape');
    await page.setViewportSize({ width: 320, height: 640 });
    await look(page, 'phone-board');
    expect(await cutOff(page)).toEqual([]);
  });
});
