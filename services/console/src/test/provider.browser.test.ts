// Signing in by a real OpenID Connect provider, on a stack of its own.
import { openProvider, type TestProvider } from '@taskgraph/testkit/accounts/openid-provider';
import { freePort, startTestStack, type TestStack } from '@taskgraph/testkit/stack/stack';
import { emailOf } from '@taskgraph/testkit/stack/users';
import { afterAll, beforeAll, expect } from 'vitest';
import { clientOf, signIn, test, untilLive, userWithPassword } from './support/console-fixture.ts';

let provider: TestProvider;
let stack: TestStack;
let url = '';
beforeAll(async () => {
  const port = await freePort();
  url = `http://127.0.0.1:${port}`;
  provider = await openProvider(url);
  stack = await startTestStack({
    workers: 1,
    port,
    environment: {
      COMMAND_DEADLINE_MS: '60000',
      PUBLIC_URL: url,
      ...provider.environment,
      OIDC_NAME: 'the office',
      OIDC_REGISTRATION: 'on',
    },
  });
});
afterAll(async () => {
  await stack?.stop();
  await provider?.close();
});

const PROVIDER = 'Sign in with the office';

test('[CON3 AUTH1 CAP1] a provider signs in, and the reader is back at the deep link', async ({ openConsole }) => {
  const email = emailOf('ann');
  provider.person = { sub: email, email, email_verified: true, preferred_username: 'ann' };
  const owner = await clientOf(stack, emailOf('owner'));
  const { diff } = await owner.node.add({ title: 'Go live' });
  const id = String(diff.nodes[0]?.after.id);
  await owner.access.grant({ id, email, level: 2 });
  owner.close();
  const path = `/task/${id}?f=status:open`;
  const { page, expected } = await openConsole(url, path);
  expected.push(new RegExp(`^request to another host: ${provider.environment.OIDC_ISSUER}`));
  await page.getByRole('link', { name: PROVIDER }).click();
  await page.getByRole('heading', { level: 2, name: 'Go live' }).waitFor();
  await untilLive(page);
  const { pathname, search } = new URL(page.url());
  expect(pathname + search).toBe(path);
  expect(await page.locator('.account').innerText()).toContain('ann');
  expect(await page.evaluate('document.cookie + JSON.stringify({ ...localStorage, ...sessionStorage })')).toBe('{}');
  const cookies = await page.context().cookies();
  expect(cookies.find(({ name }) => name === 'taskgraph_session')).toMatchObject({ httpOnly: true, sameSite: 'Lax' });
});

test('[CON3] a reader who comes back without the provider stays at the next address', async ({ openConsole }) => {
  const { page } = await openConsole(url, '/outline');
  const link = page.getByRole('link', { name: PROVIDER });
  await link.waitFor();
  // As a reader who opens the provider in another tab: the page stays.
  await page.evaluate(`addEventListener('click', (event) => event.target.closest('a') && event.preventDefault())`);
  const stored = () => page.evaluate('sessionStorage.length');
  await link.click();
  expect(await stored()).toBe(1);
  // As the browser does for a page that it has kept.
  await page.evaluate(`dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))`);
  expect(await stored()).toBe(0);
  await link.click();
  expect(await stored()).toBe(1);
  await signIn(page, await userWithPassword(stack, 'eve'));
  await untilLive(page);
  expect(await stored()).toBe(0);
});
