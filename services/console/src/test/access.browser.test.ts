// Access in the panel of a task and in the list of shared tasks: who sees what and why, sharing with a
// dry run, and the public link.
import type { Page } from '@taskgraph/testkit/stack/browser';
import { sharedStack } from '@taskgraph/testkit/stack/shared-stack';
import { describe, expect } from 'vitest';
import { cutOff, look } from './support/accessibility.ts';
import { type ConsoleUser, openAs, test } from './support/console-fixture.ts';

const [url = ''] = sharedStack().urls;
const PHONE = { width: 320, height: 640 };
const [ADMIN, EDITOR, VIEWER] = [1, 2, 3];
/** The browser itself reports each request that is refused. */
const REFUSED = /^error: Failed to load resource: .* (400|403|404|409) /;

/** A branch: `write` and `draw` below `build`, which is below `launch`. */
async function branchOf({ add }: ConsoleUser) {
  const launch = await add('Go live');
  const build = await add('Build the pages', { target: launch });
  const write = await add('Write the texts', { target: build });
  const draw = await add('Draw the pictures', { target: build });
  return { launch, build, write, draw };
}

const panelOf = (page: Page) => page.getByRole('complementary');
async function openAccess(page: Page) {
  const access = panelOf(page).locator('details.access');
  await access.locator('> summary').click();
  return access;
}
const grantsOn = async ({ client }: ConsoleUser, id: string) =>
  (await client.access.list({ id })).grants.map(({ email, level, branch }) => [email, level, branch]);
const publicTokenOf = async ({ client }: ConsoleUser, id: string) => {
  const [node] = (await client.node.get({ ids: [id] })).nodes;
  if (node === undefined || !('publicToken' in node)) throw new Error(`${id} is not in the graph`);
  return node.publicToken;
};

