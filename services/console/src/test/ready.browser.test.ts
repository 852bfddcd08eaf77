// Ready and the panel of a task: what they show, what the reader does there, and what others see.
import type { TaskgraphClient } from '@taskgraph/client';
import type { Page } from '@taskgraph/testkit/stack/browser';
import { sharedStack } from '@taskgraph/testkit/stack/shared-stack';
import { afterEach, describe, expect } from 'vitest';
import { clientOf, openAs, readyIds, test, userWithPassword } from './support/console-fixture.ts';

/** In the panel of a task: none of them changes it. */
const BUTTONS_OF_VIEWERS = ['Close', 'Links', 'Fields', 'Access', 'Only this branch', 'Only its neighbours'];
const stack = sharedStack();
const [one = '', two = ''] = stack.urls;
const [AVAILABLE, COMPLETED] = [0, 3];

const clients: TaskgraphClient[] = [];
afterEach(() => {
  for (const client of clients.splice(0)) client.close();
});

/** A user with a plan: `write` and `draw` block `build`, which blocks `launch`. */
async function userWithPlan(name: string) {
  const email = await userWithPassword(stack, name);
  const client = await clientOf(stack, email);
  clients.push(client);
  const add = async (title: string, more: object = {}) => {
    const { diff } = await client.node.add({ title, ...more });
    return String(diff.nodes[0]?.after.id);
  };
  const launch = await add('Go live', { volume: 1 });
  const build = await add('Build the pages', { target: launch, volume: 5 });
  const write = await add('Write the texts', {
    target: build,
    volume: 4,
    dueDate: '2020-01-31',
    assignee: ['Ann', 'Bob'],
  });
  const draw = await add('Draw the pictures', { target: build, volume: 2, priority: 3 });
  return { email, client, launch, build, write, draw };
}

const row = (page: Page, title: string) => page.locator('.row', { hasText: title });
const statusOf = async (client: TaskgraphClient, id: string) => (await client.node.get({ ids: [id] })).nodes[0]?.status;

describe('Ready', () => {
  test('[CON4 PLAN3] lists what `graph:plan` calls ready, in its order', async ({ openConsole }) => {
    const { email, client } = await userWithPlan('planner');
    await client.batch((batch) => {
      for (let index = 0; index < 40; index++)
        batch.node.add({ title: `Task ${index}`, volume: index % 7, priority: index % 3 });
    });
    const { ready } = await client.call('graph:plan', {});
    expect(ready).toHaveLength(42);
    const { page } = await openAs(openConsole, { url: one, email });
    expect(await readyIds(page)).toEqual(ready);
  });

  test('[CON4] a task that is completed shows in another browser, with what it unblocks', async ({ openConsole }) => {
    const { email, write, draw, build } = await userWithPlan('couple');
    const [here, there] = await Promise.all([one, two].map((url) => openAs(openConsole, { url, email })));
    await here!.page.getByRole('button', { name: 'Done: Write the texts' }).click();
    await expect.poll(() => readyIds(there!.page)).toEqual([draw]);
    expect(await row(here!.page, 'Draw the pictures').innerText()).toContain('unblocks 1');
    await here!.page.getByRole('button', { name: 'Done: Draw the pictures' }).click();
    await expect.poll(() => readyIds(there!.page)).toEqual([build]);
    const said = here!.page.getByRole('region', { name: 'Messages' });
    await said.getByText('Completed “Draw the pictures”. Now available: Build the pages.').waitFor();
    expect(write).not.toBe(draw);
  });

  test('[CON4] starts a task, and adds one', async ({ openConsole }) => {
    const { email, client, write } = await userWithPlan('starter');
    const { page } = await openAs(openConsole, { url: one, email });
    await page.getByRole('button', { name: 'Start: Write the texts' }).click();
    await page.getByText('Started “Write the texts”.').waitFor();
    expect(await statusOf(client, write)).toBe(1);
    expect(await row(page, 'Write the texts').innerText()).toContain('In progress');
    await page.getByLabel('Title of the new task').fill('Thank everyone');
    await page.keyboard.press('Enter');
    await page.getByText('Added “Thank everyone”.').waitFor();
    expect((await client.call('graph:plan', {})).ready).toEqual(await readyIds(page));
  });

  test('[CON4] says what is late, how much effort it is, and whose it is', async ({ openConsole }) => {
    const { email } = await userWithPlan('facts');
    const { page } = await openAs(openConsole, { url: one, email });
    const facts = await row(page, 'Write the texts').innerText();
    for (const fact of ['Available', 'late', 'due 31 Jan 2020', 'effort 4', 'critical', 'Ann and Bob'])
      expect(facts).toContain(fact);
    expect(await row(page, 'Draw the pictures').innerText()).toContain('slack 2');
  });

  test('[CON6] works by keyboard: open, complete, go on at the next', async ({ openConsole }) => {
    const { email, client, write, draw } = await userWithPlan('typist');
    const { page } = await openAs(openConsole, { url: one, email });
    expect(await readyIds(page)).toEqual([write, draw]);
    await page.locator(`[data-task="${write}"]`).focus();
    await page.keyboard.press('Enter');
    const title = page.getByRole('heading', { level: 2, name: 'Write the texts' });
    await title.waitFor();
    expect(await page.evaluate('document.activeElement?.textContent')).toBe('Write the texts');
    await page.keyboard.press('Escape');
    await expect.poll(() => focusedTask(page)).toBe(write);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await expect.poll(() => readyIds(page)).toEqual([draw]);
    expect(await focusedTask(page)).toBe(draw);
    await page.getByText('Completed “Write the texts”.').waitFor();
    expect(await statusOf(client, write)).toBe(COMPLETED);
  });
});

