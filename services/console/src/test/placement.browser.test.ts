// What all readers of a picture share: collapsed branches and pinned cards; and the tiles of branches.
import type { Page } from '@taskgraph/testkit/stack/browser';
import { sharedStack } from '@taskgraph/testkit/stack/shared-stack';
import { expect } from 'vitest';
import { look } from './support/accessibility.ts';
import { type ConsoleUser, openAs, test } from './support/console-fixture.ts';

const [url = ''] = sharedStack().urls;

const card = (page: Page, title: string) => page.locator('.card', { hasText: title });
const collapseButton = (page: Page, title: string) =>
  page.locator('.card-place', { hasText: title }).locator('.collapse');

/** Tasks of which `write` and `draw` block `build`, which blocks `launch`; `print` waits for `draw` too. */
async function addPlan({ add, client }: ConsoleUser) {
  const launch = await add('Go live');
  const build = await add('Build the pages', { target: launch });
  const write = await add('Write the texts', { target: build });
  const draw = await add('Draw the pictures', { target: build });
  const print = await add('Print the leaflets');
  await client.link.add({ source: draw, target: print });
  return { launch, build, write, draw, print };
}

async function stored({ client }: ConsoleUser, id: string) {
  return (await client.node.get({ id })).nodes[0];
}

async function openGraph(openConsole: Parameters<typeof openAs>[0], email: string): Promise<Page> {
  const { page } = await openAs(openConsole, { url, email, path: '/graph' });
  await card(page, 'Go live').waitFor();
  return page;
}

test('[CON21] keys collapse a branch in all browsers, and what others wait for still shows', async ({
  openConsole,
  newUser,
}) => {
  const user = await newUser('folder');
  const { build } = await addPlan(user);
  const page = await openGraph(openConsole, user.email);
  const other = await openGraph(openConsole, user.email);
  await card(page, 'Build the pages').focus();
  await page.keyboard.press('.');
  for (const each of [page, other]) {
    await card(each, 'Write the texts').waitFor({ state: 'detached' });
    await collapseButton(each, 'Build the pages').getByText('+1').waitFor();
    expect(await card(each, 'Draw the pictures').count()).toBe(1);
    expect(await card(each, 'Print the leaflets').count()).toBe(1);
  }
  await page.getByRole('button', { name: /^Build the pages ?, .*hides 1 task/ }).waitFor();
  await look(page, 'graph-collapsed');
  await page.locator('.card:focus', { hasText: 'Build the pages' }).waitFor();
  await page.keyboard.press(',');
  for (const each of [page, other]) await card(each, 'Write the texts').waitFor();
  await expect.poll(() => stored(user, build)).toMatchObject({ collapsed: false });
  // As each change of the window, it can be undone.
  await page.keyboard.press('Control+z');
  await card(page, 'Write the texts').waitFor({ state: 'detached' });
});

test('[CON21] a button of the card collapses and expands, and the palette does', async ({ openConsole, newUser }) => {
  const user = await newUser('presser');
  await addPlan(user);
  const page = await openGraph(openConsole, user.email);
  await card(page, 'Go live').hover();
  await page.getByRole('button', { name: 'Collapse the branch of “Go live”' }).click();
  await card(page, 'Build the pages').waitFor({ state: 'detached' });
  await collapseButton(page, 'Go live').getByText('+2').waitFor();
  await page.getByRole('button', { name: 'Expand the branch of “Go live”' }).click();
  await card(page, 'Build the pages').click();
  await page.getByRole('heading', { level: 2, name: 'Build the pages' }).waitFor();
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Find a command or a task' }).fill('collapse');
  await page.keyboard.press('Enter');
  await card(page, 'Write the texts').waitFor({ state: 'detached' });
  await page.getByText('The branch of “Build the pages” is collapsed in the graph.').waitFor();
});

test('[CON21] a task without a branch is not collapsed, and says so', async ({ openConsole, newUser }) => {
  const user = await newUser('leaf');
  const { write } = await addPlan(user);
  const page = await openGraph(openConsole, user.email);
  await card(page, 'Write the texts').focus();
  await page.keyboard.press('.');
  await page.getByText('“Write the texts” has no tasks below it to hide.').waitFor();
  expect(await stored(user, write)).toMatchObject({ collapsed: false });
});

const boxOf = async (page: Page, title: string) => {
  const { x = 0, y = 0, width = 0, height = 0 } = (await card(page, title).boundingBox()) ?? {};
  return { x: x + width / 2, y: y + height / 2 };
};