describe('the panel', () => {
  test('[CON15 DRY3] shares a branch after a dry run that counts its tasks', async ({ openConsole, newUser }) => {
    const [ann, bob] = [await newUser('ann1'), await newUser('bob1')];
    const { build } = await branchOf(ann);
    const { page } = await openAs(openConsole, { url, email: ann.email, path: `/task/${build}` });
    const access = await openAccess(page);
    await access.getByText('Owner').waitFor();
    await access.locator('.access-content > .share > summary').click();
    await access.getByLabel('E-mail').fill(bob.email);
    await access.getByLabel('Level').selectOption({ label: 'Editor: reads and changes' });
    await access.locator('.access-content > .share').getByRole('button', { name: 'Check what this does' }).click();
    await access.getByText(`${bob.email} would see 3 tasks.`).waitFor();
    expect(await grantsOn(ann, build)).toEqual([]);
    await look(page, 'access-dry-run');
    await access.getByRole('button', { name: 'Share now' }).click();
    await page.getByText(`Shared with ${bob.email}.`).waitFor();
    expect(await grantsOn(ann, build)).toEqual([[bob.email, EDITOR, true]]);
    const row = access.locator('.people li', { hasText: bob.email });
    await row.getByText('with everything below').waitFor();
    expect((await bob.client.node.get({ ids: [build] })).nodes[0]).toMatchObject({ access: EDITOR });
  });

  test('[CON15] cancels without a change, and says why the service refuses', async ({ openConsole, newUser }) => {
    const [ann, bob] = [await newUser('ann2'), await newUser('bob2')];
    const { build } = await branchOf(ann);
    const { page, expected } = await openAs(openConsole, { url, email: ann.email, path: `/task/${build}` });
    expected.push(REFUSED);
    const access = await openAccess(page);
    await access.locator('.access-content > .share > summary').click();
    const preview = access.locator('.access-content > .share').getByRole('button', { name: 'Check what this does' });
    await access.getByLabel('E-mail').fill(ann.email);
    await preview.click();
    await page.getByText('This is the owner, who has full access.').waitFor();
    await access.getByLabel('E-mail').fill(bob.email);
    await access.locator('.access-content > .share').getByLabel('What they see').selectOption('node');
    await preview.click();
    await access.getByText(`${bob.email} would see 1 task.`).waitFor();
    await access.getByRole('button', { name: 'Cancel' }).click();
    await expect.poll(() => access.getByText('would see').count()).toBe(0);
    expect(await page.evaluate('document.activeElement?.type')).toBe('email');
    expect(await grantsOn(ann, build)).toEqual([]);
  });

  test('[CON15] changes a share and ends it, and follows the changes of others', async ({ openConsole, newUser }) => {
    const [ann, bob, cy] = [await newUser('ann3'), await newUser('bob3'), await newUser('cy3')];
    const { build } = await branchOf(ann);
    await ann.client.call('node:access', { id: build, email: bob.email, level: VIEWER });
    const { page } = await openAs(openConsole, { url, email: ann.email, path: `/task/${build}` });
    const access = await openAccess(page);
    const row = access.locator('.people li', { hasText: bob.email });
    await row.getByText('Viewer').waitFor();
    await ann.client.call('node:access', { id: build, email: cy.email, level: ADMIN });
    await access.locator('.people li', { hasText: cy.email }).getByText('Admin').waitFor();
    await row.getByRole('button', { name: `Change: ${bob.email}` }).click();
    await row.getByLabel('What they see').selectOption('node');
    await row.getByRole('button', { name: 'Check what this does' }).click();
    await row.getByText(`${bob.email} would lose this access to 2 tasks.`).waitFor();
    await row.getByRole('button', { name: 'Change now' }).click();
    await row.getByText('this task only').waitFor();
    await row.getByRole('button', { name: `End access: ${bob.email}` }).click();
    await row.getByText(`${bob.email} would lose this access to 1 task.`).waitFor();
    await row.getByRole('button', { name: 'End access now' }).click();
    await page.getByText(`Ended the access of ${bob.email}.`).waitFor();
    await expect.poll(() => row.count()).toBe(0);
    expect(await grantsOn(ann, build)).toEqual([[cy.email, ADMIN, true]]);
  });

  test('[CON15 WHY2] names the branch above through which others see a task', async ({ openConsole, newUser }) => {
    const [ann, bob] = [await newUser('ann4'), await newUser('bob4')];
    const { launch, write } = await branchOf(ann);
    await ann.client.call('node:access', { id: launch, email: bob.email, level: EDITOR });
    const { page } = await openAs(openConsole, { url, email: ann.email, path: `/task/${write}` });
    const access = await openAccess(page);
    const way = access.locator('.people li', { hasText: bob.email });
    await way.getByText('through the branch').waitFor();
    await way.getByRole('link', { name: 'Go live' }).click();
    await panelOf(page).getByRole('heading', { level: 2, name: 'Go live' }).waitFor();
  });

  test('[CON15 ACL9] shows a viewer only their own way, which they can leave', async ({ openConsole, newUser }) => {
    const [ann, bob, cy] = [await newUser('ann5'), await newUser('bob5'), await newUser('cy5')];
    const { build } = await branchOf(ann);
    await ann.client.call('node:access', { id: build, email: bob.email, level: VIEWER });
    await ann.client.call('node:access', { id: build, email: cy.email, level: VIEWER });
    const { page } = await openAs(openConsole, { url, email: bob.email, path: `/task/${build}` });
    const access = await openAccess(page);
    const leave = access.getByRole('button', { name: 'Leave “Build the pages”' });
    await leave.waitFor();
    expect(await access.getByRole('button').count()).toBe(1);
    expect(await access.locator('input, select, form').count()).toBe(0);
    expect(await page.content()).not.toContain(cy.email);
    await leave.click();
    await access.getByText('You would lose this access to 3 tasks.').waitFor();
    await access.getByRole('button', { name: 'Leave now' }).click();
    await page.getByText('You left “Build the pages”.').waitFor();
    await panelOf(page).getByRole('heading', { level: 2, name: 'No such task' }).waitFor();
    expect(await grantsOn(ann, build)).toEqual([[cy.email, VIEWER, true]]);
  });

  test('[CON15 PUB1] publishes a branch, copies its link, and ends it', async ({ openConsole, newUser }) => {
    const ann = await newUser('ann6');
    const { build } = await branchOf(ann);
    const { page } = await openAs(openConsole, { url, email: ann.email, path: `/task/${build}` });
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    const access = await openAccess(page);
    const link = access.getByRole('region', { name: 'Public link' });
    await link.locator('summary').click();
    await link.getByRole('button', { name: 'Check what this does' }).click();
    await link.getByText('Anyone with the link could read 3 tasks').waitFor();
    expect(await publicTokenOf(ann, build)).toBeNull();
    await link.getByRole('button', { name: 'Publish now' }).click();
    const field = link.getByLabel('Address of the public page');
    await field.waitFor();
    expect(await page.evaluate('document.activeElement?.textContent')).toBe('Public link');
    const token = await publicTokenOf(ann, build);
    expect(await field.inputValue()).toBe(`${url}/p/${token}`);
    await link.getByRole('button', { name: 'Copy' }).click();
    await page.getByText('Copied.').waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(`${url}/p/${token}`);
    await page.getByRole('button', { name: 'Dismiss' }).click();
    await look(page, 'access-published');
    await link.getByRole('button', { name: 'Change the end' }).click();
    await link.getByLabel('Ends after').fill('2099-12-24');
    await link.getByRole('button', { name: 'Save' }).click();
    await link.getByText('It ends on 24 Dec 2099').waitFor();
    await link.getByRole('button', { name: 'End the public link' }).click();
    await link.getByRole('button', { name: 'End it now' }).click();
    await link.getByText('Create a public link').waitFor();
    expect(await publicTokenOf(ann, build)).toBeNull();
  });
});

