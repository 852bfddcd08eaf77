// The first steps in an empty account.
import { sharedStack } from '@taskgraph/testkit/stack/shared-stack';
import { expect } from 'vitest';
import { cutOff, look } from './support/accessibility.ts';
import { openAs, test } from './support/console-fixture.ts';

const [url = ''] = sharedStack().urls;

test('[CON30 CON6] an empty account names its goal and what comes before it', async ({ openConsole, newUser }) => {
  const { email, client } = await newUser('beginner');
  const { page } = await openAs(openConsole, { url, email });
  const steps = page.getByRole('region', { name: 'First steps' });
  await steps.getByLabel('Name your goal').waitFor();
  await look(page, 'first-run');
  await steps.getByRole('button', { name: 'Import a file…' }).click();
  await page.getByRole('dialog', { name: 'Import a file' }).waitFor();
  await page.keyboard.press('Escape');
  await steps.getByLabel('Name your goal').fill('Open the shop');
  await page.keyboard.press('Enter');
  const before = steps.getByLabel('What must be done first?');
  await before.waitFor();
  // The keyboard stays in the form.
  await expect
    .poll(() => page.evaluate('document.activeElement.labels?.[0]?.textContent'))
    .toBe('What must be done first?');
  for (const title of ['Rent a room', 'Buy the shelves']) {
    await page.keyboard.type(title);
    await page.keyboard.press('Enter');
    await steps.getByRole('list', { name: 'Steps so far' }).getByText(title).waitFor();
  }
  await look(page, 'first-run-steps');
  await page.setViewportSize({ width: 320, height: 640 });
  await look(page, 'phone-first-run');
  expect(await cutOff(page)).toEqual([]);
  const titles = new Map<string, string>();
  const links: string[] = [];
  for await (const graph of client.graph.pages()) {
    for (const { id, title } of graph.nodes) titles.set(id, title);
    for (const { source, target } of graph.links) links.push(`${titles.get(source)} → ${titles.get(target)}`);
  }
  expect(links.sort()).toEqual(['Buy the shelves → Open the shop', 'Rent a room → Open the shop']);
  await steps.getByRole('button', { name: 'Finish' }).click();
  await steps.waitFor({ state: 'detached' });
  await page.reload();
  await page.locator('.row [data-task]').first().waitFor();
  expect(await steps.count()).toBe(0);
});

test('[CON30] an account with tasks gets no first steps', async ({ openConsole, newUser }) => {
  const { email, add } = await newUser('owner');
  await add('Rent a room');
  const { page } = await openAs(openConsole, { url, email });
  await page.getByRole('link', { name: 'Rent a room' }).waitFor();
  expect(await page.getByRole('region', { name: 'First steps' }).count()).toBe(0);
});