async function dragCard(page: Page, title: string, by: { readonly x: number; readonly y: number }): Promise<void> {
  const { x, y } = await boxOf(page, title);
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x + by.x, y + by.y, { steps: 5 });
}

/** How far a card is from another one, which the camera does not change. */
async function distanceOf(page: Page, title: string, from: string) {
  const [one, other] = [await boxOf(page, title), await boxOf(page, from)];
  return { x: Math.round(one.x - other.x), y: Math.round(one.y - other.y) };
}

/** The upper left corner of a card in the picture, in whole pixels. */
async function placeOf(page: Page, title: string): Promise<number[]> {
  const place = page.locator('.card-place', { hasText: title });
  const text = await place.evaluate((element: { style: { transform: string } }) => element.style.transform);
  return (text.match(/-?[\d.]+/g) ?? []).map((number) => Math.round(Number(number)));
}

test('[CON22] a card that is dragged stays there in all browsers, until the graph is tidied', async ({
  openConsole,
  newUser,
}) => {
  const user = await newUser('pinner');
  const { print, draw } = await addPlan(user);
  const page = await openGraph(openConsole, user.email);
  const other = await openGraph(openConsole, user.email);
  const before = await distanceOf(page, 'Print the leaflets', 'Go live');
  await dragCard(page, 'Print the leaflets', { x: 30, y: 130 });
  await page.mouse.up();
  await page.getByText('Pinned “Print the leaflets”.').waitFor();
  // Stored places are whole pixels of the picture.
  const hasMoved = (now: { readonly x: number; readonly y: number }) =>
    Math.abs(now.x - before.x - 30) <= 2 && Math.abs(now.y - before.y - 130) <= 2;
  for (const each of [page, other]) {
    await each.getByRole('button', { name: /^Print the leaflets ?, .*pinned/ }).waitFor();
    await expect.poll(async () => hasMoved(await distanceOf(each, 'Print the leaflets', 'Go live'))).toBe(true);
  }
  // The click at the end of a drag opens nothing.
  expect(new URL(page.url()).pathname).toBe('/graph');
  expect(await stored(user, print)).toMatchObject({ pinned: true });
  // Later layouts leave it there.
  await user.add('Check the pictures', { target: draw });
  await card(page, 'Check the pictures').waitFor();
  expect(hasMoved(await distanceOf(page, 'Print the leaflets', 'Go live'))).toBe(true);
  await dragCard(page, 'Write the texts', { x: 0, y: 200 });
  await page.mouse.up();
  await page.getByRole('button', { name: /^Write the texts ?, .*pinned/ }).waitFor();
  await page.getByRole('button', { name: 'Tidy' }).click();
  await page.getByText('Unpinned 2 cards.').waitFor();
  for (const each of [page, other])
    await expect.poll(async () => hasMoved(await distanceOf(each, 'Print the leaflets', 'Go live'))).toBe(false);
  expect(await stored(user, print)).toMatchObject({ pinned: false });
  // It was one batch.
  await page.keyboard.press('Control+z');
  for (const title of ['Print the leaflets', 'Write the texts'])
    await page.getByRole('button', { name: new RegExp(`^${title} ?, .*pinned`) }).waitFor();
});

test('[CON22] Escape cancels a drag, and the panel stays open', async ({ openConsole, newUser }) => {
  const user = await newUser('canceller');
  const { print } = await addPlan(user);
  const page = await openGraph(openConsole, user.email);
  await card(page, 'Go live').click();
  await page.getByRole('heading', { level: 2, name: 'Go live' }).waitFor();
  const before = await distanceOf(page, 'Print the leaflets', 'Go live');
  await dragCard(page, 'Print the leaflets', { x: 0, y: 120 });
  await expect
    .poll(async () => (await distanceOf(page, 'Print the leaflets', 'Go live')).y)
    .toBeGreaterThan(before.y + 110);
  await page.keyboard.press('Escape');
  await expect.poll(() => distanceOf(page, 'Print the leaflets', 'Go live')).toEqual(before);
  await page.mouse.up();
  expect(await page.getByRole('heading', { level: 2, name: 'Go live' }).count()).toBe(1);
  expect(await stored(user, print)).toMatchObject({ pinned: false });
});

