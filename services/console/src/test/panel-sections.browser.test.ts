// The sections of the panel, and the buttons and keys that move to them.
import { sharedStack } from '@taskgraph/testkit/stack/shared-stack';
import { describe, expect } from 'vitest';
import { look } from './support/accessibility.ts';
import { openAs, test } from './support/console-fixture.ts';
import { addBusyTask, boxOf, panelOf } from './support/panel.ts';

const [url = ''] = sharedStack().urls;
const PHONE = { width: 320, height: 640 };

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

  test('[CON9 CLAIM1 CLAIM3] the fields show a claim, with its user and its end, while it is in force', async ({
    openConsole,
    newUser,
  }) => {
    const user = await newUser('claimer');
    const id = await user.add('Go live');
    const { page } = await openAs(openConsole, { url, email: user.email, path: `/task/${id}` });
    await panelOf(page).getByRole('heading', { level: 2, name: 'Go live' }).waitFor();
    expect(await panelOf(page).getByText('Claimed by').count()).toBe(0);
    await user.client.node.claim({ id });
    const claim = panelOf(page).getByText('Claimed by').locator('xpath=following-sibling::dd');
    expect(await claim.textContent()).toMatch(/^claimer, until .*\d/);
    await user.client.node.releaseClaim({ id });
    await claim.waitFor({ state: 'detached' });
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
