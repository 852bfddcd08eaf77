// The settings: display, password, sessions and API tokens.
import { calendars, signIn as requestSession, rest, webhooks } from '@taskgraph/client';
import type { Page } from '@taskgraph/testkit/stack/browser';
import { sharedStack } from '@taskgraph/testkit/stack/shared-stack';
import { expect } from 'vitest';
import { cutOff, look } from './support/accessibility.ts';
import { openAs, PASSWORD, signIn, test, untilLive } from './support/console-fixture.ts';

const [url = ''] = sharedStack().urls;
const PHONE = { width: 320, height: 640 };
/** The browser itself reports each request that is refused. */
const REFUSED = /^error: Failed to load resource: .* (400|401|403|404|409) /;
/** Leaving a page interrupts its requests. */
const INTERRUPTED = /net::ERR_ABORTED$/;

const section = (page: Page, name: string) => page.getByRole('region', { name, exact: true });
const ground = (page: Page) => page.evaluate('getComputedStyle(document.body).backgroundColor');
const [WHITE, DARK] = ['rgb(255, 255, 255)', 'rgb(20, 23, 28)'];

test('[CON17] a theme holds for this browser, also for the picture, until the system decides again', async ({
  openConsole,
  newUser,
}) => {
  const ann = await newUser('ann1');
  await ann.add('Go live');
  const { page, expected } = await openAs(openConsole, { url, email: ann.email, path: '/settings' });
  expected.push(INTERRUPTED);
  const display = section(page, 'Display');
  expect(await ground(page)).toBe(WHITE);
  await display.getByLabel('Dark').check();
  expect(await ground(page)).toBe(DARK);
  await display.getByLabel('Reduced').check();
  await page.reload();
  await untilLive(page);
  expect(await ground(page)).toBe(DARK);
  expect(await page.evaluate('document.documentElement.dataset.motion')).toBe('reduced');
  await page.goto('/graph');
  await page.locator('.picture[aria-busy="false"]').waitFor();
  const corner = `(() => {
    const canvas = document.querySelector('.drawing canvas');
    // The canvas is larger than the view.
    const border = (canvas.width - canvas.parentElement.clientWidth * devicePixelRatio) / 2;
    return [...canvas.getContext('2d').getImageData(border + 1, canvas.height - border - 2, 1, 1).data];
  })()`;
  // The picture has the colour of the ground, or lets it through.
  expect([
    [20, 23, 28, 255],
    [0, 0, 0, 0],
  ]).toContainEqual(await page.evaluate(corner));
  await page.goto('/settings');
  await display.getByLabel('Light').check();
  await page.emulateMedia({ colorScheme: 'dark' });
  expect(await ground(page)).toBe(WHITE);
  await display.getByLabel('Same as system').first().check();
  expect(await ground(page)).toBe(DARK);
  await display.getByLabel('Same as system').last().check();
  expect(await page.evaluate('localStorage.length')).toBe(0);
});

test('[CON17 AUTH4] the password changes, and a wrong one is refused', async ({ openConsole, newUser }) => {
  const { email } = await newUser('ann2');
  const { page, expected } = await openAs(openConsole, { url, email, path: '/settings' });
  expected.push(REFUSED);
  await section(page, 'Profile').getByText(email).waitFor();
  const form = section(page, 'Password');
  const fill = async (current: string, next: string, repeat = next) => {
    await form.getByLabel('Current password').fill(current);
    await form.getByLabel('New password', { exact: true }).fill(next);
    await form.getByLabel('New password again').fill(repeat);
    await form.getByRole('button', { name: 'Change the password' }).click();
  };
  await fill(PASSWORD, 'a quite different phrase', 'another one');
  await page.getByText('The new passwords do not match.').waitFor();
  await fill('not the password', 'a quite different phrase');
  await page.getByText('The current password is wrong.').waitFor();
  // Who changes a stolen password learns of calendars, which the thief may have made.
  await form.getByLabel('Also end all API tokens, calendars and webhooks').waitFor();
  await fill(PASSWORD, 'a quite different phrase');
  await page.getByText('Changed the password. All other sessions have ended.').waitFor();
  await expect(requestSession({ url, email, password: PASSWORD })).rejects.toThrow('unauthorized');
  await requestSession({ url, email, password: 'a quite different phrase' });
});