test('[CON22] Alt, Shift and the arrow keys move a card, and pin it once', async ({ openConsole, newUser }) => {
  const user = await newUser('stepper');
  const { print } = await addPlan(user);
  const page = await openGraph(openConsole, user.email);
  const before = await placeOf(page, 'Print the leaflets');
  const version = Number((await stored(user, print))?.version);
  await card(page, 'Print the leaflets').focus();
  await page.keyboard.down('Alt');
  await page.keyboard.down('Shift');
  // A key that stays pressed repeats.
  for (let step = 0; step < 3; step++) await page.keyboard.down('ArrowDown');
  await page.keyboard.up('ArrowDown');
  await page.keyboard.up('Shift');
  await page.keyboard.up('Alt');
  await page.getByRole('button', { name: /^Print the leaflets ?, .*pinned/ }).waitFor();
  await expect.poll(() => placeOf(page, 'Print the leaflets')).toEqual([before[0], (before[1] ?? 0) + 120]);
  await page.locator('.card:focus', { hasText: 'Print the leaflets' }).waitFor();
  await expect.poll(() => stored(user, print)).toMatchObject({ pinned: true, version: version + 1 });
});

const tile = (page: Page, title: string) => page.locator('.tile', { hasText: title });

/** Adds tasks below another one, in as few batches as possible. */
async function addMany({ client }: ConsoleUser, target: string, number: number, title: string): Promise<void> {
  await client.batch((batch) => {
    for (let task = 1; task <= number; task++) batch.node.add({ title: `${title} ${task}`, target });
  });
}

test('[CON23] 400 cards show at first, and with one more the tiles of their branches', async ({
  openConsole,
  newUser,
}) => {
  const user = await newUser('counter');
  // Chains, so that all cards have space at a scale at which cards show, and none is in a fan.
  await user.client.batch((batch) => {
    for (let chain = 1; chain <= 20; chain++) {
      let { id: target } = batch.node.add({ title: `Goal ${chain}` });
      for (let step = 2; step <= 20; step++) ({ id: target } = batch.node.add({ title: `Step ${step}`, target }));
    }
  });
  const first = await openAs(openConsole, { url, email: user.email, path: '/graph' });
  await first.page.locator('.picture[data-elements="cards"]').waitFor();
  await user.add('Goal 21');
  // In a browser of its own, which has no copy with 400 tasks.
  const { page } = await openAs(openConsole, { url, email: user.email, path: '/graph' });
  await page.locator('.picture[data-elements="branches"]').waitFor();
  // It is the number of cards alone that leads to tiles.
  await page.getByRole('button', { name: 'Show all' }).click();
  await page.locator('.picture[data-elements="cards"]').waitFor();
});

test('[CON23] more than 400 cards open on tiles of branches, which lead to their cards', async ({
  openConsole,
  newUser,
}) => {
  const user = await newUser('surveyor');
  const launch = await user.add('Go live');
  const [build, print] = [
    await user.add('Build the pages', { target: launch }),
    await user.add('Print the leaflets', { target: launch }),
  ];
  await addMany(user, build, 19, 'Page');
  const cover = await user.add('Cover', { target: build });
  // Groups that are too small for a fan.
  await user.client.batch((batch) => {
    for (let part = 1; part <= 56; part++) {
      const { id: target } = batch.node.add({ title: `Part ${part}`, target: print });
      for (let leaflet = 1; leaflet <= 7; leaflet++) batch.node.add({ title: `Leaflet ${part}-${leaflet}`, target });
    }
  });
  const { page } = await openAs(openConsole, { url, email: user.email, path: '/graph' });
  await page.locator('.picture[data-elements="branches"]').waitFor();
  await page.getByRole('button', { name: /^Build the pages ?, 21 tasks: 20 available and 1 blocked/ }).waitFor();
  expect(await page.locator('.tile').count()).toBe(3);
  await look(page, 'graph-branches');
  await user.client.node.update({ id: cover, status: 3 });
  await page.getByRole('button', { name: /^Build the pages ?, 21 tasks: .*1 completed/ }).waitFor();
  // Keys walk from tile to tile, and enter one.
  await tile(page, 'Go live').focus();
  await page.keyboard.press('ArrowLeft');
  await page.locator('.tile:focus').waitFor();
  await tile(page, 'Build the pages').focus();
  await page.keyboard.press('Enter');
  await page.locator('.picture[data-elements="cards"]').waitFor();
  await page.locator('[data-act="branches"]:focus').waitFor();
  await page.keyboard.press('Enter');
  await page.locator('.picture[data-elements="branches"]').waitFor();
  // Zooming in enters the branch at the pointer, and zooming out far enough leads back.
  await tile(page, 'Print the leaflets').hover();
  await page.mouse.wheel(0, -2_000);
  await page.locator('.picture[data-elements="cards"]').waitFor();
  await page.mouse.wheel(0, 2_000);
  await page.locator('.picture[data-elements="branches"]').waitFor();
});
