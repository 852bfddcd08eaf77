// The picture of the graph: what it draws, how the reader moves in it, and what others change.
import type { Page } from '@taskgraph/testkit/stack/browser';
import { sharedStack } from '@taskgraph/testkit/stack/shared-stack';
import { expect } from 'vitest';
import { type ConsoleUser, openAs, test } from './support/console-fixture.ts';

const [url = ''] = sharedStack().urls;

/** Tasks of which `write` and `draw` block `build`, which blocks `launch`. */
async function addPlan({ add }: ConsoleUser) {
  const launch = await add('Go live');
  const build = await add('Build the pages', { target: launch });
  const write = await add('Write the texts', { target: build });
  const draw = await add('Draw the pictures', { target: build });
  return { launch, build, write, draw };
}

const card = (page: Page, title: string) => page.locator('.card', { hasText: title });
const leftOf = async (page: Page, title: string) => (await card(page, title).boundingBox())?.x ?? Number.NaN;
const cameraOf = (page: Page) =>
  page.locator('.layer').evaluate((layer: { style: { transform: string } }) => layer.style.transform);

async function openGraph(openConsole: Parameters<typeof openAs>[0], email: string): Promise<Page> {
  const { page } = await openAs(openConsole, { url, email, path: '/graph' });
  await card(page, 'Go live').waitFor();
  return page;
}

test('[CON7] each task is a card, right of all that it waits for', async ({ openConsole, newUser }) => {
  const user = await newUser('painter');
  await addPlan(user);
  const page = await openGraph(openConsole, user.email);
  expect(await page.locator('.card').count()).toBe(4);
  const titles = ['Write the texts', 'Build the pages', 'Go live'];
  const lefts = await Promise.all(titles.map((title) => leftOf(page, title)));
  expect(lefts).toEqual([...lefts].sort((one, other) => one - other));
  expect(new Set(lefts).size).toBe(3);
  expect(await leftOf(page, 'Draw the pictures')).toBe(lefts[0]);
  await page.getByRole('button', { name: /^Build the pages ?, Blocked, waits for 2 tasks, holds up 1 task/ }).waitFor();
});

test('[CON7] keys walk along the links, and open a task beside the picture', async ({ openConsole, newUser }) => {
  const user = await newUser('walker');
  const { build } = await addPlan(user);
  const page = await openGraph(openConsole, user.email);
  await card(page, 'Go live').focus();
  await page.keyboard.press('ArrowLeft');
  await page.locator('.card:focus', { hasText: 'Build the pages' }).waitFor();
  await page.keyboard.press('ArrowLeft');
  await page.locator('.card:focus', { hasText: /Write|Draw/ }).waitFor();
  await page.keyboard.press('ArrowRight');
  await page.locator('.card:focus', { hasText: 'Build the pages' }).waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Build the pages' }).waitFor();
  expect(new URL(page.url()).pathname).toBe(`/task/${build}`);
  expect(await page.locator('.card').count()).toBe(4);
  await page.keyboard.press('Escape');
  await page.waitForURL('**/graph');
  await page.locator('.card:focus', { hasText: 'Build the pages' }).waitFor();
});

test('[CON7] changes of others show, and the camera stays where it is', async ({ openConsole, newUser }) => {
  const user = await newUser('watcher');
  const { client, add } = user;
  const { build, write, draw } = await addPlan(user);
  const page = await openGraph(openConsole, user.email);
  await page.getByRole('button', { name: 'Zoom in' }).click();
  const camera = await cameraOf(page);
  const before = await card(page, 'Write the texts').boundingBox();
  await add('Check the texts', { target: build });
  await card(page, 'Check the texts').waitFor();
  expect(await card(page, 'Write the texts').boundingBox()).toEqual(before);
  await client.node.update({ id: write, status: 3 });
  await page.locator('.card[data-status="3"]', { hasText: 'Write the texts' }).waitFor();
  // Completed tasks block nothing: of the three, two are left.
  await page.getByRole('button', { name: /^Build the pages ?, Blocked, waits for 2 tasks/ }).waitFor();
  await client.node.trash({ id: draw });
  await card(page, 'Draw the pictures').waitFor({ state: 'detached' });
  expect(await cameraOf(page)).toBe(camera);
});

test('[CON7] neither the camera nor a card moves while 200 changes come', async ({ openConsole, newUser }) => {
  const user = await newUser('busy');
  const { write, draw } = await addPlan(user);
  const page = await openGraph(openConsole, user.email);
  await page.getByRole('button', { name: 'Zoom in' }).click();
  const [camera, before] = [await cameraOf(page), await card(page, 'Draw the pictures').boundingBox()];
  for (let change = 1; change <= 200; change++) {
    await user.client.node.update({ id: change % 2 === 0 ? write : draw, volume: change });
  }
  await card(page, 'Write the texts').getByText('effort 200').waitFor();
  expect([await cameraOf(page), await card(page, 'Draw the pictures').boundingBox()]).toEqual([camera, before]);
});

test('[CON7] far away the canvas draws the cards, and everything can be shown again', async ({
  openConsole,
  newUser,
}) => {
  const user = await newUser('zoomer');
  await addPlan(user);
  const page = await openGraph(openConsole, user.email);
  const camera = await cameraOf(page);
  for (let step = 0; step < 4; step++) await page.getByRole('button', { name: 'Zoom out' }).click();
  await page.locator('.card').first().waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Show all' }).click();
  await card(page, 'Go live').waitFor();
  await expect.poll(() => cameraOf(page)).toBe(camera);
});

test('[CON7] a press on the background moves the picture, and a press on a card opens it', async ({
  openConsole,
  newUser,
}) => {
  const user = await newUser('dragger');
  const { launch } = await addPlan(user);
  const page = await openGraph(openConsole, user.email);
  const before = await leftOf(page, 'Go live');
  const box = await page.locator('.picture').boundingBox();
  const [x, y] = [(box?.x ?? 0) + 20, (box?.y ?? 0) + 20];
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x + 100, y + 50, { steps: 5 });
  await page.mouse.up();
  await expect.poll(() => leftOf(page, 'Go live')).toBe(before + 100);
  await card(page, 'Go live').click();
  await page.waitForURL(`**/task/${launch}`);
});
