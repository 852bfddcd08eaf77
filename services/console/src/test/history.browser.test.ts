// The history and the trash: what they show, undo and redo, and what others change meanwhile.
import type { Page } from '@taskgraph/testkit/stack/browser';
import { sharedStack } from '@taskgraph/testkit/stack/shared-stack';
import { describe, expect } from 'vitest';
import { cutOff, look } from './support/accessibility.ts';
import { openAs, test } from './support/console-fixture.ts';

const [url = '', other = ''] = sharedStack().urls;
const PHONE = { width: 320, height: 640 };

const messagesOf = (page: Page) => page.getByRole('region', { name: 'Messages' });
const batches = (page: Page) => page.locator('.batch-words').allInnerTexts();
const trashed = (page: Page) => page.locator('.trash-row .row-title').allInnerTexts();

describe('the history', () => {
  test('[CON10 HISX1] lists who changed what, newest first, and undoes and redoes a change', async ({
    openConsole,
    newUser,
  }) => {
    const { email, client, add } = await newUser('historian');
    const launch = await add('Go live');
    const write = await add('Write the texts', { target: launch, volume: 2 });
    await client.node.update({ id: write, title: 'Write all texts', volume: 4 });
    await client.node.update({ id: write, status: 3 });
    const { page } = await openAs(openConsole, { url, email, path: '/history' });
    await page.locator('.batch').first().waitFor();
    expect(await batches(page)).toEqual([
      'Completed “Write all texts”. “Go live” became available.',
      'Changed “Write all texts”: title from “Write the texts” to “Write all texts” and effort from 2 to 4.',
      'Added “Write all texts”. Made “Go live” wait for “Write all texts”. “Go live” became blocked.',
      'Added “Go live”.',
    ]);
    expect(await page.locator('.batch').first().innerText()).toContain('historian');
    await look(page, 'history');
    await page.getByRole('button', { name: 'Undo: Completed “Write all texts”.' }).click();
    await messagesOf(page).getByText('The change is undone.').waitFor();
    await page.locator('.batch').first().getByText('Undone').waitFor();
    expect((await client.node.get({ ids: [write] })).nodes[0]).toMatchObject({ status: 0 });
    await page.getByRole('button', { name: 'Show 1 newer change' }).click();
    await expect
      .poll(async () => (await batches(page))[0])
      .toBe('Undid: Completed “Write all texts”. “Go live” became available.');
    await page.getByRole('button', { name: 'Redo: Completed “Write all texts”.' }).click();
    await messagesOf(page).getByText('The change is redone.').waitFor();
    expect((await client.node.get({ ids: [write] })).nodes[0]).toMatchObject({ status: 3 });
  });

  test('[CON10] offers newer changes of others without moving the list, and narrows to the reader’s own', async ({
    openConsole,
    newUser,
  }) => {
    const { email, client, add } = await newUser('observer');
    const launch = await add('Go live');
    const guest = await newUser('colleague');
    await client.call('node:access', { id: launch, email: guest.email, level: 2, branch: true });
    const { page } = await openAs(openConsole, { url, email, path: '/history' });
    await page.locator('.batch').first().waitFor();
    const before = await batches(page);
    await guest.client.node.update({ id: launch, volume: 3 });
    await guest.client.node.add({ title: 'Call the press', target: launch });
    await page.getByRole('button', { name: 'Show 2 newer changes' }).waitFor();
    expect(await batches(page)).toEqual(before);
    await page.getByRole('button', { name: 'Show 2 newer changes' }).click();
    await expect.poll(async () => (await batches(page)).slice(2)).toEqual(before);
    expect(await page.locator('.batch').first().innerText()).toContain('colleague');
    await page.getByLabel('Changes by').selectOption('Me');
    await expect.poll(() => batches(page)).toEqual(before);
  });

  test('[CON10 HIS2] undoes a change of somebody else, and redoes it', async ({ openConsole, newUser }) => {
    const { email, client, add } = await newUser('reviewer');
    const launch = await add('Go live');
    const guest = await newUser('eager');
    await client.call('node:access', { id: launch, email: guest.email, level: 2, branch: true });
    await guest.client.node.update({ id: launch, volume: 7 });
    const volume = async () => (await client.node.get({ ids: [launch] })).nodes[0];
    const { page } = await openAs(openConsole, { url, email, path: '/history' });
    await page.getByRole('button', { name: 'Undo: Changed “Go live”: effort from 0 to 7.' }).click();
    await messagesOf(page).getByText('The change is undone.').waitFor();
    expect(await volume()).toMatchObject({ volume: 0 });
    await page.getByRole('button', { name: 'Redo: Changed “Go live”: effort from 0 to 7.' }).click();
    await messagesOf(page).getByText('The change is redone.').waitFor();
    expect(await volume()).toMatchObject({ volume: 7 });
  });

  test('[CON10 HIS2] says why a change cannot be undone', async ({ openConsole, newUser }) => {
    const { email, client, add } = await newUser('latecomer');
    const launch = await add('Go live');
    const guest = await newUser('successor');
    await client.call('node:access', { id: launch, email: guest.email, level: 2, branch: true });
    await client.node.update({ id: launch, volume: 3 });
    await guest.client.node.update({ id: launch, volume: 5 });
    const { page } = await openAs(openConsole, { url, email, path: '/history' });
    await page.getByRole('button', { name: 'Undo: Changed “Go live”: effort from 0 to 3.' }).click();
    await messagesOf(page)
      .getByText(/^Could not undo: Later changes would be lost: the effort of “Go live”, changed by successor/)
      .waitFor();
    await client.node.trash({ id: launch });
    await client.node.delete({ id: launch });
    await page.getByRole('button', { name: 'Undo: Added “Go live”.' }).click();
    await messagesOf(page).getByText('Could not undo: Part of it was deleted for good.').waitFor();
  });

  test('[CON10 ACL7] the changes of a task go when the access to it ends', async ({ openConsole, newUser }) => {
    const { client, add } = await newUser('giver');
    const id = await add('Hidden plan');
    const guest = await newUser('receiver');
    await client.call('node:access', { id, email: guest.email, level: 2, branch: true });
    await guest.client.node.update({ id, volume: 3 });
    const { page } = await openAs(openConsole, { url, email: guest.email, path: '/history' });
    await page.locator('.batch-words', { hasText: 'Hidden plan' }).first().waitFor();
    await client.call('node:access:delete', { id, email: guest.email });
    await expect.poll(() => page.locator('main').getByText('Hidden plan').count()).toBe(0);
    await page.locator('.history[aria-busy=false], .hint').first().waitFor();
    expect(await page.locator('main').getByText('Hidden plan').count()).toBe(0);
  });

  test('[CON10] shows a hundred changes, then more, also on a phone', async ({ openConsole, newUser }) => {
    const { email, client, add } = await newUser('prolific');
    const id = await add('Count');
    for (let volume = 1; volume <= 104; volume++) await client.node.update({ id, volume });
    const { page } = await openAs(openConsole, { url, email, path: '/history' });
    await page.setViewportSize(PHONE);
    await page.locator('.batch').first().waitFor();
    expect(await page.locator('.batch').count()).toBe(100);
    await look(page, 'phone-history');
    expect(await cutOff(page)).toEqual([]);
    await page.getByRole('button', { name: 'Show earlier changes' }).click();
    await expect.poll(() => page.locator('.batch').count()).toBe(105);
    expect((await batches(page)).at(-1)).toBe('Added “Count”.');
    expect(await page.getByRole('button', { name: 'Show earlier changes' }).count()).toBe(0);
  });

  test('[CON10] keys undo and redo the changes of this window, but not while the reader types', async ({
    openConsole,
    newUser,
  }) => {
    const { email, client, add } = await newUser('undoer');
    const first = await add('First');
    const second = await add('Second');
    const statusOf = async (id: string) => (await client.node.get({ ids: [id] })).nodes[0]?.status;
    const { page } = await openAs(openConsole, { url, email, path: '/ready' });
    await page.keyboard.press('Control+z');
    await messagesOf(page).getByText('Nothing to undo in this window.').waitFor();
    await page.getByRole('button', { name: 'Start: First' }).click();
    await messagesOf(page).getByText('Started “First”.').waitFor();
    await page.getByRole('button', { name: 'Start: Second' }).click();
    await messagesOf(page).getByText('Started “Second”.').waitFor();
    await page.getByLabel('Title of the new task').fill('words');
    await page.keyboard.press('Control+z');
    expect([await statusOf(first), await statusOf(second)]).toEqual([1, 1]);
    await page.locator('h1').click();
    await page.keyboard.press('Control+z');
    await messagesOf(page).getByText('Undone: Started “Second”.').waitFor();
    await page.keyboard.press('Control+z');
    await messagesOf(page).getByText('Undone: Started “First”.').waitFor();
    expect([await statusOf(first), await statusOf(second)]).toEqual([0, 0]);
    await page.keyboard.press('Control+Shift+z');
    await messagesOf(page).getByText('Redone: Started “First”.').waitFor();
    await messagesOf(page).getByRole('button', { name: 'Undo' }).click();
    await messagesOf(page).getByText('Undone: Started “First”.').waitFor();
    expect([await statusOf(first), await statusOf(second)]).toEqual([0, 0]);
  });
});

