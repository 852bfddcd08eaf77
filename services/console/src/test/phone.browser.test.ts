// The console on a phone: its bar, its sheet, and swipes.
import type { Page } from '@taskgraph/testkit/stack/browser';
import { sharedStack } from '@taskgraph/testkit/stack/shared-stack';
import { describe, expect } from 'vitest';
import { cutOff, look } from './support/accessibility.ts';
import { openAs, test } from './support/console-fixture.ts';

const [url = ''] = sharedStack().urls;
const PHONE = { width: 320, height: 640 };

interface Swipe {
  /** CSS pixels. */
  readonly right: number;
  readonly down: number;
}

/** Moves a finger from a quarter of a row that leaves space for it, and lifts it. */
async function swipe(page: Page, title: string, { right, down }: Swipe): Promise<void> {
  const box = await page.locator('.row', { hasText: title }).boundingBox();
  if (box === null) throw new Error(`${title} is not shown`);
  const session = await page.context().newCDPSession(page);
  const point = (part: number) => ({
    x: box.x + box.width * (right < 0 ? 0.75 : 0.25) + right * part,
    y: box.y + box.height / 2 + down * part,
  });
  await session.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [point(0)] });
  for (const part of [0.25, 0.5, 0.75, 1]) {
    await session.send('Input.dispatchTouchEvent', { type: 'touchMove', touchPoints: [point(part)] });
  }
  await session.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
  await session.detach();
}

describe('[CON35] on a phone', () => {
  test('[CON35] a bar has three views, and a button for the others', async ({ openConsole, newUser }) => {
    const { email, add } = await newUser('commuter');
    await add('Buy a ticket');
    const { page } = await openAs(openConsole, { url, email, path: '/ready' });
    await page.setViewportSize(PHONE);
    const shown = () => page.locator('.sidebar :is(a, button):visible').allInnerTexts();
    await expect.poll(shown).toHaveLength(4);
    expect((await shown()).map((text) => text.split('\n').at(-1))).toEqual(['1', 'Graph', 'Outline', 'More']);
    const more = page.getByRole('button', { name: 'More' });
    expect(await more.getAttribute('aria-expanded')).toBe('false');
    const bar = await more.boundingBox();
    expect(bar?.height).toBeGreaterThanOrEqual(44);

    await more.click();
    await page.getByRole('link', { name: 'Trash' }).waitFor();
    await page.getByRole('button', { name: 'Sign out' }).waitFor();
    await look(page, 'phone-more');
    expect(await cutOff(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await page.getByRole('link', { name: 'Trash' }).waitFor({ state: 'hidden' });

    await more.click();
    await page.getByRole('link', { name: 'Trash' }).click();
    await page.getByRole('heading', { level: 1, name: 'Trash' }).waitFor();
    expect(await page.getByRole('link', { name: 'Trash' }).isVisible()).toBe(false);
    expect(await more.getAttribute('data-current')).toBe('true');
  });

  test('[CON35] a swipe completes a Ready task, and a short or steep one does not', async ({
    openConsole,
    newUser,
  }) => {
    const { email, client, add } = await newUser('thumb');
    const id = await add('Buy a ticket');
    await add('Pack');
    const { page } = await openAs(openConsole, { url, email, path: '/ready' });
    await page.setViewportSize(PHONE);
    await page.locator('.row', { hasText: 'Buy a ticket' }).waitFor();
    await swipe(page, 'Buy a ticket', { right: 60, down: 0 });
    await swipe(page, 'Buy a ticket', { right: -150, down: 0 });
    await swipe(page, 'Buy a ticket', { right: 20, down: 150 });
    expect(await page.locator('.row[data-swipe]').count()).toBe(0);
    // The completion of the other task comes after what the swipes would have sent.
    await swipe(page, 'Pack', { right: 150, down: 0 });
    await page.getByText('Completed “Pack”.').waitFor();
    expect((await client.call('node:get', { id })).nodes).toMatchObject([{ status: 0 }]);
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.locator('.row', { hasText: 'Pack' }).waitFor();
  });

  test('[CON35 CON37] from right to left, a swipe to the left completes', async ({ openConsole, newUser }) => {
    const { email, client, add } = await newUser('thumb2');
    const id = await add('Buy a ticket');
    await add('Pack');
    const { page } = await openAs(openConsole, { url, email, path: '/ready', locale: 'ar' });
    await page.setViewportSize(PHONE);
    await page.locator('.row', { hasText: 'Buy a ticket' }).waitFor();
    await swipe(page, 'Buy a ticket', { right: 150, down: 0 });
    await swipe(page, 'Pack', { right: -150, down: 0 });
    await page.getByText('اكتملت «\u2068Pack\u2069».').waitFor();
    expect((await client.call('node:get', { id })).nodes).toMatchObject([{ status: 0 }]);
  });

  test('[CON35] a viewer swipes nothing', async ({ openConsole, newUser }) => {
    const { client, add } = await newUser('owner');
    const id = await add('Theirs');
    const viewer = await newUser('viewer');
    await client.call('node:access', { id, email: viewer.email, level: 3, branch: true });
    await viewer.add('Mine');
    const { page } = await openAs(openConsole, { url, email: viewer.email, path: '/ready' });
    await page.setViewportSize(PHONE);
    await page.locator('.row', { hasText: 'Theirs' }).waitFor();
    await swipe(page, 'Theirs', { right: 150, down: 0 });
    await swipe(page, 'Mine', { right: 150, down: 0 });
    await page.getByText('Completed “Mine”.').waitFor();
    expect((await client.call('node:get', { id })).nodes).toMatchObject([{ status: 0 }]);
  });

  test('[CON35] the page can be installed', async ({ openConsole }) => {
    const { page } = await openConsole(url);
    const session = await page.context().newCDPSession(page);
    const { url: address, errors, data } = await session.send('Page.getAppManifest');
    expect(errors).toEqual([]);
    expect((await fetch(address)).headers.get('content-type')).toBe('application/manifest+json');
    expect(JSON.parse(data ?? '')).toMatchObject({ name: 'Taskgraph', start_url: '/', display: 'standalone' });
  });
});