test('[CON17 AUTH4] sessions end: one, all others, and this one too', async ({ openConsole, newUser }) => {
  const { email } = await newUser('ann3');
  const [here, there] = [
    await openAs(openConsole, { url, email, path: '/settings' }),
    await openAs(openConsole, { url, email }),
  ];
  here.expected.push(REFUSED, INTERRUPTED);
  there.expected.push(REFUSED);
  await here.page.reload();
  const sessions = section(here.page, 'Sessions');
  await expect.poll(() => sessions.locator('.people li').count()).toBe(2);
  await sessions.getByRole('button', { name: /^End: session of/ }).click();
  await there.page.getByText('You are signed out.').waitFor();
  await sessions.getByText('There are no other sessions.').waitFor();
  await signIn(there.page, email);
  await untilLive(there.page);
  await here.page.reload();
  await sessions.getByRole('button', { name: 'End all others' }).click();
  await sessions.getByText('There are no other sessions.').waitFor();
  await there.page.getByText('You are signed out.').waitFor();
  await sessions.getByRole('button', { name: 'Sign out everywhere', exact: true }).click();
  await sessions.getByRole('button', { name: 'Sign out everywhere now' }).click();
  await here.page.getByText('You are signed out.').waitFor();
});

test('[CON17 AUTH2] an API token is shown once, works, and ends', async ({ openConsole, newUser }) => {
  const ann = await newUser('ann4');
  const id = await ann.add('Go live');
  const { page } = await openAs(openConsole, { url, email: ann.email, path: '/settings' });
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  const tokens = section(page, 'API tokens');
  await tokens.getByLabel('Name', { exact: true }).fill('nightly');
  await tokens.getByLabel('Ends after').fill('2099-12-24');
  for (const right of [
    'add and edit tasks',
    'link tasks',
    'trash and restore',
    'share and publish',
    'delete permanently',
  ])
    await tokens.getByLabel(right).uncheck();
  await tokens.getByRole('button', { name: 'Create a token' }).click();
  const field = tokens.getByLabel('The new token');
  const token = await field.inputValue();
  expect(token).toMatch(/^tg_\w{36}$/);
  await tokens.getByRole('button', { name: 'Copy' }).click();
  await page.getByText('Copied.').waitFor();
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe(token);
  const row = tokens.locator('.people li', { hasText: 'nightly' });
  expect(await row.innerText()).toMatch(/read-only.*ends 24 Dec 2099/s);
  await look(page, 'settings-token');
  const { request } = rest({ url, token });
  expect(await request('GET', '/api/node', { query: { id } })).toMatchObject({ ok: true });
  await expect(request('PUT', '/api/node', { body: { id, title: 'x' } })).rejects.toThrow('forbidden.read_only');
  await tokens.getByRole('button', { name: 'Hide it' }).click();
  expect(await page.content()).not.toContain(token);
  expect(await page.evaluate('Object.values({ ...localStorage, ...sessionStorage }).join()')).toBe('');
  await row.getByRole('button', { name: 'Revoke: nightly' }).click();
  await row.getByRole('button', { name: 'Revoke it now' }).click();
  await page.getByText('Revoked the token “nightly”.').waitFor();
  await expect(request('GET', '/api/node', { query: { id } })).rejects.toThrow('unauthorized');
});

test('[CON17 SCOPE1] a token gets the scopes that its form chooses', async ({ openConsole, newUser }) => {
  const ann = await newUser('ann6');
  const id = await ann.add('Go live');
  const { page, expected } = await openAs(openConsole, { url, email: ann.email, path: '/settings' });
  expected.push(REFUSED);
  const tokens = section(page, 'API tokens');
  const scopes = tokens.getByRole('group', { name: 'The token may' });
  await scopes.waitFor();
  expect(await scopes.getByRole('checkbox', { checked: true }).count()).toBe(6);
  // None at all is refused in words, and the form stays as it is.
  const labels = [
    'read',
    'add and edit tasks',
    'link tasks',
    'trash and restore',
    'share and publish',
    'delete permanently',
  ];
  for (const label of labels) await scopes.getByLabel(label, { exact: true }).uncheck();
  await tokens.getByLabel('Name', { exact: true }).fill('editor');
  await tokens.getByRole('button', { name: 'Create a token' }).click();
  await page.getByText('Choose at least one scope.').waitFor();
  for (const label of labels.slice(0, 2)) await scopes.getByLabel(label, { exact: true }).press('Space');
  await tokens.getByRole('button', { name: 'Create a token' }).click();
  const token = await tokens.getByLabel('The new token').inputValue();
  const row = tokens.locator('.people li', { hasText: 'editor' });
  expect(await row.innerText()).toContain('may only: read, add and edit tasks');
  await look(page, 'settings-scopes');
  const { request } = rest({ url, token });
  expect(await request('PUT', '/api/node', { body: { id, title: 'Go live soon' } })).toMatchObject({ ok: true });
  await expect(request('POST', '/api/node/trash', { body: { id } })).rejects.toThrow('forbidden.scope');
});

