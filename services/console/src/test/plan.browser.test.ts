// The plan: its bars and their order, the question about another effort, and its screens.
import type { Page } from '@taskgraph/testkit/stack/browser';
import { sharedStack } from '@taskgraph/testkit/stack/shared-stack';
import { describe, expect } from 'vitest';
import { cutOff, look } from './support/accessibility.ts';
import { type ConsoleUser, openAs, test } from './support/console-fixture.ts';

const [url = ''] = sharedStack().urls;

const row = (page: Page, title: string) => page.locator('.plan-row', { hasText: title });
const titles = (page: Page) => page.locator('.plan-title').allInnerTexts();
const focused = (page: Page, title: string) => page.locator('.plan-row:focus', { hasText: title }).waitFor();
const question = (page: Page) => page.getByRole('region', { name: 'What if' });

/** `write` and `draw` block `build`, which blocks `launch`; the end is at 10. */
async function addPlan({ add }: ConsoleUser) {
  const launch = await add('Go live', { volume: 1 });
  const build = await add('Build the pages', { target: launch, volume: 5, dueDate: '2099-12-12' });
  const write = await add('Write the texts', { target: build, volume: 4, dueDate: '2020-01-31' });
  const draw = await add('Draw the pictures', { target: build, volume: 2 });
  return { launch, build, write, draw };
}

