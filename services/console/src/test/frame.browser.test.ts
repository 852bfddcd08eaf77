// The frame around the views: the ways to the sections of the panel, and that its parts have their own space.
import type { Page } from '@taskgraph/testkit/stack/browser';
import { sharedStack } from '@taskgraph/testkit/stack/shared-stack';
import { describe, expect } from 'vitest';
import { look } from './support/accessibility.ts';
import { type ConsoleUser, openAs, test } from './support/console-fixture.ts';

const [url = ''] = sharedStack().urls;
const PHONE = { width: 320, height: 640 };

const panelOf = (page: Page) => page.getByRole('complementary');

/** A task with many links: the sections after them are far away for keys. */
async function addBusyTask(user: ConsoleUser): Promise<string> {
  const id = await user.add('Go live', { tags: ['web'], assignee: ['Ann'] });
  await user.client.batch((batch) => {
    for (let task = 1; task <= 12; task++) batch.node.add({ title: `Step ${task}`, target: id });
  });
  return id;
}

async function boxOf(page: Page, selector: string) {
  const box = await page.locator(selector).first().boundingBox();
  if (box === null) throw new Error(`${selector} is not shown`);
  return { ...box, right: box.x + box.width, bottom: box.y + box.height };
}

/** The tops of the boxes of all elements with this selector: one for each row in which they stand. */
const rowsOf = (page: Page, selector: string) =>
  page.evaluate<number>(
    `new Set([...document.querySelectorAll('${selector}')]
      .filter((element) => element.checkVisibility())
      .map((element) => element.getBoundingClientRect())
      .map(({ top, bottom }) => Math.round((top + bottom) / 2))).size`,
  );

describe('[CON40] the sections of the panel', () => {
  test('[CON40] buttons below the title lead to each section', async ({ openConsole, newUser }) => {
    const user = await newUser('jumper');
    const id = await addBusyTask(user);
    const { page } = await openAs(openConsole, { url, email: user.email, path: '/board' });
    await page.locator(`.board-card a[data-task="${id}"]`).focus();
    await page.keyboard.press('Enter');
    const sections = panelOf(page).getByRole('navigation', { name: 'Sections of the panel' });
    // The title has the focus. After its own button and that which closes the panel, the sections come.
    await panelOf(page).getByRole('heading', { level: 2, name: 'Go live' }).and(page.locator(':focus')).waitFor();
    for (let stop = 0; stop < 3; stop++) await page.keyboard.press('Tab');
    await sections.getByRole('button', { name: 'Links' }).and(page.locator(':focus')).waitFor();
    await page.keyboard.press('Enter');
    await panelOf(page).getByRole('heading', { name: 'Waits for 12' }).and(page.locator(':focus')).waitFor();
    await sections.getByRole('button', { name: 'Fields' }).click();
    const fields = panelOf(page).getByRole('heading', { name: 'Fields' });
    await fields.and(page.locator(':focus')).waitFor();
    await page.keyboard.press('Tab');
    await panelOf(page).getByLabel('Effort').and(page.locator(':focus')).waitFor();
    await sections.getByRole('button', { name: 'Access' }).click();
    const access = panelOf(page).getByRole('region', { name: 'Access' });
    await access.locator('summary:focus').waitFor();
    await access.locator('.people li').first().waitFor();
    // Its content is below it, in view.
    const [panel, summary] = [await boxOf(page, '.panel'), await boxOf(page, '.access > summary')];
    expect(summary.y - panel.y).toBeLessThan(panel.height / 3);
    await look(page, 'panel-sections');
  });

  test('[CON40 CON27] a key shows the access of the task with the focus, and of the open one', async ({
    openConsole,
    newUser,
  }) => {
    const user = await newUser('keeper');
    const id = await addBusyTask(user);
    const { page } = await openAs(openConsole, { url, email: user.email, path: '/board' });
    await page.locator(`.board-card a[data-task="${id}"]`).focus();
    await page.keyboard.press('Shift+A');
    await page.waitForURL(`**/task/${id}`);
    const access = panelOf(page).getByRole('region', { name: 'Access' });
    await access.locator('summary:focus').waitFor();
    await access.locator('.people li').first().waitFor();
    // The next panel begins at its title, as ever.
    await panelOf(page).getByRole('link', { name: 'Step 12' }).first().click();
    await panelOf(page).getByRole('heading', { level: 2, name: 'Step 12' }).and(page.locator(':focus')).waitFor();
    expect(await access.locator('details').getAttribute('open')).toBeNull();
    await page.keyboard.press('Shift+A');
    await access.locator('details[open] > summary:focus').waitFor();
    // And by its name.
    await page.keyboard.press('Control+k');
    const palette = page.getByRole('dialog', { name: 'Commands and tasks', exact: true });
    await palette.getByRole('combobox').fill('access');
    await palette.getByRole('option', { name: /Show who has access to the task/ }).waitFor();
  });

  test('[CON40 CON14] the panel limits the views to what is near its task, also on a phone', async ({
    openConsole,
    newUser,
  }) => {
    const user = await newUser('limiter');
    const id = await addBusyTask(user);
    await user.add('Something else');
    const { page } = await openAs(openConsole, { url, email: user.email, path: '/outline' });
    const parameter = (name: string) => new URL(page.url()).searchParams.get(name);
    await page.locator('.outline-row', { hasText: 'Go live' }).focus();
    await page.keyboard.press('Enter');
    const branch = panelOf(page).getByRole('button', { name: 'Only this branch' });
    await branch.click();
    expect(parameter('in')).toBe(id);
    expect(await branch.getAttribute('aria-pressed')).toBe('true');
    await branch.click();
    expect(parameter('in')).toBeNull();
    await page.setViewportSize(PHONE);
    await panelOf(page).getByRole('button', { name: 'Only its neighbours' }).click();
    expect(parameter('around')).toBe(id);
    // The panel covered the view.
    await panelOf(page).waitFor({ state: 'hidden' });
    await page.getByText('13 of 14 tasks').waitFor();
  });
});

