// Fans in the picture: many leaves of one task behind a card, which opens and folds.
import type { Page } from '@taskgraph/testkit/stack/browser';
import { sharedStack } from '@taskgraph/testkit/stack/shared-stack';
import { expect } from 'vitest';
import { look } from './support/accessibility.ts';
import { type ConsoleUser, openAs, test } from './support/console-fixture.ts';

const [url = ''] = sharedStack().urls;

const FOLDED = '5 more tasks that “Go live” waits for';
const OPEN = 'Show fewer tasks that “Go live” waits for';

const card = (page: Page, title: string) => page.locator('.card[data-task]', { hasText: title });
const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true });
const leaves = async (page: Page) =>
  (await page.locator('.card[data-task] .card-title').allInnerTexts()).filter((title) => title !== 'Go live').sort();

/** A task that waits for eight others. Their ids are by their titles. */
async function addFan({ add, client }: ConsoleUser): Promise<ReadonlyMap<string, string>> {
  const goal = await add('Go live');
  await client.batch((batch) => {
    for (let leaf = 1; leaf <= 8; leaf++) batch.node.add({ title: `Leaf ${leaf}`, target: goal, volume: 9 - leaf });
  });
  const { nodes } = await client.node.find({ fields: ['title'] });
  return new Map(nodes.map(({ id, title }) => [String(title), id]));
}

async function openGraph(openConsole: Parameters<typeof openAs>[0], email: string, path = '/graph'): Promise<Page> {
  const { page } = await openAs(openConsole, { url, email, path });
  await card(page, 'Go live').waitFor();
  return page;
}

/** The one card at which the Tab key stops. */
const stops = (page: Page) => page.locator('.card[tabindex="0"]').allInnerTexts();

test('[CON38] the first leaves show, and keys open and fold the others in this page', async ({
  openConsole,
  newUser,
}) => {
  const user = await newUser('fanned');
  await addFan(user);
  const page = await openGraph(openConsole, user.email);
  const other = await openGraph(openConsole, user.email);
  await button(page, FOLDED).waitFor();
  expect(await leaves(page)).toEqual(['Leaf 1', 'Leaf 2', 'Leaf 3']);
  await look(page, 'graph-fan');

  await card(page, 'Go live').focus();
  await page.keyboard.press('ArrowLeft');
  await page.locator('.card:focus', { hasText: /Leaf|more/ }).waitFor();
  for (let step = 0; step < 4; step++) await page.keyboard.press('ArrowDown');
  await button(page, FOLDED).and(page.locator(':focus[aria-expanded="false"]')).waitFor();
  expect(await stops(page)).toEqual([expect.stringContaining('5 more')]);
  await page.keyboard.press('Enter');
  await button(page, OPEN).and(page.locator(':focus[aria-expanded="true"]')).waitFor();
  expect(await leaves(page)).toHaveLength(8);
  expect(await stops(page)).toEqual([expect.stringContaining('Show fewer')]);
  await look(page, 'graph-fan-open');

  // It stays open in this page, and in no other.
  await page.getByRole('link', { name: 'Outline' }).click();
  await page.locator('.outline-row').first().waitFor();
  await page.getByRole('link', { name: 'Graph' }).click();
  await button(page, OPEN).waitFor();
  expect(await leaves(other)).toEqual(['Leaf 1', 'Leaf 2', 'Leaf 3']);
  await button(page, OPEN).focus();
  await page.keyboard.press('Enter');
  await button(page, FOLDED).and(page.locator(':focus')).waitFor();
  expect(await leaves(page)).toEqual(['Leaf 1', 'Leaf 2', 'Leaf 3']);
  // A pointer does the same.
  await button(page, FOLDED).click();
  await button(page, OPEN).waitFor();
  expect(new URL(page.url()).pathname).toBe('/graph');
});

test('[CON38] completed leaves go behind the card, except the one with the focus', async ({ openConsole, newUser }) => {
  const user = await newUser('finisher');
  const ids = await addFan(user);
  const page = await openGraph(openConsole, user.email);
  await button(page, FOLDED).waitFor();
  await card(page, 'Leaf 2').focus();
  await page.keyboard.press('d');
  await page.locator('.card:focus[data-status="3"]', { hasText: 'Leaf 2' }).waitFor();
  await user.client.node.update({ id: ids.get('Leaf 1') as string, status: 3 });
  await card(page, 'Leaf 1').waitFor({ state: 'detached' });
  expect(await leaves(page)).toEqual(['Leaf 2', 'Leaf 3', 'Leaf 4']);
  await page.locator('.card:focus', { hasText: 'Leaf 2' }).waitFor();
});

