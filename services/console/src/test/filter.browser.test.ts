// The filter and the scope: one set of tasks in all views, in the address, and cleared in one step.
import type { Page } from '@taskgraph/testkit/stack/browser';
import { sharedStack } from '@taskgraph/testkit/stack/shared-stack';
import { describe, expect } from 'vitest';
import { cutOff, look } from './support/accessibility.ts';
import { type ConsoleUser, openAs, readyIds, test } from './support/console-fixture.ts';

const [url = ''] = sharedStack().urls;

const field = (page: Page) => page.getByLabel('Filter by words and conditions');
const searchOf = (page: Page) => decodeURIComponent(new URL(page.url()).search.replaceAll('+', ' '));
const goTo = async (page: Page, view: string) => {
  await page.getByRole('navigation').getByRole('link', { name: view }).click();
  await page.getByRole('heading', { level: 1, name: view }).waitFor({ state: 'attached' });
};

/** `write` and `draw` block `build`, which blocks `launch`; `party` is apart. */
async function addTasks({ add }: ConsoleUser) {
  const launch = await add('Go live', { tags: ['web'] });
  const build = await add('Build the pages', { target: launch, tags: ['web', 'big job'] });
  const write = await add('Write the texts', { target: build, dueDate: '2020-01-31', assignee: ['Ann'] });
  const draw = await add('Draw the pictures', { target: build, tags: ['web'], volume: 2 });
  const party = await add('Plan the party');
  return { launch, build, write, draw, party };
}

