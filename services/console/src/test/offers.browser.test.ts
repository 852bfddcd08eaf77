// The console of a service that has registration and a bound on files, on a stack of its own.
import { freePort, startTestStack, type TestStack } from '@taskgraph/testkit/stack/stack';
import { afterAll, beforeAll, expect } from 'vitest';
import { openAs, test, userWithPassword } from './support/console-fixture.ts';

/** Also enough for the service worker, which stores all files of the release. */
const FILES = 300;

let stack: TestStack;
let url = '';
beforeAll(async () => {
  const port = await freePort();
  url = `http://127.0.0.1:${port}`;
  stack = await startTestStack({
    workers: 1,
    port,
    environment: {
      COMMAND_DEADLINE_MS: '60000',
      TASKGRAPH_LIMITS: 'on',
      LIMIT_FILES: `${FILES}/86400`,
      REGISTRATION: 'on',
      PUBLIC_URL: url,
      // No mail is sent here.
      SMTP_URL: 'smtp://127.0.0.1:9',
      MAIL_FROM: 'tasks@example.com',
    },
  });
});
afterAll(() => stack?.stop());

test('[CON3 CAP1] offers registration and a new password where the service has them', async ({ openConsole }) => {
  const { page } = await openConsole(url);
  await page.getByRole('link', { name: 'Create an account' }).click();
  await page.getByRole('heading', { level: 1, name: 'Create an account' }).waitFor();
  expect(new URL(page.url()).pathname).toBe('/register');
  expect(await page.getByLabel('Name').count()).toBe(1);
  await page.getByRole('link', { name: 'Back to sign in' }).click();
  await page.getByRole('link', { name: 'Forgot your password?' }).click();
  await page.getByRole('button', { name: 'Send me the link' }).waitFor();
});

test('[LIM1 CON1] loading the console uses up files, and no calls of its reader', async ({ openConsole }) => {
  const email = await userWithPassword(stack, 'reader');
  const { page } = await openAs(openConsole, { url, email });
  const remaining = async () => {
    const response = await fetch(`${url}/api/me`, { headers: { Authorization: 'Bearer none' } });
    return Number(response.headers.get('ratelimit-remaining'));
  };
  const before = await remaining();
  await page.reload();
  await page.locator('.status-bar').waitFor();
  const statuses: number[] = [];
  for (let request = 0; request <= FILES; request++) statuses.push((await fetch(`${url}/ready`)).status);
  expect([statuses[0], statuses.at(-1)]).toEqual([200, 429]);
  const refused = await fetch(url);
  expect(await refused.json()).toMatchObject({ error: 'rate_limited', details: { limit: 'files' } });
  // The call that reads the number counts itself.
  expect(before - (await remaining())).toBe(1);
});