test('[CON17 BOT1 BOT2] a bot gets tasks by its address, and its tokens end with it', async ({
  openConsole,
  newUser,
}) => {
  const ann = await newUser('ann7');
  const id = await ann.add('Go live');
  const { page } = await openAs(openConsole, { url, email: ann.email, path: '/settings' });
  const list = section(page, 'Bots');
  await list.getByText('You have no bots.').waitFor();
  await list.getByLabel('Name of the bot').fill('Importer');
  await list.getByRole('button', { name: 'Create a bot' }).click();
  const address = await list.getByLabel('Address of “Importer”').inputValue();
  expect(address).toMatch(/^importer-[0-9a-f]{12}@bots\.invalid$/);
  await list.getByRole('button', { name: 'API tokens: Importer' }).click();
  await list.getByText('This bot has no API tokens.').waitFor();
  await list.getByLabel('Name', { exact: true }).fill('nightly');
  await list.getByRole('button', { name: 'Create a token' }).click();
  const token = await list.getByLabel('The new token').inputValue();
  await list.locator('.people .people li', { hasText: 'nightly' }).waitFor();
  await look(page, 'settings-bots');
  const { request } = rest({ url, token });
  await expect(request('GET', '/api/node', { query: { id } })).rejects.toThrow('forbidden');
  await ann.client.access.grant({ id, email: address, level: 2, branch: true });
  expect(await request('PUT', '/api/node', { body: { id, title: 'Go live soon' } })).toMatchObject({ ok: true });
  await list.getByRole('button', { name: 'Remove: Importer' }).click();
  await list.getByRole('button', { name: 'Remove it now' }).click();
  await list.getByText('You have no bots.').waitFor();
  await expect(request('GET', '/api/node', { query: { id } })).rejects.toThrow('unauthorized');
});

test('[CON17 ICAL1] the address of a calendar is shown once, works, is replaced and ends', async ({
  openConsole,
  newUser,
}) => {
  const ann = await newUser('ann8');
  await ann.add('Go live', { dueDate: '2026-12-24', assignee: ['me'] });
  await ann.add('Elsewhere', { dueDate: '2026-12-24' });
  const { page } = await openAs(openConsole, { url, email: ann.email, path: '/settings' });
  const list = section(page, 'Calendars');
  await list.getByText('You have no calendars.').waitFor();
  await list.getByLabel('Name of the calendar').fill('Due dates');
  await list.getByLabel('tasks assigned to me').check();
  await list.getByLabel('Plan').selectOption('day');
  await list.getByRole('button', { name: 'Create a calendar' }).click();
  const field = list.getByLabel('The new address');
  const address = await field.inputValue();
  const textAt = async (text: string) => (await fetch(url + new URL(text).pathname)).text();
  expect(await textAt(address)).toContain('SUMMARY:Go live\r\n');
  expect(await textAt(address)).not.toContain('Elsewhere');
  const row = list.locator('.people li', { hasText: 'Due dates' });
  expect(await row.innerText()).toMatch(/events · tasks assigned to me · with the plan · created/);
  await look(page, 'settings-calendars');
  await list.getByRole('button', { name: 'Hide it' }).click();
  expect(await page.content()).not.toContain(address);
  await row.getByRole('button', { name: 'New address: Due dates' }).click();
  await row.getByRole('button', { name: 'Replace it now' }).click();
  await field.waitFor();
  const next = await field.inputValue();
  expect(await textAt(next)).toContain('SUMMARY:Go live\r\n');
  expect(await textAt(address)).toContain('not_found');
  await row.getByRole('button', { name: 'Remove calendar: Due dates' }).click();
  await row.getByRole('button', { name: 'Remove the calendar now' }).click();
  await list.getByText('You have no calendars.').waitFor();
  expect(await textAt(next)).toContain('not_found');
  // An address that has ended is not shown any more.
  await field.waitFor({ state: 'detached' });
});

test('[CON17 ICAL1] calendars differ by more than their names: branch and conditions are shown', async ({
  openConsole,
  newUser,
}) => {
  const ann = await newUser('ann9');
  const root = await ann.add('Release');
  const { session } = await requestSession({ url, email: ann.email, password: PASSWORD });
  const own = calendars({ url, session });
  await own.create({ name: 'Branch', root, where: { status: [0, 1, 2], tag: ['web'] } });
  await own.create({ name: 'All' });
  const { page } = await openAs(openConsole, { url, email: ann.email, path: '/settings' });
  const list = section(page, 'Calendars');
  const rowOf = (name: string) => list.locator('.people li', { hasText: name });
  await rowOf('Branch').waitFor();
  expect(await rowOf('Branch').innerText()).toMatch(/events · open tasks · with more conditions · created/);
  expect(await rowOf('All').innerText()).toMatch(/events · created/);
  await rowOf('Branch').getByRole('link', { name: 'in a branch: open its root, for Branch' }).click();
  await page.getByRole('heading', { level: 2, name: 'Release' }).waitFor();
});

