// Signing in and out in the console.
import { runAdmin } from '@taskgraph/testkit/stack/admin';
import { sharedStack } from '@taskgraph/testkit/stack/shared-stack';
import { beforeAll, describe, expect } from 'vitest';
import { openAs, PASSWORD, signIn, test, untilLive, userWithPassword } from './support/console-fixture.ts';

const stack = sharedStack();
const [url = ''] = stack.urls;
let email = '';
beforeAll(async () => {
  email = await userWithPassword(stack, 'ann');
});

/** The browser itself reports each request that is refused. */
const REFUSED = /^error: Failed to load resource: .* 401 \(Unauthorized\)$/;
/** All that a script of the page can read. */
const STORED = `(async () => ({
  cookie: document.cookie,
  local: Object.entries(localStorage),
  session: Object.entries(sessionStorage),
  databases: (await indexedDB.databases()).map(({ name }) => name),
}))()`;

/** The database has tasks and changes (CON31). */
const NO_TOKEN = { cookie: '', local: [], session: [], databases: ['taskgraph'] };

/** The address of a sign-in link of the user. */
async function signInLink(): Promise<string> {
  const { code, output } = await runAdmin(stack, 'sign-in-link', ['--email', email, '--url', url]);
  expect(code, output).toBe(0);
  return `/signin${output.match(/#link=\S+/)?.[0]}`;
}

describe('signing in', () => {
  test('[AUTH5 CON3] by a link, once, and the address does not retain it', async ({ openConsole }) => {
    const link = await signInLink();
    const { page, expected } = await openConsole(url, link);
    expected.push(REFUSED);
    await untilLive(page);
    expect(await page.locator('.account').innerText()).toContain('ann');
    expect(new URL(page.url()).hash).toBe('');
    expect(await page.evaluate(STORED)).toEqual(NO_TOKEN);
    const other = await openConsole(url, link);
    other.expected.push(REFUSED, /404 \(Not Found\)/);
    await other.page.getByText('This link was already used or has expired.').waitFor();
    await signIn(other.page, email);
    await untilLive(other.page);
  });

  test('[AUTH5 CON3] a browser that is signed in stays so, and does not use a link', async ({ openConsole }) => {
    const { page } = await openAs(openConsole, { url, email });
    const link = await signInLink();
    await page.goto('about:blank');
    await page.goto(url + link);
    await page.getByText('You are already signed in, so the link was not used.').waitFor();
    const another = await openConsole(url, link);
    another.expected.push(REFUSED);
    await untilLive(another.page);
  });

  test('[AUTH1 CON3] refuses a wrong password, and accepts the right one', async ({ openConsole }) => {
    const { page, expected } = await openConsole(url);
    await signIn(page, email, 'wrong horse battery staple');
    expect(await page.getByRole('alert').filter({ hasText: 'wrong' }).innerText()).toBe(
      'The e-mail or password is wrong.',
    );
    expected.push(REFUSED);
    await signIn(page, email);
    await untilLive(page);
    expect(await page.getByRole('heading', { level: 1 }).innerText()).toBe('Ready');
    expect(await page.locator('.account').innerText()).toContain('ann');
  });

  test('[CON3] leaves a cookie that scripts cannot read, and no token', async ({ openConsole }) => {
    const { page } = await openAs(openConsole, { url, email });
    expect(await page.evaluate(STORED)).toEqual(NO_TOKEN);
    const cookies = await page.context().cookies();
    const session = cookies.find(({ name }) => name === 'taskgraph_session');
    expect(session).toMatchObject({ httpOnly: true, secure: true, sameSite: 'Lax' });
    await page.reload();
    await untilLive(page);
  });

  test('[CON3] an address survives it', async ({ openConsole }) => {
    const { page } = await openAs(openConsole, { url, email, path: '/task/01890000-0000-7000-8000-000000000001' });
    expect(new URL(page.url()).pathname).toBe('/task/01890000-0000-7000-8000-000000000001');
    await page.getByRole('heading', { level: 2, name: 'No such task' }).waitFor();
  });

  test('[CON3 CAP1] offers neither registration nor mail if the service has none', async ({ openConsole }) => {
    const { page } = await openConsole(url, '/register');
    await page.getByText('Registration is off.').waitFor();
    // The page has the answer of the service now, and asks only once.
    await page.getByRole('link', { name: 'Back to sign in' }).click();
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
    expect(await page.getByRole('link').count()).toBe(0);
    await page.goto('/forgot');
    await page.getByText('This service does not send e-mail.').waitFor();
  });
});

describe('signing out', () => {
  test('[CON3] drops the graph and the cookie', async ({ openConsole }) => {
    const { page } = await openAs(openConsole, { url, email });
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByText('You are signed out.').waitFor();
    expect(await page.locator('.shell').count()).toBe(0);
    expect((await page.context().cookies()).map(({ name }) => name)).not.toContain('taskgraph_session');
    await page.reload();
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
  });

  test('[CON3 AUTH2] elsewhere, it ends the session here', async ({ openConsole }) => {
    const { page } = await openAs(openConsole, { url, email });
    const login = await fetch(`${url}/api/login`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ email, password: PASSWORD }),
    });
    const { session } = (await login.json()) as { session: string };
    const ended = await fetch(`${url}/api/session`, {
      method: 'DELETE',
      headers: { Authorization: `Bearer ${session}` },
    });
    expect(ended.status).toBe(200);
    await page.getByText('You are signed out.').waitFor();
    expect(await page.locator('.shell').count()).toBe(0);
  });
});
