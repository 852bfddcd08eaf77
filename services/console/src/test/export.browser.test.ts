// Exporting what the views show, and printing them.
import { readFile } from 'node:fs/promises';
import type { Page } from '@taskgraph/testkit/stack/browser';
import { sharedStack } from '@taskgraph/testkit/stack/shared-stack';
import { expect } from 'vitest';
import { cutOff, look } from './support/accessibility.ts';
import { type ConsoleUser, openAs, test, untilLive } from './support/console-fixture.ts';

const [url = ''] = sharedStack().urls;
const HOSTILE = '</text><script>alert(1)</script>';

const dialog = (page: Page) => page.getByRole('dialog', { name: 'Export' });

/** `write` and `draw` block `build`, which blocks `shop`; `other` is free. */
async function addTasks({ add, client }: ConsoleUser) {
  const shop = await add('Open the shop');
  const build = await add(HOSTILE, { target: shop, volume: 5, tags: ['web', 'a;b'] });
  const write = await add('Write, "the" texts', { target: build, dueDate: '2030-01-31' });
  const draw = await add('=Draw', { target: build, status: 3 });
  const other = await add('Something else');
  await client.link.add({ source: other, target: shop, type: 1 });
  return { shop, build, write, draw, other };
}

/** Saves what the dialog exports, and returns its name and bytes. */
async function save(page: Page, format: string) {
  await dialog(page).getByRole('radio', { name: format }).check();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    dialog(page).getByRole('button', { name: 'Export', exact: true }).click(),
  ]);
  await dialog(page).getByText(`as ${download.suggestedFilename()}.`).waitFor();
  return { name: download.suggestedFilename(), bytes: await readFile(await download.path()) };
}

async function importText(page: Page, name: string, buffer: Buffer): Promise<void> {
  const imports = page.getByRole('dialog', { name: 'Import a file' });
  await page.getByRole('button', { name: 'Import…' }).click();
  await imports.getByLabel('File', { exact: true }).setInputFiles({ name, mimeType: 'text/plain', buffer });
  await imports.getByRole('button', { name: 'Import', exact: true }).click();
  await imports.getByRole('button', { name: 'Undo import' }).waitFor();
  await imports.getByRole('button', { name: 'Close' }).click();
}

/** The tasks with their fields, and the links by the titles of their ends. */
async function graphOf({ client }: ConsoleUser) {
  const titles = new Map<string, string>();
  const [tasks, links]: [string[], string[]] = [[], []];
  for await (const page of client.graph.pages()) {
    for (const { id, title, status, volume, dueDate, tags } of page.nodes) {
      titles.set(id, title);
      tasks.push(JSON.stringify([title, status, volume, dueDate, tags]));
    }
    for (const { source, target, type } of page.links) links.push(JSON.stringify([source, target, type]));
  }
  const named = links.map((link) => {
    const [source, target, type] = JSON.parse(link) as [string, string, number];
    return `${titles.get(source)} → ${titles.get(target)} ${type}`;
  });
  return { tasks: tasks.sort(), links: named.sort() };
}

test('[CON29 IO3] exports of the scope and the filter have the name of the scope', async ({ openConsole, newUser }) => {
  const user = await newUser('scope');
  const { build } = await addTasks(user);
  const { page } = await openAs(openConsole, { url, email: user.email, path: `/board?in=${build}&f=status:open` });
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Find a command or a task' }).fill('export');
  await page.keyboard.press('Enter');
  await dialog(page).getByText('What the views show now: 2 tasks and 1 link between them.').waitFor();
  expect(await dialog(page).getByRole('radio').count()).toBe(3);
  const { name, bytes } = await save(page, 'CSV');
  expect(name).toBe('text script alert(1) script.csv');
  const rows = bytes.toString('utf8').trim().split(/\r?\n/);
  expect(rows).toHaveLength(3);
  expect(rows[0]).toMatch(/^id,title,status,due,/);
  const calendar = (await save(page, 'iCalendar')).bytes.toString('utf8');
  expect(calendar.match(/BEGIN:VTODO/g)).toHaveLength(2);
  await look(page, 'export');
  await page.setViewportSize({ width: 320, height: 640 });
  await look(page, 'phone-export');
  expect(await cutOff(page)).toEqual([]);
});

