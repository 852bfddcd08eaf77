// The console on a page without TLS, of another machine: browsers offer it no hashes, no locks and no random
// ids. On a stack of its own, whose cookies need no TLS.
import { startTestStack, type TestStack } from '@taskgraph/testkit/stack/stack';
import { afterAll, beforeAll, expect } from 'vitest';
import { openAs, test, userWithPassword } from './support/console-fixture.ts';

let stack: TestStack;
beforeAll(async () => {
  const environment = { COMMAND_DEADLINE_MS: '60000', COOKIE_SECURE: 'off' };
  stack = await startTestStack({ workers: 1, environment });
});
afterAll(() => stack?.stop());

test('[CON28 IO1] a file is imported there too, and recognized again', async ({ openConsole }) => {
  const email = await userWithPassword(stack, 'plain');
  // Browsers trust 127.0.0.1 without TLS, but not this address of the same machine.
  const url = String(stack.urls[0]).replace('127.0.0.1', '0.0.0.0');
  const { page, expected } = await openAs(openConsole, { url, email, path: '/board' });
  expected.push(/Cross-Origin-Opener-Policy header has been ignored/);
  expect(await page.evaluate('isSecureContext')).toBe(false);
  const dialog = page.getByRole('dialog', { name: 'Import a file' });
  const press = (name: string) => dialog.getByRole('button', { name, exact: true }).click();
  const cards = page.locator('.board-card');
  const file = { name: 'plan.csv', mimeType: 'text/csv', buffer: Buffer.from('title\nOne\nTwo\n') };
  const importFile = async () => {
    await page.getByRole('button', { name: 'Import…' }).click();
    await dialog.getByLabel('File', { exact: true }).setInputFiles(file);
    await press('Import');
  };
  await importFile();
  await dialog.getByText('Imported plan.csv: 2 tasks').waitFor();
  await press('Close');
  await expect.poll(() => cards.count()).toBe(2);
  await importFile();
  await press('Import again as a copy');
  await expect.poll(() => cards.count()).toBe(4);
});
