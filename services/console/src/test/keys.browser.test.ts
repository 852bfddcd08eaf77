// Keys that are pressed while a dialog loads: they are meant for the dialog, so none acts on the page.
import type { Page } from '@taskgraph/testkit/stack/browser';
import { sharedStack } from '@taskgraph/testkit/stack/shared-stack';
import { expect } from 'vitest';
import { openAs, test } from './support/console-fixture.ts';

const [url = ''] = sharedStack().urls;

/** Holds the requests for the file of a module. */
async function holdModule(page: Page, module: string) {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const requested = page.waitForRequest(new RegExp(`/assets/${module}-[^/]*\\.js$`));
  await page.route(`**/assets/${module}-*.js`, async (route) => {
    await released;
    await route.continue();
  });
  return { requested, release };
}

test.for([
  ['p', 'begin-change', 'Set the priority of “Write the texts”'],
  ['p', 'change-dialog', 'Set the priority of “Write the texts”'],
  ['u', 'change-dialog', 'Set the due date of “Write the texts”'],
  ['a', 'change-dialog', 'Assign “Write the texts”'],
  ['t', 'change-dialog', 'Set the tags of “Write the texts”'],
  ['?', 'key-list', 'Keyboard shortcuts'],
  ['Control+k', 'palette', 'Commands and tasks'],
] as const)(
  '[CON27] after %s, no key acts on the page until the dialog shows: %s',
  async ([key, module, name], { openConsole, newUser }) => {
    const ann = await newUser('hasty');
    const id = await ann.add('Write the texts');
    const { page } = await openAs(openConsole, { url, email: ann.email, path: '/ready' });
    const { requested, release } = await holdModule(page, module);
    await page.locator(`.row-title[data-task="${id}"]`).focus();
    await page.keyboard.press(key);
    await requested;
    for (const hasty of ['s', 'd', '5', 'Delete', 'Enter', 'g', 'b', 'x', 'c']) await page.keyboard.press(hasty);
    release();
    const dialog = page.getByRole('dialog', { name, exact: true });
    await dialog.waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    expect(new URL(page.url()).pathname + new URL(page.url()).search).toBe('/ready');
    // Changes are sent in order, so the service would have these before the next one.
    await page.locator(`.row-title[data-task="${id}"]`).focus();
    await page.keyboard.press('3');
    await expect.poll(async () => (await ann.client.node.get({ id })).nodes[0]).toMatchObject({ volume: 3, status: 0 });
  },
);

test('[CON27] a key acts on the page at once after a dialog has closed', async ({ openConsole, newUser }) => {
  const ann = await newUser('quick');
  const id = await ann.add('Write the texts');
  const { page } = await openAs(openConsole, { url, email: ann.email, path: '/ready' });
  await page.locator(`.row-title[data-task="${id}"]`).focus();
  await page.keyboard.press('p');
  await page.getByRole('dialog', { name: 'Set the priority of “Write the texts”', exact: true }).waitFor();
  // The browser reports the end of the dialog in a later task.
  await page.evaluate(`document.querySelector('dialog[open]').close();
    document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key: '3', bubbles: true, cancelable: true }))`);
  await expect.poll(async () => (await ann.client.node.get({ id })).nodes[0]).toMatchObject({ volume: 3 });
});

test.for([
  ['p', 'begin-change'],
  ['p', 'change-dialog'],
  ['?', 'key-list'],
] as const)('[CON27] Escape gives up a dialog that loads: %s, %s', async ([key, module], { openConsole, newUser }) => {
  const ann = await newUser('giving-up');
  const id = await ann.add('Write the texts');
  const { page } = await openAs(openConsole, { url, email: ann.email, path: '/ready' });
  const { requested, release } = await holdModule(page, module);
  const loaded = page.waitForResponse(new RegExp(`/assets/${module}-[^/]*\\.js$`));
  await page.locator(`.row-title[data-task="${id}"]`).focus();
  await page.keyboard.press(key);
  await requested;
  // A key of the browser, such as the one that goes back, stays its own.
  const back = `document.body.dispatchEvent(
    new KeyboardEvent('keydown', { key: 'ArrowLeft', altKey: true, bubbles: true, cancelable: true }))`;
  expect(await page.evaluate(back)).toBe(true);
  await page.keyboard.press('Escape');
  await page.keyboard.press('g');
  await page.keyboard.press('b');
  await page.waitForURL('**/board');
  release();
  await (await loaded).finished();
  await page.keyboard.press('Control+k');
  await page.getByRole('dialog', { name: 'Commands and tasks', exact: true }).waitFor();
  expect(await page.getByRole('dialog').count()).toBe(1);
});

test('[CON19 CON27] what is typed while the palette loads is in its field', async ({ openConsole, newUser }) => {
  const { email } = await newUser('fast');
  const { page } = await openAs(openConsole, { url, email, path: '/ready' });
  const { requested, release } = await holdModule(page, 'palette');
  await page.keyboard.press('Control+k');
  await requested;
  await page.keyboard.type('import');
  release();
  const dialog = page.getByRole('dialog', { name: 'Commands and tasks', exact: true });
  await dialog.waitFor();
  expect(await dialog.getByRole('combobox').inputValue()).toBe('import');
  await page.keyboard.press('Enter');
  await page.getByRole('dialog', { name: 'Import a file', exact: true }).waitFor();
});

test('[CON27] keys act again if no dialog shows after all', async ({ openConsole, newUser }) => {
  const ann = await newUser('patient');
  const id = await ann.add('Write the texts');
  const { page } = await openAs(openConsole, { url, email: ann.email, path: '/ready' });
  const { requested, release } = await holdModule(page, 'begin-change');
  await page.locator(`.row-title[data-task="${id}"]`).focus();
  // It asks nothing.
  await page.keyboard.press('4');
  await requested;
  await page.keyboard.press('s');
  release();
  await expect.poll(async () => (await ann.client.node.get({ id })).nodes[0]).toMatchObject({ volume: 4, status: 0 });
  await page.keyboard.press('s');
  await expect.poll(async () => (await ann.client.node.get({ id })).nodes[0]?.status).toBe(1);
});
