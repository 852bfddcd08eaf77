// Each screen in both themes: no violation that axe-core finds. `CONSOLE_PICTURES=folder` also writes
// a picture of each.
import { sharedStack } from '@taskgraph/testkit/stack/shared-stack';
import { beforeAll, describe, expect } from 'vitest';
import { cutOff, look } from './support/accessibility.ts';
import { clientOf, openAs, test, userWithPassword } from './support/console-fixture.ts';
import { addSamplePlan } from './support/sample-plan.ts';

const stack = sharedStack();
const [url = ''] = stack.urls;
const PHONE = { width: 320, height: 640 };

let email = '';
let [blocked, open] = ['', ''];
beforeAll(async () => {
  email = await userWithPassword(stack, 'people');
  const client = await clientOf(stack, email);
  ({ blocked, open } = await addSamplePlan(client));
  client.close();
});

describe('[CON6] has no violation that a program finds, in both themes', () => {
  test('[CON6] signing in, also after a refusal', async ({ openConsole }) => {
    const { page } = await openConsole(url);
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
    await look(page, 'sign-in');
    await page.goto('/register');
    await page.getByText('Registration is off.').waitFor();
    await look(page, 'register-off');
  });

  test('[CON6] Ready, with tasks and messages', async ({ openConsole }) => {
    const { page } = await openAs(openConsole, { url, email, path: '/ready' });
    await look(page, 'ready');
    await page.getByRole('button', { name: 'Done: Invite the press' }).click();
    await page.getByText('Completed “Invite the press”.').waitFor();
    await look(page, 'ready-message');
  });

  test('[CON6] Ready, without any task', async ({ openConsole }) => {
    const { page } = await openAs(openConsole, { url, email: await userWithPassword(stack, 'newcomer') });
    await page.getByText('What is your goal?').waitFor();
    await look(page, 'ready-empty');
  });

  test('[CON6] the panel of an open task, of a Blocked one, and of none', async ({ openConsole }) => {
    const { page } = await openAs(openConsole, { url, email, path: `/task/${open}` });
    await page.getByRole('heading', { level: 2, name: 'Write the texts' }).waitFor();
    await look(page, 'task');
    await page.goto(`/task/${blocked}`);
    await page.getByRole('region', { name: 'Why it is blocked' }).waitFor();
    await look(page, 'task-blocked');
    await page.goto('/task/none');
    await page.getByRole('heading', { level: 2, name: 'No such task' }).waitFor();
    await look(page, 'task-none');
  });

  test('[CON6] the graph, with and without the panel of a task', async ({ openConsole }) => {
    const { page } = await openAs(openConsole, { url, email, path: '/graph' });
    await page.locator('.card', { hasText: 'Go live' }).waitFor();
    await look(page, 'graph');
    await page.locator('.card', { hasText: 'Build the pages' }).click();
    await page.getByRole('region', { name: 'Why it is blocked' }).waitFor();
    await look(page, 'graph-task');
  });

  test('[CON6] the outline, with and without the panel of a task', async ({ openConsole }) => {
    const { page } = await openAs(openConsole, { url, email, path: '/outline' });
    await page.locator('.outline-row', { hasText: 'Go live' }).waitFor();
    await look(page, 'outline');
    await page.locator('.outline-row', { hasText: 'Build the pages' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('region', { name: 'Why it is blocked' }).waitFor();
    await look(page, 'outline-task');
  });

  test('[CON6] an address without a place', async ({ openConsole }) => {
    const { page } = await openAs(openConsole, { url, email, path: '/ready/nowhere' });
    await look(page, 'not-found');
  });

  test('[CON6] a window of 320 pixels, where nothing is cut off', async ({ openConsole }) => {
    const { page } = await openAs(openConsole, { url, email });
    await page.setViewportSize(PHONE);
    await look(page, 'phone-ready');
    expect(await cutOff(page)).toEqual([]);
    await page.goto(`/task/${blocked}`);
    await page.getByRole('region', { name: 'Why it is blocked' }).waitFor();
    await look(page, 'phone-task');
    expect(await cutOff(page)).toEqual([]);
    await page.goto('/graph');
    await page.locator('.picture[aria-busy="false"]').waitFor();
    await look(page, 'phone-graph');
    expect(await cutOff(page)).toEqual([]);
  });
});