describe('the plan', () => {
  test('[CON12 PLAN2] has the tasks in order of their start, critical and late ones marked', async ({
    openConsole,
    newUser,
  }) => {
    const user = await newUser('planner');
    await addPlan(user);
    await user.add('Rent a server', { status: 3, volume: 3 });
    const { page } = await openAs(openConsole, { url, email: user.email, path: '/plan' });
    await row(page, 'Go live').waitFor();
    expect(await titles(page)).toEqual([
      'Write the texts',
      'Draw the pictures',
      'Build the pages',
      'Go live',
      'Rent a server',
    ]);
    const write = await row(page, 'Write the texts').innerText();
    for (const fact of ['effort 4', 'critical', 'starts at 0, ends at 4', '! late']) expect(write).toContain(fact);
    expect(await row(page, 'Draw the pictures').innerText()).toContain('slack 2');
    expect(await row(page, 'Draw the pictures').innerText()).not.toContain('late');
    await user.client.node.update({ id: (await user.client.node.find({ text: 'Draw' })).nodes[0]!.id, volume: 9 });
    await row(page, 'Draw the pictures').getByText('critical').waitFor();
    await expect
      .poll(() => titles(page))
      .toEqual(['Draw the pictures', 'Write the texts', 'Build the pages', 'Go live', 'Rent a server']);
  });

  test('[CON12] keys walk, ask what if, send nothing before `Apply`, and one change then', async ({
    openConsole,
    newUser,
  }) => {
    const user = await newUser('asker');
    const { client } = user;
    const { write, launch } = await addPlan(user);
    const stored = async () => (await client.node.get({ ids: [write] })).nodes[0];
    const { version = 0 } = (await stored()) ?? {};
    const { page } = await openAs(openConsole, { url, email: user.email, path: '/plan' });
    await row(page, 'Build the pages').focus();
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('ArrowUp');
    await focused(page, 'Write the texts');
    for (const key of ['+', 'Shift+ArrowRight', '+', '-']) await page.keyboard.press(key);
    await question(page).getByText('What if “Write the texts” takes 6 instead of 4?').waitFor();
    await question(page).getByText('The end moves from 10 to 12; 2 tasks move.').waitFor();
    expect(await page.locator('.ghost').count()).toBe(3);
    expect(await row(page, 'Go live').innerText()).toContain('would end at 12');
    await page.keyboard.press('Escape');
    await expect.poll(() => page.locator('.ghost').count()).toBe(0);
    await focused(page, 'Write the texts');
    await page.keyboard.press('+');
    await question(page).getByRole('button', { name: 'Apply' }).focus();
    await page.keyboard.press('Escape');
    await focused(page, 'Write the texts');
    await expect.poll(() => page.locator('.ghost').count()).toBe(0);
    await page.keyboard.press('+');
    await question(page).getByRole('button', { name: 'Discard' }).click();
    await expect.poll(() => page.locator('.ghost').count()).toBe(0);
    expect(await stored()).toMatchObject({ volume: 4, version });
    await page.keyboard.press('+');
    await question(page).getByRole('button', { name: 'Apply' }).click();
    await page.getByText('Changed the effort of “Write the texts”.').waitFor();
    expect(await stored()).toMatchObject({ volume: 5, version: version + 1 });
    expect(await question(page).innerText()).toBe('');
    await focused(page, 'Write the texts');
    await page.keyboard.press('End');
    await focused(page, 'Go live');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 2, name: 'Go live' }).waitFor();
    expect(new URL(page.url()).pathname).toBe(`/task/${launch}`);
    await page.keyboard.press('Escape');
    await focused(page, 'Go live');
  });

  test('[CON12] the end of a bar can be dragged, and a task that only waits does not move the end', async ({
    openConsole,
    newUser,
  }) => {
    const user = await newUser('dragger');
    const { draw } = await addPlan(user);
    const { page } = await openAs(openConsole, { url, email: user.email, path: '/plan' });
    const handle = row(page, 'Draw the pictures').locator('.bar-end');
    await handle.waitFor();
    const [from, chart] = [
      await handle.boundingBox(),
      await row(page, 'Draw the pictures').locator('.chart').boundingBox(),
    ];
    const unit = chart!.width / 11.5;
    const [x, y] = [from!.x + from!.width / 2, from!.y + from!.height / 2];
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.mouse.move(x + 2 * unit, y, { steps: 4 });
    await question(page).getByText('takes 4 instead of 2? The end stays at 10; no other task moves.').waitFor();
    await page.mouse.move(x + 4 * unit, y, { steps: 4 });
    await page.mouse.up();
    await question(page).getByText('takes 6 instead of 2? The end moves from 10 to 12; 2 tasks move.').waitFor();
    await question(page).getByRole('button', { name: 'Apply' }).click();
    await page.getByText('Changed the effort of “Draw the pictures”.').waitFor();
    expect((await user.client.node.get({ ids: [draw] })).nodes[0]).toMatchObject({ volume: 6 });
  });

  test('[CON12] with a first day, times are days, and what becomes late is said', async ({ openConsole, newUser }) => {
    const user = await newUser('dates');
    const launch = await user.add('Go live', { volume: 1, dueDate: '2090-12-10T23:59:59Z' });
    await user.add('Build the pages', { target: launch, volume: 9 });
    const { page } = await openAs(openConsole, { url, email: user.email, path: '/plan' });
    await page.getByLabel('Starts on').fill('2090-12-01');
    await row(page, 'Go live').getByText('starts on 10 Dec 2090, ends on 10 Dec 2090').waitFor();
    expect(new URL(page.url()).search).toBe('?start=2090-12-01');
    await row(page, 'Build the pages').focus();
    await page.keyboard.press('+');
    await question(page)
      .getByText('The end moves from 10 Dec 2090 to 11 Dec 2090; 1 task moves; 1 task becomes late.')
      .waitFor();
    await page.keyboard.press('Escape');
    await page.getByLabel('A unit of effort is').selectOption('week');
    await row(page, 'Go live').getByText('late', { exact: false }).first().waitFor();
    await page.getByRole('link', { name: 'Outline' }).click();
    await page.getByRole('heading', { level: 1, name: 'Outline' }).waitFor();
    expect(new URL(page.url()).search).toBe('?start=2090-12-01&unit=week');
    await page.goBack();
    await row(page, 'Go live').waitFor();
  });

  test('[CON12 CON6] a viewer asks nothing', async ({ openConsole, newUser }) => {
    const [owner, viewer] = [await newUser('owner'), await newUser('viewer')];
    const { build } = await addPlan(owner);
    await owner.client.call('node:access', { id: build, email: viewer.email, level: 3, branch: false });
    const { page } = await openAs(openConsole, { url, email: viewer.email, path: '/plan' });
    await row(page, 'Build the pages').focus();
    expect(await page.locator('.bar-end').count()).toBe(0);
    await page.keyboard.press('+');
    await page.getByText('You can see “Build the pages”, but not change it.').waitFor();
    expect(await question(page).innerText()).toBe('');
  });

  test('[CON12] of many tasks only the rows in view are elements, and keys reach the last', async ({
    openConsole,
    newUser,
  }) => {
    const { email, client } = await newUser('long');
    await client.batch((batch) => {
      for (let index = 0; index < 300; index++) batch.node.add({ title: `Task ${index}`, volume: index % 7 });
    });
    const { page } = await openAs(openConsole, { url, email, path: '/plan' });
    await page.locator('.plan-row').first().focus();
    await page.keyboard.press('End');
    await page.locator('.plan-row:focus[aria-rowindex="300"]').waitFor();
    expect(await page.locator('.plan-row').count()).toBeLessThan(60);
  });

  test('[CON12 CON6] its screens have no violation that a program finds', async ({ openConsole, newUser }) => {
    const user = await newUser('screens');
    await addPlan(user);
    await user.add('Ask three customers for a quote about the new product', { volume: 3 });
    await user.add('Rent a server', { status: 3 });
    const { page } = await openAs(openConsole, { url, email: user.email, path: '/plan' });
    await row(page, 'Write the texts').focus();
    for (let press = 0; press < 3; press++) await page.keyboard.press('+');
    await question(page).getByText('The end moves').waitFor();
    await look(page, 'plan');
    await page.getByLabel('Starts on').fill(new Date().toISOString().slice(0, 10));
    await page.locator('.today').waitFor();
    await row(page, 'Build the pages').focus();
    await page.keyboard.press('Enter');
    await page.getByRole('region', { name: 'Why it is blocked' }).waitFor();
    await look(page, 'plan-task');
    await page.keyboard.press('Escape');
    await page.setViewportSize({ width: 320, height: 640 });
    await look(page, 'phone-plan');
    expect(await cutOff(page)).toEqual([]);
  });

  test('[CON12 CON6] without tasks it says so', async ({ openConsole, newUser }) => {
    const { email } = await newUser('newcomer');
    const { page } = await openAs(openConsole, { url, email, path: '/plan' });
    await page.getByText('You have no tasks yet.').waitFor();
    await look(page, 'plan-empty');
  });
});
