// The administration of users.
import { bots, signIn as requestSession } from '@taskgraph/client';
import { runAdmin } from '@taskgraph/testkit/stack/admin';
import { sharedStack } from '@taskgraph/testkit/stack/shared-stack';
import { expect } from 'vitest';
import { cutOff, look } from './support/accessibility.ts';
import { openAs, PASSWORD, test } from './support/console-fixture.ts';

const stack = sharedStack();
const [url = ''] = stack.urls;
const PHONE = { width: 320, height: 640 };
/** The browser itself reports each request that is refused. */
const REFUSED = /^error: Failed to load resource: .* 403 /;

test('[CON17 AUTH1 BOT2] an administrator disables a user and enables them again', async ({ openConsole, newUser }) => {
  const [root, bob] = [await newUser('root1'), await newUser('bob1')];
  expect((await runAdmin(stack, 'user', ['--email', root.email, '--admin'])).code).toBe(0);
  const { session } = await requestSession({ url, email: bob.email, password: PASSWORD });
  const bot = await bots({ url, session }).create('importer');
  const { page } = await openAs(openConsole, { url, email: root.email, path: '/settings' });
  await page.getByRole('link', { name: 'Users' }).click();
  const list = page.getByRole('list', { name: 'Users' });
  const row = list.getByRole('listitem').filter({ hasText: bob.email }).filter({ hasNotText: bot.email });
  const botRow = list.getByRole('listitem').filter({ hasText: bot.email });
  const more = page.getByRole('button', { name: /more users$/ });
  await list.getByRole('listitem').first().waitFor();
  // The database of the run has users of other tests.
  while ((await row.count()) === 0 || (await botRow.count()) === 0) {
    const shown = await list.getByRole('listitem').count();
    await more.click();
    await expect.poll(() => list.getByRole('listitem').count()).toBeGreaterThan(shown);
  }
  expect(await botRow.innerText()).toContain(`bot of ${bob.email}`);
  await row.getByRole('button', { name: /^Disable: / }).click();
  await row.getByRole('button', { name: 'Disable now' }).click();
  await row.getByText('disabled').waitFor();
  await expect(requestSession({ url, email: bob.email, password: PASSWORD })).rejects.toThrow('unauthorized');
  await look(page, 'users');
  await page.setViewportSize(PHONE);
  expect(await cutOff(page)).toEqual([]);
  await row.getByRole('button', { name: /^Enable: / }).click();
  await row.getByRole('button', { name: 'Enable now' }).click();
  await row.getByRole('button', { name: /^Disable: / }).waitFor();
  await requestSession({ url, email: bob.email, password: PASSWORD });
});

test('[CON17 AUTH1] other users learn that they may not', async ({ openConsole, newUser }) => {
  const { email } = await newUser('bob2');
  const { page, expected } = await openAs(openConsole, { url, email, path: '/admin/users' });
  expected.push(REFUSED);
  await page.getByText('Only administrators can see and change users.').waitFor();
  expect(await page.getByRole('list', { name: 'Users' }).getByRole('listitem').count()).toBe(0);
});