test('[CON17 HOOK1] webhooks are added with their secret shown once, disabled, rotated and deleted', async ({
  openConsole,
  newUser,
}) => {
  const ann = await newUser('ann10');
  const { page, expected } = await openAs(openConsole, { url, email: ann.email, path: '/settings' });
  expected.push(REFUSED);
  const list = section(page, 'Webhooks');
  await list.getByText('You have no webhooks.').waitFor();
  await list.getByLabel('Address of the receiver').fill('ftp://hooks.example.com/');
  await list.getByRole('button', { name: 'Add a webhook' }).click();
  await page.getByText('The address must begin with https').waitFor();
  await list.getByLabel('Address of the receiver').fill('https://hooks.example.com/x');
  await list.getByLabel('Name of the webhook, if wanted').fill('Deploy');
  await list.getByLabel('are completed').check();
  await list.getByRole('button', { name: 'Add a webhook' }).click();
  const field = list.getByLabel('The new secret');
  const secret = await field.inputValue();
  expect(secret).toMatch(/^whsec_/);
  const row = list.locator('.people > li', { hasText: 'Deploy' });
  expect(await row.innerText()).toMatch(
    /pending until the receiver accepts a test · some changes only · never accepted/,
  );
  await row.getByRole('button', { name: 'Attempts: Deploy' }).click();
  await row.getByText('There were no attempts in the last days.').waitFor();
  await look(page, 'settings-webhooks');
  await list.getByRole('button', { name: 'Hide it' }).click();
  expect(await page.content()).not.toContain(secret);
  await row.getByRole('button', { name: 'Disable webhook: Deploy' }).click();
  await row.getByText('disabled').waitFor();
  await row.getByRole('button', { name: 'Enable webhook: Deploy' }).click();
  await row.getByText('pending').waitFor();
  await row.getByRole('button', { name: 'New secret: Deploy' }).click();
  await row.getByRole('button', { name: 'Replace the secret now' }).click();
  await field.waitFor();
  expect(await field.inputValue()).not.toBe(secret);
  await row.getByRole('button', { name: 'Delete webhook: Deploy' }).click();
  await row.getByRole('button', { name: 'Delete the webhook now' }).click();
  await list.getByText('You have no webhooks.').waitFor();
  // The secret of a deleted webhook is not shown any more.
  await field.waitFor({ state: 'detached' });
});

test('[CON17 HOOK1 HOOK12] a webhook of a branch has conditions, and sends changes again', async ({
  openConsole,
  newUser,
}) => {
  const ann = await newUser('ann11');
  const root = await ann.add('Release');
  const { session } = await requestSession({ url, email: ann.email, password: PASSWORD });
  const { page } = await openAs(openConsole, { url, email: ann.email, path: '/settings' });
  const list = section(page, 'Webhooks');
  await list.getByLabel('Address of the receiver').fill('https://hooks.example.com/x');
  await list.getByLabel('Name of the webhook, if wanted').fill('Branch');
  const branch = list.getByLabel('Branch: the address or id of its root, if wanted');
  await branch.fill('Release');
  await list.getByRole('button', { name: 'Add a webhook' }).click();
  // The browser refuses what is no address of a task.
  await list.locator('input[name=branch]:user-invalid').waitFor();
  await branch.fill(`${url}/task/${root}?view=list`);
  await list.getByLabel('open tasks').check();
  await list.getByRole('button', { name: 'Add a webhook' }).click();
  const row = list.locator('.people > li', { hasText: 'Branch' });
  await row.waitFor();
  expect(await row.innerText()).toMatch(/open tasks · never accepted a message · in a branch/);
  const [added] = await webhooks({ url, token: session }).list();
  expect(added).toMatchObject({ root, where: { status: [0, 1, 2] }, events: [] });
  await row.getByRole('button', { name: 'Attempts: Branch' }).click();
  await row.getByLabel('Send to “Branch” again').selectOption('the changes of the last day');
  await row.getByRole('button', { name: 'Send them again' }).click();
  await page.getByText('The changes are on their way to “Branch”.').waitFor();
  await look(page, 'settings-webhook-replay');
  await row.getByRole('link', { name: 'in a branch: open its root, for Branch' }).click();
  await page.getByRole('heading', { level: 2, name: 'Release' }).waitFor();
});

test('[CON6 CON17] the settings have no violation that a program finds, also on a phone', async ({
  openConsole,
  newUser,
}) => {
  const { email } = await newUser('ann5');
  const { page } = await openAs(openConsole, { url, email, path: '/settings' });
  await section(page, 'Profile').getByText(email).waitFor();
  await section(page, 'Sessions').getByText('this session').waitFor();
  await look(page, 'settings');
  await page.setViewportSize(PHONE);
  await look(page, 'phone-settings');
  expect(await cutOff(page)).toEqual([]);
});