test('[CON15 ACL7] a branch whose access ends leaves each view of its reader', async ({
  openConsole,
  openConsoleTab,
  newUser,
}) => {
  const [ann, bob] = [await newUser('ann10'), await newUser('bob10')];
  const { build } = await branchOf(ann);
  await bob.add('Buy the paint');
  await ann.client.call('node:access', { id: build, email: bob.email, level: EDITOR });
  const first = await openAs(openConsole, { url, email: bob.email, path: '/ready' });
  const pages = [first.page];
  for (const path of ['/outline', '/board', '/plan', '/graph', `/task/${build}`, '/history', '/shared']) {
    pages.push((await openConsoleTab(first.page, url, path)).page);
  }
  const named = /Build the pages|Write the texts/;
  for (const page of pages) await page.locator('main, aside').getByText(named).first().waitFor();
  await ann.client.call('node:access:delete', { id: build, email: bob.email });
  for (const page of pages) {
    await expect.poll(() => page.locator('body').innerText()).not.toMatch(named);
  }
});

describe('the list of shared tasks', () => {
  test('[CON15] has what others share and what the reader shares, and follows changes', async ({
    openConsole,
    newUser,
  }) => {
    const [ann, bob] = [await newUser('ann7'), await newUser('bob7')];
    const { build } = await branchOf(ann);
    const own = await bob.add('Buy the paint');
    const { page } = await openAs(openConsole, { url, email: bob.email, path: '/shared' });
    await page.getByText('No tasks are shared with you.').waitFor();
    await page.getByText('You share no tasks.').waitFor();
    await ann.client.call('node:access', { id: build, email: bob.email, level: EDITOR });
    await bob.client.call('node:access', { id: own, email: ann.email, level: VIEWER, branch: false });
    const theirs = page.getByRole('region', { name: 'Shared with you' }).locator('.shared-row');
    await theirs.getByRole('link', { name: 'Build the pages' }).waitFor();
    expect(await theirs.innerText()).toMatch(/owner ann.*your level: editor.*with everything below/s);
    const mine = page.getByRole('region', { name: 'Shared by you' }).locator('.shared-row');
    await mine.getByRole('link', { name: 'Buy the paint' }).waitFor();
    await mine.locator('summary').click();
    await mine.getByText(ann.email).waitFor();
    await look(page, 'shared');
    await page.setViewportSize(PHONE);
    await look(page, 'phone-shared');
    expect(await cutOff(page)).toEqual([]);
    await theirs.getByRole('button', { name: 'Leave “Build the pages”' }).click();
    await theirs.getByRole('button', { name: 'Leave now' }).click();
    await page.getByText('No tasks are shared with you.').waitFor();
  });

  test('[CON15] has the shares and publications that were there before', async ({ openConsole, newUser }) => {
    const [ann, bob] = [await newUser('ann8'), await newUser('bob8')];
    const { build, write } = await branchOf(ann);
    await ann.client.call('node:access', { id: write, email: bob.email, branch: false });
    await ann.client.call('node:publish', { id: build });
    const { page } = await openAs(openConsole, { url, email: ann.email, path: '/shared' });
    const mine = page.getByRole('region', { name: 'Shared by you' });
    await mine.locator('.shared-row', { hasText: 'Build the pages' }).getByText('public link').waitFor();
    await mine.getByRole('link', { name: 'Write the texts' }).waitFor();
    expect(await mine.locator('.shared-row').count()).toBe(2);
  });
});

test('[CON6 CON15] access has no violation that a program finds, also on a phone', async ({ openConsole, newUser }) => {
  const [ann, bob] = [await newUser('ann9'), await newUser('bob9')];
  const { launch, build } = await branchOf(ann);
  await ann.client.call('node:access', { id: build, email: bob.email, level: EDITOR, due: '2099-12-24' });
  await ann.client.call('node:access', { id: launch, email: bob.email, level: VIEWER });
  const { page } = await openAs(openConsole, { url, email: ann.email, path: `/task/${build}` });
  const access = await openAccess(page);
  await access.getByText('through the branch').waitFor();
  await access.locator('.access-content > .share > summary').click();
  await access.getByRole('button', { name: `Change: ${bob.email}` }).click();
  await look(page, 'access');
  await page.setViewportSize(PHONE);
  await look(page, 'phone-access');
  expect(await cutOff(page)).toEqual([]);
});