test('[CON38] the fan of a task opens by its address, by the palette and by the selection', async ({
  openConsole,
  newUser,
}) => {
  const user = await newUser('seeker');
  const ids = await addFan(user);
  const page = await openGraph(openConsole, user.email);
  await button(page, FOLDED).waitFor();
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Find a command or a task' }).fill('Leaf 7');
  await page.keyboard.press('Enter');
  await page.waitForURL(`**/task/${ids.get('Leaf 7')}`);
  await page.locator('.card[aria-pressed="true"]', { hasText: 'Leaf 7' }).waitFor();
  // The reader may fold it again; the task of the panel stays.
  await button(page, OPEN).click();
  await button(page, FOLDED).waitFor();
  expect(await leaves(page)).toEqual(['Leaf 1', 'Leaf 2', 'Leaf 7']);

  const selected = await openGraph(openConsole, user.email, `/graph?sel=${ids.get('Leaf 8')}`);
  await selected.locator('.card[data-selected="true"]', { hasText: 'Leaf 8' }).waitFor();
  await button(selected, OPEN).click();
  await button(selected, FOLDED).waitFor();
  // All of its tasks are selected: their card says so.
  await selected.keyboard.press('Control+a');
  await button(selected, `${FOLDED}, selected`).waitFor();
});

test('[CON14 CON38] the card counts the tasks that meet the filter, and is faint without any', async ({
  openConsole,
  newUser,
}) => {
  const user = await newUser('filterer');
  await addFan(user);
  const page = await openGraph(openConsole, user.email, '/graph?f=Leaf');
  await button(page, `${FOLDED}, 5 match the filter`).waitFor();
  const filter = page.getByLabel('Filter by words and conditions');
  await filter.fill('Leaf 6');
  await button(page, `${FOLDED}, 1 matches the filter`).waitFor();
  expect(await page.locator('.fan').getAttribute('data-outside')).toBe('false');
  await filter.fill('Leaf 2');
  await page.locator('.fan[data-outside="true"]').waitFor();
  // Paper has what the picture shows of the filter.
  await filter.fill('status:available');
  await button(page, `${FOLDED}, 5 match the filter`).waitFor();
  await page.emulateMedia({ media: 'print' });
  await expect
    .poll(() => page.locator('.paper text[font-weight]').allTextContents())
    .toEqual(['Leaf 1', 'Leaf 2', 'Leaf 3', '5 more']);
});

test('[CON38] from farther away the canvas draws the card, and a press opens it', async ({ openConsole, newUser }) => {
  const user = await newUser('far');
  await addFan(user);
  const page = await openGraph(openConsole, user.email);
  await button(page, FOLDED).hover();
  // The point under the pointer stays where it is.
  await page.mouse.wheel(0, 400);
  await card(page, 'Go live').waitFor({ state: 'detached' });
  await page.mouse.down();
  await page.mouse.up();
  await page.mouse.wheel(0, -400);
  await button(page, OPEN).waitFor();
  expect(await leaves(page)).toHaveLength(8);
});

test('[CON27 CON38] keys of tasks do nothing at the card of a fan, and its focus goes to its task with the fan', async ({
  openConsole,
  newUser,
}) => {
  const user = await newUser('dissolver');
  const ids = await addFan(user);
  const page = await openGraph(openConsole, user.email);
  await card(page, 'Leaf 1').click();
  await page.waitForURL(`**/task/${ids.get('Leaf 1')}`);
  // The panel takes the focus when it has loaded.
  await page.locator('.panel h2:focus').waitFor();
  await button(page, FOLDED).focus();
  // Neither completes the task of the open panel, nor asks whether to trash it.
  await page.keyboard.press('d');
  await page.keyboard.press('Delete');
  // The next key acts after them.
  await page.keyboard.press('?');
  await page.locator('.key-list[open]').waitFor();
  expect(await page.locator('dialog[open]').count()).toBe(1);
  await page.keyboard.press('Escape');
  await button(page, FOLDED).and(page.locator(':focus')).waitFor();
  const { nodes } = await user.client.node.get({ id: ids.get('Leaf 1') as string });
  expect(nodes[0]?.status).toBe(0);

  await user.client.node.trash({ id: ids.get('Leaf 8') as string });
  await card(page, 'Go live').and(page.locator(':focus')).waitFor();
  expect(await leaves(page)).toHaveLength(7);
  expect(await stops(page)).toEqual([expect.stringContaining('Go live')]);
});
