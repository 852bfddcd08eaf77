// Editing in the panel: fields, what happens when two people write at once, and links.
import type { Page } from '@taskgraph/testkit/stack/browser';
import { sharedStack } from '@taskgraph/testkit/stack/shared-stack';
import { describe, expect } from 'vitest';
import { cutOff, look } from './support/accessibility.ts';
import { openAs, test } from './support/console-fixture.ts';

/** In the panel of a task: none of them changes it. */
const BUTTONS_OF_VIEWERS = ['Close', 'Links', 'Fields', 'Access', 'Only this branch', 'Only its neighbours'];
const [url = '', other = ''] = sharedStack().urls;
const PHONE = { width: 320, height: 640 };

const panelOf = (page: Page) => page.getByRole('complementary', { name: 'Task' });
const messagesOf = (page: Page) => page.getByRole('region', { name: 'Messages' });
const heading = (page: Page, name: string) => page.getByRole('heading', { level: 2, name, exact: true });

describe('the fields of a task', () => {
  test('[CON9 CON10] each field is saved by itself, says so, and can be undone', async ({ openConsole, newUser }) => {
    const { email, client, add } = await newUser('editor');
    const id = await add('Go live');
    const stored = async () => (await client.node.get({ ids: [id] })).nodes[0];
    const { page } = await openAs(openConsole, { url, email, path: `/task/${id}` });
    const panel = panelOf(page);
    await panel.getByRole('button', { name: 'Change the title' }).click();
    await panel.getByLabel('Title').fill('Open the shop');
    await page.keyboard.press('Enter');
    await heading(page, 'Open the shop').waitFor();
    await messagesOf(page).getByText('Renamed “Go live” to “Open the shop”.').waitFor();
    await page.locator('button:focus', { hasText: 'Change the title' }).waitFor();
    await panel.getByLabel('Effort').fill('5');
    await page.keyboard.press('Enter');
    await messagesOf(page).getByText('Changed the effort of “Open the shop”.').waitFor();
    await panel.getByLabel('Due').fill('2099-12-24');
    await panel.getByLabel('Priority').fill('2');
    await messagesOf(page).getByText('Changed the due date of “Open the shop”.').waitFor();
    await panel.getByLabel('Assigned to').fill('Ann');
    await messagesOf(page).getByText('Changed the priority of “Open the shop”.').waitFor();
    await page.keyboard.press('Enter');
    await messagesOf(page).getByText('Assigned “Open the shop” to Ann.').waitFor();
    for (const tag of ['web', 'shop, main']) {
      await panel.getByLabel('Tags').fill(tag);
      await page.keyboard.press('Enter');
      await messagesOf(page).getByText(`Added the tag “${tag}” to “Open the shop”.`).waitFor();
    }
    await panel.getByLabel('Description').fill('Two lines,\nand no more.');
    await page.keyboard.press('Control+Enter');
    await messagesOf(page).getByText('Changed the description of “Open the shop”.').waitFor();
    expect(await stored()).toMatchObject({
      title: 'Open the shop',
      volume: 5,
      dueDate: '2099-12-24T23:59:59.000Z',
      priority: 2,
      assignee: ['Ann'],
      tags: ['web', 'shop, main'],
      description: 'Two lines,\nand no more.',
    });
    await panel.getByRole('button', { name: 'Remove web' }).click();
    await messagesOf(page).getByText('Removed the tag “web” from “Open the shop”.').waitFor();
    await messagesOf(page).getByRole('button', { name: 'Undo' }).click();
    await messagesOf(page).getByText('Undone: Removed the tag “web” from “Open the shop”.').waitFor();
    expect(await stored()).toMatchObject({ tags: ['web', 'shop, main'] });
    await panel.getByRole('button', { name: 'No date' }).click();
    await expect.poll(stored).toMatchObject({ dueDate: null });
  });

  test('[CON9] a text that is no value stays with the reason, and Escape gives it up', async ({
    openConsole,
    newUser,
  }) => {
    const { email, client, add } = await newUser('careless');
    const id = await add('Go live', { volume: 3 });
    const { page } = await openAs(openConsole, { url, email, path: `/task/${id}` });
    const effort = panelOf(page).getByLabel('Effort');
    for (const wrong of ['many', '1.5', '-1', '1000001']) {
      await effort.fill(wrong);
      await page.keyboard.press('Enter');
      await panelOf(page).getByText('Enter a whole number from 0 to 1,000,000.').waitFor();
      expect(await effort.inputValue()).toBe(wrong);
    }
    await page.keyboard.press('Escape');
    expect(await effort.inputValue()).toBe('3');
    await panelOf(page).getByRole('button', { name: 'Change the title' }).click();
    await panelOf(page).getByLabel('Title').fill('  ');
    await page.keyboard.press('Enter');
    await panelOf(page).getByText('A task needs a title.').waitFor();
    await page.keyboard.press('Escape');
    await heading(page, 'Go live').waitFor();
    expect((await client.node.get({ ids: [id] })).nodes[0]).toMatchObject({ title: 'Go live', volume: 3, version: 1 });
  });

  test('[CON9] a text survives a change by somebody else, which is offered', async ({ openConsole, newUser }) => {
    const { email, client, add } = await newUser('writer');
    const id = await add('Go live', { volume: 1 });
    const editor = await newUser('coauthor');
    await client.call('node:access', { id, email: editor.email, level: 2, branch: false });
    const { page } = await openAs(openConsole, { url, email, path: `/task/${id}` });
    const panel = panelOf(page);
    const description = panel.getByLabel('Description');
    await description.fill('Mine');
    await editor.client.node.update({ id, description: 'Theirs', volume: 7 });
    await panel.getByText(/changed this to “Theirs”\./).waitFor();
    expect(await panel.getByText(/changed this to “Theirs”\./).innerText()).toMatch(/^coauthor/);
    expect(await description.inputValue()).toBe('Mine');
    await look(page, 'edit-theirs');
    // The effort was not being edited, so it just shows.
    expect(await panel.getByLabel('Effort').inputValue()).toBe('7');
    await page.keyboard.press('Control+Enter');
    expect((await client.node.get({ ids: [id] })).nodes[0]).toMatchObject({ description: 'Theirs' });
    await panel.getByRole('button', { name: 'Save mine' }).click();
    await messagesOf(page).getByText('Changed the description of “Go live”.').waitFor();
    expect((await client.node.get({ ids: [id] })).nodes[0]).toMatchObject({ description: 'Mine' });
    await description.fill('Mine again');
    await editor.client.node.update({ id, description: 'Theirs again' });
    await panel.getByRole('button', { name: 'Use theirs' }).click();
    expect(await description.inputValue()).toBe('Theirs again');
    await page.locator('textarea:focus').waitFor();
    await look(page, 'edit-panel');
  });

  test('[CON9] a description that is not saved waits for its task', async ({ openConsole, newUser }) => {
    const { email, add } = await newUser('leaver');
    const id = await add('Go live');
    const { page } = await openAs(openConsole, { url, email, path: `/task/${id}` });
    await panelOf(page).getByLabel('Description').fill('To be continued');
    await panelOf(page).getByRole('button', { name: 'Close' }).click();
    await page.locator(`[data-task="${id}"]`).click();
    expect(await panelOf(page).getByLabel('Description').inputValue()).toBe('To be continued');
    await panelOf(page).getByRole('button', { name: 'Discard' }).click();
    expect(await panelOf(page).getByLabel('Description').inputValue()).toBe('');
  });

  test('[CON9] a text shows once more if its task goes to the trash meanwhile', async ({ openConsole, newUser }) => {
    const { email, client, add } = await newUser('interrupted');
    const id = await add('Go live');
    const { page } = await openAs(openConsole, { url, email, path: `/task/${id}` });
    await panelOf(page).getByLabel('Description').fill('Half a sentence');
    await client.node.trash({ id });
    await heading(page, 'No such task').waitFor();
    await messagesOf(page)
      .getByText(
        'Could not save the description of “Go live”: you can no longer see the task. You wrote: “Half a sentence”',
      )
      .waitFor();
  });

  test('[CON9] two windows add to one list, and both items stay', async ({ openConsole, newUser }) => {
    const { email, client, add } = await newUser('twin');
    const id = await add('Go live');
    const pages = await Promise.all(
      [url, other].map((each) => openAs(openConsole, { url: each, email, path: `/task/${id}` })),
    );
    const [here, there] = pages.map(({ page }) => panelOf(page).getByLabel('Tags'));
    await here?.fill('one');
    await there?.fill('two');
    await Promise.all([here?.press('Enter'), there?.press('Enter')]);
    await expect
      .poll(async () => [...((await client.node.get({ ids: [id] })).nodes[0] as { tags: string[] }).tags].sort())
      .toEqual(['one', 'two']);
  });

  test('[CON9 GEN10] two windows save one field, and the later is offered the value of the earlier', async ({
    openConsole,
    newUser,
  }) => {
    const { email, client, add } = await newUser('racer');
    const id = await add('Go live');
    const opened = await Promise.all(
      [url, other].map((each) => openAs(openConsole, { url: each, email, path: `/task/${id}` })),
    );
    const fields = opened.map(({ page }) => panelOf(page).getByLabel('Effort'));
    await Promise.all(fields.map((field, index) => field.fill(['5', '7'][index] ?? '')));
    await Promise.all(fields.map((field) => field.press('Enter')));
    const offers = () =>
      Promise.all(opened.map(({ page }) => page.getByRole('button', { name: 'Use theirs' }).count()));
    await expect.poll(async () => (await offers()).reduce((sum, count) => sum + count)).toBe(1);
    const later = (await offers()).indexOf(1);
    const values = await Promise.all(fields.map((field) => field.inputValue()));
    expect(values).toEqual(['5', '7']);
    expect((await client.node.get({ ids: [id] })).nodes[0]).toMatchObject({ volume: Number(values[1 - later]) });
  });

  test('[CON9] on a phone nothing is cut off', async ({ openConsole, newUser }) => {
    const { email, add } = await newUser('phone');
    const id = await add('Ask three customers for a quote about the new product', { tags: ['web'], assignee: ['Ann'] });
    await add('Go live', { target: id });
    const { page } = await openAs(openConsole, { url, email, path: `/task/${id}` });
    await page.setViewportSize(PHONE);
    await panelOf(page).getByRole('button', { name: 'Add a task before' }).click();
    await panelOf(page).getByRole('combobox').fill('Go');
    await panelOf(page).getByRole('option').first().waitFor();
    await look(page, 'phone-edit');
    expect(await cutOff(page)).toEqual([]);
  });
});

