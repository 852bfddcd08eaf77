// Signing in by a real OpenID Connect provider, on a stack of its own.
import { openProvider, type TestProvider } from '@taskgraph/testkit/accounts/openid-provider';
import { freePort, startTestStack, type TestStack } from '@taskgraph/testkit/stack/stack';
import { emailOf } from '@taskgraph/testkit/stack/users';
import { afterAll, beforeAll, expect } from 'vitest';
import { look } from './support/accessibility.ts';
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

test('[CON43 CON3] a reader whom the provider does not vouch for is told why, and goes on at the deep link', async ({
  openConsole,
}) => {
  const email = emailOf('unverified');
  provider.person = { sub: email, email, email_verified: false };
  const { page, expected } = await openConsole(url, '/board?f=status:open');
  expected.push(new RegExp(`^request to another host: ${provider.environment.OIDC_ISSUER}`));
  await page.getByRole('link', { name: PROVIDER }).click();
  await page.getByText('The provider has not verified your e-mail address.').waitFor();
  const { pathname, search, hash } = new URL(page.url());
  expect([pathname + search, hash]).toEqual(['/board?f=status:open', '']);
  await look(page, 'provider-refused');
  await signIn(page, await userWithPassword(stack, 'sam'));
  await page.getByRole('heading', { level: 1, name: 'Board' }).waitFor();
});

test('[CON43] a denied consent, and a sign-in that did not start here, lead to the sign-in form', async ({
  openConsole,
}) => {
  const { page } = await openConsole(url, '/signin');
  await page.getByRole('link', { name: PROVIDER }).waitFor();
  for (const query of ['error=access_denied&state=x', 'code=x&state=%3Cscript%3Ealert(1)%3C/script%3E']) {
    await page.goto(`/api/oidc/callback?${query}`);
    await page.getByText('The provider did not sign you in, or it took too long. Try again.').waitFor();
    expect(new URL(page.url()).href).toBe(`${url}/signin`);
  }
});

test('[CON43] a fragment that somebody invented shows no text of theirs', async ({ openConsole }) => {
  for (const code of ['constructor', '%3Cb%3Eyour%20account%20is%20locked%3C/b%3E']) {
    const { page } = await openConsole(url, `/signin#refused=${code}`);
    await page.getByText('Signing in with the provider failed. Try again.').waitFor();
    expect(await page.locator('body').innerText()).not.toContain('locked');
    expect(new URL(page.url()).hash).toBe('');
  }
});