describe('the filter', () => {
  test('[CON14] a filter of the address holds in each view, and the address says it after each step', async ({
    openConsole,
    newUser,
  }) => {
    const user = await newUser('filter');
    const { draw } = await addTasks(user);
    const { page } = await openAs(openConsole, { url, email: user.email, path: '/ready?f=status:open tag:web' });
    await expect.poll(() => readyIds(page)).toEqual([draw]);
    await page.getByText('3 of 5 tasks').waitFor();
    await goTo(page, 'Outline');
    await expect
      .poll(() => page.locator('.outline-title').allInnerTexts())
      .toEqual(['Go live', 'Build the pages', 'Draw the pictures']);
    await goTo(page, 'Plan');
    await expect
      .poll(() => page.locator('.plan-title').allInnerTexts())
      .toEqual(['Draw the pictures', 'Build the pages', 'Go live']);
    await goTo(page, 'Board');
    await expect.poll(() => page.locator('.board-card a').count()).toBe(3);
    await goTo(page, 'Graph');
    await page.locator('.card[data-outside="true"]', { hasText: 'Plan the party' }).waitFor();
    expect(await page.locator('.card[data-outside="true"]').count()).toBe(2);
    await page.locator('.card', { hasText: 'Draw the pictures' }).click();
    await page.getByRole('heading', { level: 2, name: 'Draw the pictures' }).waitFor();
    expect(searchOf(page)).toBe('?f=status:open tag:web');
    await page.keyboard.press('Escape');
    expect(searchOf(page)).toBe('?f=status:open tag:web');
    await user.client.node.update({ id: draw, tags: [] });
    await page.getByText('2 of 5 tasks').waitFor();
    await expect.poll(() => page.locator('.card[data-outside="true"]').count()).toBe(3);
  });

  test('[CON14] `/` leads to the field, words and conditions filter, and an empty result can be cleared', async ({
    openConsole,
    newUser,
  }) => {
    const user = await newUser('typist');
    const { write } = await addTasks(user);
    const { page } = await openAs(openConsole, { url, email: user.email, path: '/ready' });
    await expect.poll(() => readyIds(page)).toHaveLength(3);
    await page.keyboard.press('/');
    await page.keyboard.type('wri');
    await expect.poll(() => readyIds(page)).toEqual([write]);
    await page.getByText('1 of 5 tasks').waitFor();
    expect(searchOf(page)).toBe('?f=wri');
    await field(page).fill('late:');
    await expect.poll(() => readyIds(page)).toEqual([write]);
    await field(page).fill('assignee:Ann nothing');
    await page.getByText('No ready tasks match the filter.').waitFor();
    await page.getByText('0 of 5 tasks').waitFor();
    await look(page, 'filter-empty');
    await page.getByRole('main').getByRole('button', { name: 'Clear the filter' }).click();
    await expect.poll(() => readyIds(page)).toHaveLength(3);
    expect([searchOf(page), await field(page).inputValue()]).toEqual(['', '']);
    await field(page).fill('a b c d e f g h i j k');
    await page.getByText('A filter can have up to 10 words').waitFor();
    expect(await readyIds(page)).toHaveLength(3);
    await field(page).fill(Array.from({ length: 65 }, (_, index) => `tag:${index}`).join(' '));
    await page.getByText('A filter can have up to 10 words').waitFor();
    expect(await page.locator('.chip').count()).toBe(0);
  });

  test('[CON14] menus add conditions, chips remove them, and the buttons back and forward follow', async ({
    openConsole,
    newUser,
  }) => {
    const user = await newUser('chooser');
    await addTasks(user);
    const { page } = await openAs(openConsole, { url, email: user.email, path: '/board' });
    const filter = page.getByRole('search', { name: 'Filter' });
    const cards = () => page.locator('.board-card a').count();
    await expect.poll(cards).toBe(5);
    await filter.getByLabel('Tag', { exact: true }).focus();
    await filter.getByLabel('Tag', { exact: true }).selectOption('big job');
    await expect.poll(cards).toBe(1);
    expect(searchOf(page)).toBe('?f=tag:"big job"');
    await filter.getByLabel('Status', { exact: true }).selectOption('Available');
    await expect.poll(cards).toBe(0);
    await page.goBack();
    await expect.poll(cards).toBe(1);
    await page.goForward();
    await expect.poll(cards).toBe(0);
    await filter.getByRole('button', { name: 'Remove condition: tag big job' }).click();
    await expect.poll(cards).toBe(3);
    expect(await page.evaluate('document.activeElement?.ariaLabel')).toBe('Filter');
    await filter.getByRole('button', { name: 'Late' }).click();
    await expect.poll(cards).toBe(1);
    expect(await field(page).inputValue()).toBe('status:available late:');
    await look(page, 'filter-board');
    await page.setViewportSize({ width: 320, height: 640 });
    await look(page, 'phone-filter');
    expect(await cutOff(page)).toEqual([]);
  });

  test('[CON14] a scope is the branch of a task, and follows its links', async ({ openConsole, newUser }) => {
    const user = await newUser('scope');
    const { build, party } = await addTasks(user);
    const { page } = await openAs(openConsole, { url, email: user.email, path: '/outline' });
    const titles = () => page.locator('.outline-title').allInnerTexts();
    await page.locator('.outline-row', { hasText: 'Build the pages' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Only this branch' }).click();
    await expect.poll(titles).toEqual(['Build the pages', 'Write the texts', 'Draw the pictures']);
    expect(searchOf(page)).toBe(`?in=${build}`);
    await page.getByText('3 of 5 tasks').waitFor();
    await user.client.link.add({ source: party, target: build });
    await expect.poll(titles).toEqual(['Build the pages', 'Write the texts', 'Draw the pictures', 'Plan the party']);
    await field(page).fill('party');
    await expect.poll(titles).toEqual(['Build the pages', 'Plan the party']);
    await page.getByRole('button', { name: 'Remove condition: branch of “Build the pages”' }).click();
    await expect.poll(titles).toEqual(['Go live', 'Build the pages', 'Plan the party']);
    await page.goto(`/board?in=${'x'.repeat(256)}&f=status:constructor`);
    await page.getByText('No tasks match the filter.').waitFor();
    await page.goto('/board?in=nowhere');
    await page.getByText('No tasks match the filter.').waitFor();
    await page.getByRole('button', { name: 'Remove condition: a branch that you cannot see' }).waitFor();
  });

  test('[CON14] neighbours are the tasks before and after one, up to a distance', async ({ openConsole, newUser }) => {
    const user = await newUser('neighbour');
    const { build, party } = await addTasks(user);
    const goal = await user.add('Win the market');
    await user.client.link.add({ source: party, target: goal });
    const { page } = await openAs(openConsole, { url, email: user.email, path: `/task/${build}` });
    await page.getByRole('button', { name: 'Only its neighbours' }).click();
    expect(searchOf(page)).toBe(`?around=${build}`);
    await page.goto(`/outline?around=${build}`);
    const titles = () => page.locator('.outline-title').allInnerTexts();
    await expect.poll(async () => (await titles())[0]).toBe('Go live');
    await page.getByText('4 of 6 tasks').waitFor();
    await page.getByLabel('Distance').selectOption('1 step');
    expect(searchOf(page)).toBe(`?around=${build}&steps=1`);
    // The texts and the pictures wait for nothing else.
    await page.getByText('4 of 6 tasks').waitFor();
    const sketch = await user.add('Sketch', {
      target: (await user.client.call('node:find', { text: 'pictures' })).nodes[0]?.id,
    });
    await page.getByText('4 of 7 tasks').waitFor();
    await page.getByLabel('Distance').selectOption('up to 2 steps');
    await page.getByText('5 of 7 tasks').waitFor();
    await user.client.node.trash({ id: sketch });
    await page.getByText('4 of 6 tasks').waitFor();
    await page.getByRole('button', { name: 'Remove condition: neighbours of “Build the pages”' }).click();
    await expect.poll(() => searchOf(page)).toBe('');
    await page.goto('/board?around=nowhere&steps=12');
    await page
      .getByRole('button', { name: 'Remove condition: the neighbours of a task that you cannot see' })
      .waitFor();
    expect(await page.getByLabel('Distance').inputValue()).toBe('2');
  });

  test('[CON20] it leaves the address with the session', async ({ openConsole, newUser }) => {
    const user = await newUser('leaver');
    await addTasks(user);
    const { page } = await openAs(openConsole, { url, email: user.email, path: '/board?f=tag:secret' });
    await page.getByText('No tasks match the filter.').waitFor();
    expect(searchOf(page)).toBe('?f=tag:secret');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByText('You are signed out.').waitFor();
    expect([new URL(page.url()).pathname, searchOf(page)]).toEqual(['/board', '']);
  });

  test('[CON14] `assignee:me` are the tasks of the reader', async ({ openConsole, newUser }) => {
    const user = await newUser('me');
    await addTasks(user);
    const { page } = await openAs(openConsole, { url, email: user.email, path: '/ready' });
    const name = await page.locator('.account span').innerText();
    const mine = await user.add('My own task', { assignee: [name] });
    await page.getByRole('search').getByLabel('Assignee').selectOption('me');
    await expect.poll(() => readyIds(page)).toEqual([mine]);
    expect(searchOf(page)).toBe('?f=assignee:me');
  });
});