describe('the panel of a task', () => {
  test('[CON5 BLK4] a Blocked task cannot be completed, and names its blockers', async ({ openConsole }) => {
    const { email, client, build, write, draw } = await userWithPlan('blocked');
    const { page } = await openAs(openConsole, { url: one, email, path: `/task/${build}` });
    const panel = page.getByRole('complementary');
    const done = panel.getByRole('button', { name: 'Completed' });
    expect(await done.getAttribute('aria-disabled')).toBe('true');
    expect(await describedBy(page, done)).toBe('⊘ Blocked: complete “Write the texts” and “Draw the pictures” first.');
    await done.click({ force: true });
    const why = panel.getByRole('region', { name: 'Why it is blocked' });
    expect(await why.innerText()).toContain('Blocked by 2 tasks');
    expect(await why.locator('.tasks a').allInnerTexts()).toEqual(['○\nWrite the texts', '○\nDraw the pictures']);
    await client.node.update({ id: write, status: COMPLETED });
    await why.getByText('Blocked by 1 task', { exact: true }).waitFor();
    expect(await statusOf(client, build)).toBe(2);
    await client.node.update({ id: draw, status: COMPLETED });
    await expect.poll(() => done.getAttribute('aria-disabled')).toBe('false');
    expect(await why.count()).toBe(0);
    await done.click();
    await page.getByText('Completed “Build the pages”. Now available: Go live.').waitFor();
    expect(await statusOf(client, build)).toBe(COMPLETED);
  });

  test('[CON5] leads from a Blocked task to the one to begin with, and back', async ({ openConsole }) => {
    const { email, launch } = await userWithPlan('walker');
    const { page } = await openAs(openConsole, { url: one, email, path: `/task/${launch}` });
    const panel = page.getByRole('complementary');
    expect(await panel.getByRole('heading', { level: 3 }).allInnerTexts()).toEqual(
      expect.arrayContaining(['Why it is blocked', 'Waits for 1', 'Holds up 0', 'Fields']),
    );
    await panel.locator('.start-here a').click();
    await panel.getByRole('heading', { level: 2, name: 'Write the texts' }).waitFor();
    expect(await panel.getByRole('heading', { name: 'Holds up 1' }).count()).toBe(1);
    await page.goBack();
    await panel.getByRole('heading', { level: 2, name: 'Go live' }).waitFor();
    await panel.getByRole('button', { name: 'Close' }).click();
    expect(new URL(page.url()).pathname).toBe('/ready');
  });

  test('[CON5 CON6] a viewer gets no controls, and learns nothing of invisible blockers', async ({ openConsole }) => {
    const { client, build } = await userWithPlan('owner');
    const viewer = await userWithPassword(stack, 'viewer');
    await client.call('node:access', { id: build, email: viewer, level: 3, branch: false });
    const { page } = await openAs(openConsole, { url: two, email: viewer, path: `/task/${build}` });
    const panel = page.getByRole('complementary');
    await panel.getByText('It waits for a task that you cannot see.').waitFor();
    expect(await panel.innerText()).toContain('You can see this task, but not change it.');
    expect(await panel.getByRole('button').allInnerTexts()).toEqual(BUTTONS_OF_VIEWERS);
    expect(await page.content()).not.toMatch(/Write the texts|Draw the pictures|Go live/);
  });

  test('[CON4] a change of another person shows while the panel is open', async ({ openConsole }) => {
    const { email, client, draw } = await userWithPlan('watched');
    const { page } = await openAs(openConsole, { url: two, email, path: `/task/${draw}` });
    await client.node.update({ id: draw, title: 'Paint the pictures', status: AVAILABLE, volume: 9 });
    const panel = page.getByRole('complementary');
    await panel.getByRole('heading', { level: 2, name: 'Paint the pictures' }).waitFor();
    await client.node.trash({ id: draw });
    await panel.getByRole('heading', { level: 2, name: 'No such task' }).waitFor();
    expect(await readyIds(page)).not.toContain(draw);
  });
});

test('an address without a place says so', async ({ openConsole }) => {
  const email = await userWithPassword(stack, 'lost');
  const { page } = await openAs(openConsole, { url: one, email, path: '/ready/nowhere' });
  expect(await page.getByRole('heading', { level: 1 }).innerText()).toBe('Page not found');
  await page.getByRole('link', { name: 'Show the ready tasks' }).click();
  await page.getByRole('heading', { level: 1, name: 'Ready' }).waitFor();
});

function focusedTask(page: Page): Promise<string | undefined> {
  return page.evaluate('document.activeElement?.dataset.task');
}

async function describedBy(page: Page, control: ReturnType<Page['locator']>): Promise<string> {
  const id = (await control.getAttribute('aria-describedby')) ?? '';
  return page.locator(`[id="${id}"]`).innerText();
}