describe('the links of a task', () => {
  const options = (page: Page) => panelOf(page).getByRole('option').allInnerTexts();

  test('[CON9 CON10] adds tasks before and after, new and found, by keys alone', async ({ openConsole, newUser }) => {
    const { email, client, add } = await newUser('linker');
    const id = await add('Build the pages');
    const write = await add('Write the texts');
    const { page } = await openAs(openConsole, { url, email, path: `/task/${id}` });
    const panel = panelOf(page);
    await panel.getByRole('button', { name: 'Add a task before' }).press('Enter');
    await page.keyboard.type('wri');
    await expect.poll(() => options(page)).toEqual(['+ New task “wri”', '○\nWrite the texts\nAvailable']);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await messagesOf(page).getByText('“Build the pages” now waits for “Write the texts”.').waitFor();
    await page.keyboard.type('Draw the pictures');
    await page.keyboard.press('Enter');
    await messagesOf(page).getByText('“Build the pages” now waits for “Draw the pictures”.').waitFor();
    await page.keyboard.press('Escape');
    await panel.locator('button:focus', { hasText: 'Add a task before' }).waitFor();
    await panel.getByRole('button', { name: 'Add a task after' }).press('Enter');
    await page.keyboard.type('Go live');
    await page.keyboard.press('Enter');
    await messagesOf(page).getByText('“Go live” now waits for “Build the pages”.').waitFor();
    await panel.getByRole('heading', { name: 'Waits for 2' }).waitFor();
    await panel.getByRole('heading', { name: 'Holds up 1' }).waitFor();
    await page.keyboard.press('Escape');
    await panel.locator('button:focus', { hasText: 'Add a task after' }).waitFor();
    // The task and its link are one change.
    await page.keyboard.press('Control+z');
    await panel.getByRole('heading', { name: 'Holds up 0' }).waitFor();
    expect((await client.call('node:find', { text: 'Go live' })).nodes).toEqual([]);
    await page.keyboard.press('Control+Shift+z');
    await panel.getByRole('heading', { name: 'Holds up 1' }).waitFor();
    await panel.getByRole('button', { name: 'Only relate: Write the texts' }).click();
    await messagesOf(page).getByText('“Write the texts” and “Build the pages” are related. Neither waits.').waitFor();
    await panel.getByText('Available · does not block').waitFor();
    await panel.getByRole('button', { name: 'Remove the link: Write the texts' }).click();
    await messagesOf(page).getByText('“Write the texts” and “Build the pages” are no longer related.').waitFor();
    await panel.getByRole('heading', { name: 'Waits for 1' }).waitFor();
    expect((await client.call('node:find', { where: { blocks: id } })).nodes.map(({ id: each }) => each)).not.toContain(
      write,
    );
  });

  test('[CON9 LNK4] a link that would close a cycle is refused, with the cycle in words', async ({
    openConsole,
    newUser,
  }) => {
    const { email, client, add } = await newUser('circular');
    const launch = await add('Go live');
    const build = await add('Build', { target: launch });
    const write = await add('Write', { target: build });
    const { page } = await openAs(openConsole, { url, email, path: `/task/${write}` });
    const panel = panelOf(page);
    await panel.getByRole('button', { name: 'Add a task before' }).click();
    await panelOf(page).getByRole('combobox').fill('Go live');
    const option = panelOf(page).getByRole('option', {
      name: 'would wait for itself: Write → Build → Go live → Write',
    });
    await option.waitFor();
    expect(await option.getAttribute('aria-disabled')).toBe('true');
    await look(page, 'edit-cycle');
    await page.keyboard.press('Enter');
    await messagesOf(page)
      .getByText('Could not link: “Go live” would wait for itself: Write → Build → Go live → Write')
      .waitFor();
    // A related pair may close a circle, until its link is to block.
    const { diff } = await client.link.add({ source: launch, target: write, type: 1 });
    await panel.getByRole('button', { name: 'Make it block: Go live' }).click();
    await messagesOf(page)
      .getByText('Could not link: would wait for itself: Write → Build → Go live → Write')
      .waitFor();
    expect(diff.links[0]?.after.type).toBe(1);
    await panelOf(page).getByRole('combobox').fill('Build');
    await panelOf(page).getByRole('option', { name: 'is already linked' }).waitFor();
  });

  test('[CON9 LNK8 LNK9] a link is reversed, and shown to its owner alone', async ({ openConsole, newUser }) => {
    const { email, client, add } = await newUser('reverser');
    const id = await add('First');
    const second = await add('Second', { target: id });
    const reader = await newUser('outsider');
    await client.call('node:access', { id, email: reader.email, level: 2, branch: true });
    await client.call('node:access', { id: second, email: reader.email, level: 2, branch: false });
    const other = await openAs(openConsole, { url, email: reader.email, path: `/task/${id}` });
    await panelOf(other.page).getByRole('heading', { name: 'Waits for 1' }).waitFor();
    const { page } = await openAs(openConsole, { url, email, path: `/task/${id}` });
    const panel = panelOf(page);
    await panel.locator('.link-acts summary').click();
    await look(page, 'edit-link');
    await panel.getByRole('button', { name: 'Show only to me: Second' }).click();
    await messagesOf(page).getByText('Only you can now see the link from “Second” to “First”.').waitFor();
    await panel.getByText('Available · private').waitFor();
    await panelOf(other.page).getByRole('heading', { name: 'Waits for 0' }).waitFor();
    await panelOf(other.page).getByText('It waits for a task that you cannot see.').waitFor();
    await panel.getByRole('button', { name: 'Reverse: Second' }).click();
    await messagesOf(page).getByText('“Second” now waits for “First”.').waitFor();
    await panel.getByRole('heading', { name: 'Holds up 1' }).waitFor();
    await panel.locator('h3:focus', { hasText: 'Waits for 0' }).waitFor();
    expect((await client.node.get({ ids: [second] })).nodes[0]).toMatchObject({ status: 2 });
  });

  test('[CON9] a viewer of the other task relates it only', async ({ openConsole, newUser }) => {
    const owner = await newUser('neighbour');
    const theirs = await owner.add('Their launch');
    const { email, client, add } = await newUser('guest');
    const id = await add('Mine');
    await owner.client.call('node:access', { id: theirs, email, level: 3, branch: false });
    const { page } = await openAs(openConsole, { url, email, path: `/task/${id}` });
    await panelOf(page).getByRole('button', { name: 'Add a task after' }).click();
    await panelOf(page).getByRole('combobox').fill('Their launch');
    await panelOf(page).getByRole('option', { name: 'Their launch' }).first().waitFor();
    await page.keyboard.press('Enter');
    await messagesOf(page)
      .getByText(/“Mine” and “Their launch” are only related/)
      .waitFor();
    await page.goto(`/task/${theirs}`);
    await heading(page, 'Their launch').waitFor();
    expect(await panelOf(page).getByRole('button').allInnerTexts()).toEqual(BUTTONS_OF_VIEWERS);
    expect((await client.node.get({ ids: [theirs] })).nodes[0]).toMatchObject({ title: 'Their launch' });
  });
});