test('[CON29 IO3] exports open again, as the same tasks and links', async ({ openConsole, newUser }) => {
  const user = await newUser('exporter');
  await addTasks(user);
  const before = await graphOf(user);
  const { page } = await openAs(openConsole, { url, email: user.email, path: '/graph' });
  await page.locator('.picture[aria-busy="false"]').waitFor();
  for (const format of ['CSV', 'JSON']) {
    await page.getByRole('button', { name: 'Export…' }).click();
    const { name, bytes } = await save(page, format);
    await dialog(page).getByRole('button', { name: 'Close' }).click();
    const reader = await newUser(`reader-${format.toLowerCase()}`);
    const other = await openAs(openConsole, { url, email: reader.email });
    await importText(other.page, name, bytes);
    expect(await graphOf(reader), format).toEqual(before);
  }
  await page.getByRole('button', { name: 'Export…' }).click();
  const svg = (await save(page, 'SVG')).bytes.toString('utf8');
  // As a browser reads the file: well-formed, without scripts, and with the titles as text.
  const read = await parsedSvg(page, svg);
  expect(read).toEqual({
    errors: 0,
    names: ['g', 'path', 'rect', 'svg', 'text', 'title'],
    titles: ['</text><script>alert(1)…', '=Draw', 'Open the shop', 'Something else', 'Write, "the" texts'],
  });
  const png = (await save(page, 'PNG')).bytes;
  expect(png.subarray(1, 4).toString('latin1')).toBe('PNG');
  const [width, height] = [png.readUInt32BE(16), png.readUInt32BE(20)];
  const [, svgWidth, svgHeight] = /width="([\d.]+)" height="([\d.]+)"/.exec(svg) ?? [];
  expect([width, height]).toEqual([2 * Number(svgWidth), 2 * Number(svgHeight)].map(Math.floor));
});

/** Opens the file in a page of its own, whose policy does not forbid to parse it. */
async function parsedSvg(page: Page, svg: string) {
  const reader = await page.context().browser()?.newPage();
  if (reader === undefined) throw new Error('there is no browser');
  const read = await reader.evaluate<{ errors: number; names: string[]; titles: string[] }>(
    `(() => {
      const parsed = new DOMParser().parseFromString(${JSON.stringify(svg)}, 'image/svg+xml');
      const all = [...parsed.querySelectorAll('*')];
      const titles = [...parsed.querySelectorAll('text[font-weight]')].map((text) => text.textContent);
      return {
        errors: parsed.querySelectorAll('parsererror').length,
        names: [...new Set(all.map(({ localName }) => localName))].sort(),
        titles: titles.sort(),
      };
    })()`,
  );
  await reader.close();
  return read;
}

test('[CON29] paper has all rows and the whole graph, in black on white, without the frame', async ({
  openConsole,
  newUser,
}) => {
  const user = await newUser('printer');
  await user.client.batch((batch) => {
    for (let index = 0; index < 120; index++) batch.node.add({ title: `Task ${index}`, volume: 1 });
  });
  const { page } = await openAs(openConsole, { url, email: user.email, path: '/outline' });
  await page.evaluate("document.documentElement.dataset.theme = 'dark'");
  const visible = (selector: string) =>
    page
      .locator(selector)
      .evaluateAll((all: { checkVisibility(): boolean }[]) => all.filter((each) => each.checkVisibility()).length);
  for (const [path, rows] of [
    ['/outline', '.outline-row'],
    ['/plan', '.plan-row'],
  ] as const) {
    await page.goto(path);
    await page.locator(rows).first().waitFor();
    await page.evaluate("document.documentElement.dataset.theme = 'dark'");
    expect(await page.locator(rows).count(), path).toBeLessThan(120);
    await page.emulateMedia({ media: 'print' });
    await expect.poll(() => page.locator(rows).count(), { message: path }).toBe(120);
    expect(await visible('.sidebar, .filter, .panel, .status-bar, .notices, main button'), path).toBe(0);
    expect(
      await page.evaluate('getComputedStyle(document.body).color + getComputedStyle(document.body).backgroundColor'),
    ).toBe('rgb(0, 0, 0)rgb(255, 255, 255)');
    // Nothing is cut by a box that scrolls on the screen.
    expect(await page.evaluate(`document.documentElement.scrollHeight > 120 * 30`), path).toBe(true);
    await page.emulateMedia({ media: 'screen' });
    await expect.poll(() => page.locator(rows).count()).toBeLessThan(120);
  }
  await page.goto('/graph');
  await untilLive(page);
  await page.locator('.picture[aria-busy="false"]').waitFor();
  expect(await page.locator('.paper svg').count()).toBe(0);
  await page.emulateMedia({ media: 'print' });
  await page.locator('.paper svg').waitFor();
  await expect.poll(() => page.locator('.paper svg text[font-weight]').count()).toBe(120);
  expect(await visible('.sidebar, .filter, .panel, .status-bar, .camera, .drawing, .layer .card')).toBe(0);
  expect(await page.evaluate("document.querySelector('.paper svg').getBoundingClientRect().width <= innerWidth")).toBe(
    true,
  );
  await page.emulateMedia({ media: 'screen' });
  await page.locator('.paper svg').waitFor({ state: 'detached' });
});