describe('the trash', () => {
  test('[CON11 TRS1] a task goes to the trash with its links, and comes back with them', async ({
    openConsole,
    newUser,
  }) => {
    const { email, client, add } = await newUser('tidy');
    const launch = await add('Go live');
    const build = await add('Build', { target: launch });
    await add('Write', { target: build });
    const [{ page }, there] = await Promise.all([
      openAs(openConsole, { url, email, path: `/task/${build}` }),
      openAs(openConsole, { url: other, email, path: '/trash' }),
    ]);
    await there.page.getByText('The trash is empty.').waitFor();
    const panel = page.getByRole('complementary', { name: 'Task' });
    await panel.getByText('Its 2 links move to the trash too. 1 task no longer waits for it.').waitFor();
    await panel.getByRole('button', { name: 'Move to trash' }).click();
    await messagesOf(page).getByText('Moved “Build” to the trash, with 2 links.').waitFor();
    expect(new URL(page.url()).pathname).toBe('/ready');
    await expect.poll(() => trashed(there.page)).toEqual(['Build']);
    await messagesOf(page).getByRole('button', { name: 'Undo' }).click();
    await messagesOf(page).getByText('Undone: Moved “Build” to the trash, with 2 links.').waitFor();
    await expect.poll(() => trashed(there.page)).toEqual([]);
    await client.node.trash({ id: build });
    await there.page.getByRole('button', { name: 'Restore: Build' }).click();
    await messagesOf(there.page).getByText('Restored “Build”, with its links.').waitFor();
    await there.page.getByText('The trash is empty.').waitFor();
    await there.page.locator('h1:focus').waitFor();
    expect((await client.node.get({ ids: [launch] })).nodes[0]).toMatchObject({ status: 2 });
    await there.page.keyboard.press('Control+z');
    await expect.poll(() => trashed(there.page)).toEqual(['Build']);
  });

  test('[CON11 TRS5] deletes for good only after a question', async ({ openConsole, newUser }) => {
    const { email, client, add } = await newUser('shredder');
    const ids = [await add('Old plan'), await add('Older plan')];
    for (const id of ids) await client.node.trash({ id });
    const { page } = await openAs(openConsole, { url, email, path: '/trash' });
    await expect.poll(() => trashed(page)).toEqual(['Older plan', 'Old plan']);
    await look(page, 'trash');
    await page.getByRole('button', { name: 'Delete for good: Older plan' }).click();
    const dialog = page.getByRole('dialog', { name: 'Delete “Older plan” for good?' });
    await dialog.getByText('It cannot be undone.').waitFor();
    await look(page, 'trash-delete');
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    expect(await trashed(page)).toEqual(['Older plan', 'Old plan']);
    await page.getByRole('button', { name: 'Delete for good: Older plan' }).click();
    await dialog.getByRole('button', { name: 'Delete for good' }).click();
    await messagesOf(page).getByText('Deleted “Older plan” for good.').waitFor();
    expect(await trashed(page)).toEqual(['Old plan']);
    await page.locator('button:focus', { hasText: 'Restore' }).waitFor();
    expect((await client.call('trash:page', {})).nodes.map(({ title }) => title)).toEqual(['Old plan']);
    await page.setViewportSize(PHONE);
    await look(page, 'phone-trash');
    expect(await cutOff(page)).toEqual([]);
  });

  test('[CON11 TRS2] shows a hundred tasks, then more; an editor restores and cannot delete', async ({
    openConsole,
    newUser,
  }) => {
    const { client, add } = await newUser('hoarder');
    const root = await add('Everything');
    const guest = await newUser('helper');
    await client.call('node:access', { id: root, email: guest.email, level: 2, branch: true });
    const { diff } = await client.batch((batch) => {
      for (let index = 0; index < 105; index++) batch.node.add({ title: `Task ${index}`, target: root });
    });
    const ids = diff.nodes.filter(({ op }) => op === 0).map(({ after }) => String(after.id));
    await client.batch((batch) => {
      for (const id of ids) batch.node.trash({ id });
    });
    const { page } = await openAs(openConsole, { url, email: guest.email, path: '/trash' });
    await page.locator('.trash-row').first().waitFor();
    expect(await page.locator('.trash-row').count()).toBe(100);
    expect(await page.getByRole('button', { name: /^Delete for good/ }).count()).toBe(0);
    await page.getByRole('button', { name: 'Show more' }).click();
    await expect.poll(() => page.locator('.trash-row').count()).toBe(105);
    await page.getByRole('button', { name: 'Restore: Task 7', exact: true }).click();
    await messagesOf(page).getByText('Restored “Task 7”, with its links.').waitFor();
    await expect.poll(() => page.locator('.trash-row').count()).toBe(104);
  });
});
