// Links in the picture: by a drag from card to card, onto the background, and by keys.
import type { Page } from '@taskgraph/testkit/stack/browser';
import { sharedStack } from '@taskgraph/testkit/stack/shared-stack';
import { expect } from 'vitest';
import { look } from './support/accessibility.ts';
import { type ConsoleUser, openAs, test } from './support/console-fixture.ts';

const [url = ''] = sharedStack().urls;

const card = (page: Page, title: string) => page.locator('.card', { hasText: title });
const words = (page: Page) => page.locator('.link-words');

async function sourcesOf({ client }: ConsoleUser, target: string): Promise<string[]> {
  const { links = [] } = await client.node.get({ id: target, links: true });
  return links.filter((link) => link.target === target).map(({ source }) => source);
}

async function centreOf(page: Page, title: string) {
  const { x = 0, y = 0, width = 0, height = 0 } = (await card(page, title).boundingBox()) ?? {};
  return { x: x + width / 2, y: y + height / 2 };
}

/** Presses the port of a card, and moves to a point without letting go. */
async function dragFrom(page: Page, title: string, to: { readonly x: number; readonly y: number }): Promise<void> {
  await card(page, title).hover();
  const port = page.locator('.card-place', { hasText: title }).locator('.port');
  const { x = 0, y = 0, width = 0, height = 0 } = (await port.boundingBox()) ?? {};
  await page.mouse.move(x + width - 3, y + height / 2);
  await page.mouse.down();
  await page.mouse.move(to.x, to.y, { steps: 5 });
}

test('[CON18] a drag from the port of a card links it, and says before what it does', async ({
  openConsole,
  newUser,
}) => {
  const user = await newUser('linker');
  const launch = await user.add('Go live');
  const print = await user.add('Print the leaflets');
  const { page } = await openAs(openConsole, { url, email: user.email, path: '/graph' });
  await card(page, 'Go live').waitFor();
  await dragFrom(page, 'Print the leaflets', await centreOf(page, 'Go live'));
  await expect.poll(() => words(page).innerText()).toBe('“Go live” will wait for “Print the leaflets”.');
  expect(await sourcesOf(user, launch)).toEqual([]);
  await page.mouse.up();
  await page.getByText('“Go live” now waits for “Print the leaflets”.').waitFor();
  await expect.poll(() => sourcesOf(user, launch)).toEqual([print]);
  await page.keyboard.press('Control+z');
  await expect.poll(() => sourcesOf(user, launch)).toEqual([]);
});

test('[CON18 LNK4] a link that would close a cycle names it, and is not sent', async ({ openConsole, newUser }) => {
  const user = await newUser('circler');
  const launch = await user.add('Go live');
  const build = await user.add('Build the pages', { target: launch });
  const write = await user.add('Write the texts', { target: build });
  const { page } = await openAs(openConsole, { url, email: user.email, path: '/graph' });
  await card(page, 'Go live').waitFor();
  await dragFrom(page, 'Go live', await centreOf(page, 'Write the texts'));
  await expect
    .poll(() => words(page).innerText())
    .toMatch(/would wait for itself: .*Write the texts.*Build the pages.*Go live/);
  await page.locator('.card[data-outside="true"]', { hasText: 'Build the pages' }).waitFor();
  await page.mouse.up();
  await page.getByText(/^Not possible: .*would wait for itself/).waitFor();
  expect(await sourcesOf(user, write)).toEqual([]);
  expect(await page.locator('.card[data-outside="true"]').count()).toBe(0);
});

test('[CON18] a drop on the background names a new task, which waits', async ({ openConsole, newUser }) => {
  const user = await newUser('dropper');
  const write = await user.add('Write the texts');
  const { page } = await openAs(openConsole, { url, email: user.email, path: '/graph' });
  await card(page, 'Write the texts').waitFor();
  const { x, y } = await centreOf(page, 'Write the texts');
  await dragFrom(page, 'Write the texts', { x: x + 60, y: y + 150 });
  await page.mouse.up();
  const field = page.getByLabel('Title of the task that waits for “Write the texts”');
  await field.fill('Check the texts');
  await field.dispatchEvent('keydown', { key: 'Enter', isComposing: true });
  // Another task does not take the place of the title.
  await card(page, 'Write the texts').click();
  await page.getByRole('heading', { level: 2, name: 'Write the texts' }).waitFor();
  await card(page, 'Write the texts').focus();
  await page.keyboard.press('l');
  await page.getByText('Press Enter to add the new task').waitFor();
  expect(await field.inputValue()).toBe('Check the texts');
  await field.press('Enter');
  await card(page, 'Check the texts').waitFor();
  await expect
    .poll(async () => {
      const { nodes } = await user.client.node.find({ text: 'Check', fields: ['title'] });
      return nodes[0] === undefined ? [] : sourcesOf(user, nodes[0].id);
    })
    .toEqual([write]);
});

test('[CON18] a title whose task cannot be added stays', async ({ openConsole, newUser }) => {
  const user = await newUser('stayer');
  const write = await user.add('Write the texts');
  await user.add('Go live');
  const { page } = await openAs(openConsole, { url, email: user.email, path: '/graph' });
  const { x, y } = await centreOf(page, 'Write the texts');
  await dragFrom(page, 'Write the texts', { x: x + 60, y: y + 250 });
  await page.mouse.up();
  const field = page.locator('.link-title input');
  await field.fill('Check the texts');
  await user.client.node.trash({ id: write });
  await expect.poll(() => card(page, 'Write the texts').count()).toBe(0);
  await field.press('Enter');
  await page.getByText('Could not add “Check the texts”: the task before it is gone.').waitFor();
  expect(await field.inputValue()).toBe('Check the texts');
});

test('[CON18] keys link: L, the arrow keys, Enter; Escape gives up', async ({ openConsole, newUser }) => {
  const user = await newUser('typist');
  const launch = await user.add('Go live');
  const build = await user.add('Build the pages', { target: launch });
  const write = await user.add('Write the texts', { target: build });
  const { page } = await openAs(openConsole, { url, email: user.email, path: '/graph' });
  await card(page, 'Write the texts').focus();
  await page.keyboard.press('l');
  await expect.poll(() => words(page).innerText()).toContain('Which task waits for “Write the texts”?');
  await look(page, 'graph-linking');
  await page.keyboard.press('Escape');
  await expect.poll(() => words(page).innerText()).toBe('');
  await page.keyboard.press('l');
  for (const title of ['Build the pages', 'Go live']) {
    await page.keyboard.press('ArrowRight');
    await page.locator('.card:focus', { hasText: title }).waitFor();
  }
  await page.keyboard.press('Enter');
  await expect.poll(async () => (await sourcesOf(user, launch)).sort()).toEqual([build, write].sort());
  expect(new URL(page.url()).pathname).toBe('/graph');
});
