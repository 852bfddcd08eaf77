// The command palette, the keys of the page, and the switch that turns single letters off.
import { sharedStack } from '@taskgraph/testkit/stack/shared-stack';
import { expect } from 'vitest';
import { cutOff, look } from './support/accessibility.ts';
import { openAs, test } from './support/console-fixture.ts';

const [url = ''] = sharedStack().urls;
const [IN_PROGRESS, COMPLETED] = [1, 3];

test('[CON19] the palette finds tasks and commands by name', async ({ openConsole, newUser }) => {
  const { email, client, add } = await newUser('finder');
  const write = await add('Write the texts');
  const draw = await add('Draw the pictures');
  const { page } = await openAs(openConsole, { url, email });
  await page.keyboard.press('Control+k');
  const field = page.getByRole('combobox', { name: 'Find a command or a task' });
  await field.fill('texts write');
  await page.locator('.palette').getByRole('option', { name: 'Write the texts' }).waitFor();
  await look(page, 'palette');
  await page.keyboard.press('Enter');
  await page.waitForURL(`**/task/${write}`);
  await page.getByRole('button', { name: 'Find…' }).click();
  await field.fill('go outl');
  await page.getByRole('option', { name: /^Go to Outline/ }).waitFor();
  await page.keyboard.press('Enter');
  await page.waitForURL('**/outline');
  await page.keyboard.press('Control+k');
  await field.fill('pictures');
  await page.getByRole('option', { name: 'Draw the pictures' }).waitFor();
  await client.node.trash({ id: draw });
  await page.getByText('No results.').waitFor();
  await field.fill('İ'.repeat(101));
  await field.dispatchEvent('keydown', { key: 'Enter', isComposing: true });
  await page.getByText('No results.').waitFor();
  await field.fill('qqq');
  await page.getByText('No results.').waitFor();
  await page.keyboard.press('Escape');
  await field.waitFor({ state: 'detached' });
});

test('[CON19] keys lead to the views, and start and complete the open task', async ({ openConsole, newUser }) => {
  const { email, client, add } = await newUser('typist');
  const write = await add('Write the texts');
  const build = await add('Build the pages');
  await client.link.add({ source: write, target: build });
  const statusOf = async (id: string) => (await client.node.get({ id })).nodes[0]?.status;
  const { page } = await openAs(openConsole, { url, email });
  await page.keyboard.press('g');
  await page.keyboard.press('b');
  await page.waitForURL('**/board');
  await page.getByRole('heading', { level: 1, name: 'Board' }).waitFor();
  await page.goto(`/task/${build}`);
  await page.getByRole('heading', { level: 2, name: 'Build the pages' }).waitFor();
  await page.keyboard.press('d');
  await page.getByText(/^“Build the pages”: .*“Write the texts”/).waitFor();
  await page.goto(`/task/${write}`);
  await page.getByRole('heading', { level: 2, name: 'Write the texts' }).waitFor();
  await page.keyboard.press('s');
  await expect.poll(() => statusOf(write)).toBe(IN_PROGRESS);
  await page.keyboard.press('d');
  await expect.poll(() => statusOf(write)).toBe(COMPLETED);
  await page.keyboard.press('Control+z');
  await expect.poll(() => statusOf(write)).toBe(IN_PROGRESS);
  await page.keyboard.press('c');
  await page.getByPlaceholder('New task').waitFor();
  await page.keyboard.type('gb');
  expect(await page.getByPlaceholder('New task').inputValue()).toBe('gb');
  expect(new URL(page.url()).pathname).toBe('/ready');
});

test('[CON19 CON6] the list of keys turns single letters off, for this device', async ({ openConsole, newUser }) => {
  const { email } = await newUser('speaker');
  const { page } = await openAs(openConsole, { url, email });
  await page.keyboard.press('?');
  await page.getByRole('heading', { name: 'Keyboard shortcuts' }).waitFor();
  await look(page, 'keys');
  await page.getByLabel('Single-letter shortcuts').uncheck();
  await page.getByRole('button', { name: 'Close', exact: true }).click();
  await page.keyboard.press('g');
  await page.keyboard.press('o');
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Find a command or a task' }).waitFor();
  expect(new URL(page.url()).pathname).toBe('/');
  await page.keyboard.press('Escape');
  await page.reload();
  await page.locator('.status-bar[data-state="live"]').waitFor();
  await page.getByRole('button', { name: 'Find…' }).click();
  await page.getByRole('combobox', { name: 'Find a command or a task' }).fill('shortcuts');
  await page.keyboard.press('Enter');
  expect(await page.getByLabel('Single-letter shortcuts').isChecked()).toBe(false);
  await page.setViewportSize({ width: 320, height: 640 });
  await look(page, 'phone-keys');
  expect(await cutOff(page)).toEqual([]);
});

test('[CON19] no key acts behind a dialog, wherever the focus is', async ({ openConsole, newUser }) => {
  const { email, client, add } = await newUser('reader');
  const id = await add('Go live');
  const { page } = await openAs(openConsole, { url, email, path: `/task/${id}` });
  await page.getByRole('heading', { level: 2, name: 'Go live' }).waitFor();
  await page.keyboard.press('?');
  const title = page.getByRole('heading', { name: 'Keyboard shortcuts' });
  // A press on plain text leaves the focus at the dialog itself, or nowhere.
  await title.click();
  await page.keyboard.press('Delete');
  await page.keyboard.press('d');
  await page.keyboard.press('Escape');
  await title.waitFor({ state: 'hidden' });
  // The act that does happen comes after those that would have.
  await page.keyboard.press('s');
  await expect
    .poll(async () => (await client.call('node:get', { id })).nodes[0])
    .toMatchObject({ status: IN_PROGRESS, inTrash: false, version: 2 });
});