describe('[CON42] each part has its own space', () => {
  test('[CON42] messages cover neither the view nor the panel', async ({ openConsole, newUser }) => {
    const user = await newUser('messenger');
    await addBusyTask(user);
    const id = await user.add('Invite the press');
    const { page } = await openAs(openConsole, { url, email: user.email, path: '/graph' });
    await page.locator('.card').first().waitFor();
    // Without a change to undo, it says so.
    await page.keyboard.press('Control+z');
    await page.locator('.notice').waitFor();
    for (const [width, height] of [
      [1280, 720],
      [960, 640],
      [720, 640],
      [320, 640],
    ] as const) {
      await page.setViewportSize({ width, height });
      const parts = async () => {
        const [notice, view, buttons] = [
          await boxOf(page, '.notice'),
          await boxOf(page, '.picture'),
          await boxOf(page, '.camera'),
        ];
        const isInside = buttons.right <= view.right && buttons.bottom <= view.bottom;
        return isInside && (notice.x >= view.right || notice.y >= view.bottom);
      };
      await expect.poll(parts, { message: `${width} pixels` }).toBe(true);
    }
    await look(page, 'phone-message');
    await page.goto(`/task/${id}`);
    await panelOf(page).getByRole('heading', { level: 2, name: 'Invite the press' }).waitFor();
    await panelOf(page).getByRole('button', { name: 'In progress' }).click();
    await page.locator('.notice', { hasText: 'Started' }).waitFor();
    const [notice, panel] = [await boxOf(page, '.notice'), await boxOf(page, '.panel')];
    expect(notice.y).toBeGreaterThanOrEqual(panel.bottom);
    await look(page, 'phone-message-task');
  });

  test('[CON42] the menus of the filter stand in one row beside the panel', async ({ openConsole, newUser }) => {
    const user = await newUser('menus');
    const id = await addBusyTask(user);
    const { page } = await openAs(openConsole, { url, email: user.email, path: `/task/${id}` });
    await panelOf(page).getByRole('heading', { level: 2, name: 'Go live' }).waitFor();
    await page.setViewportSize({ width: 1280, height: 720 });
    await expect.poll(() => rowsOf(page, '.filter input, .filter-menus > *')).toBe(1);
    // In a window that is narrower than that, the field has a row of its own.
    for (const width of [1024, 961, 720]) {
      await page.setViewportSize({ width, height: 720 });
      await expect.poll(() => rowsOf(page, '.filter-menus > *'), { message: `${width} pixels` }).toBe(1);
    }
    await look(page, 'filter-beside-panel');
  });

  test('[CON42] the status line of a phone is one line, and names each number', async ({ openConsole, newUser }) => {
    const user = await newUser('counter');
    await addBusyTask(user);
    const { page } = await openAs(openConsole, { url, email: user.email, path: '/ready' });
    await page.setViewportSize(PHONE);
    await expect.poll(() => rowsOf(page, '.status-bar li, .connection')).toBe(1);
    expect((await boxOf(page, '.status-bar')).height).toBeLessThan(36);
    await page.getByRole('list', { name: 'Tasks by status' }).getByText('12 available').waitFor();
    await look(page, 'phone-status');
  });
});
