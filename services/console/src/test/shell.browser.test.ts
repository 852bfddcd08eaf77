// The shell: no part covers another at any window size.
import type { Page } from '@taskgraph/testkit/stack/browser';
import { sharedStack } from '@taskgraph/testkit/stack/shared-stack';
import { describe, expect } from 'vitest';
import { look } from './support/accessibility.ts';
import { openAs, test } from './support/console-fixture.ts';
import { addBusyTask, boxOf, panelOf } from './support/panel.ts';

const [url = ''] = sharedStack().urls;
const PHONE = { width: 320, height: 640 };

/** The tops of the boxes of all elements with this selector: one for each row in which they stand. */
const rowsOf = (page: Page, selector: string) =>
  page.evaluate<number>(
    `new Set([...document.querySelectorAll('${selector}')]
      .filter((element) => element.checkVisibility())
      .map((element) => element.getBoundingClientRect())
      .map(({ top, bottom }) => Math.round((top + bottom) / 2))).size`,
  );

describe('[CON42] messages, filter and status bar', () => {
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

  test('[CON42] the menus of the filter form one row beside the panel', async ({ openConsole, newUser }) => {
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

  test('[CON42] the status bar of a phone is one line, and names each number', async ({ openConsole, newUser }) => {
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
