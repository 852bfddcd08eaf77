// How accounts begin and end, against a running stack, a real SMTP server and a real OpenID Connect provider.
import { runAdmin } from '@taskgraph/testkit/admin';
import { startTestStack, type TestStack } from '@taskgraph/testkit/stack';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { call, dial, signIn } from './calling.testing.ts';
import { foundInLogs } from './logs.testing.ts';
import { linkIn, type Mailbox, openMailbox } from './mailbox.testing.ts';
import { cookieValue, openProvider, signInByProvider, type TestProvider } from './provider.testing.ts';

/** Where people reach the service, by way of what stands in front of it. */
const PUBLIC_URL = 'https://tasks.example.com';
const PASSWORD = 'correct horse battery staple';
const ADMIN = { email: 'root@example.com', password: 'the first administrator' };
const WAIT = { timeout: 15_000, interval: 25 };

let stack: TestStack;
let mailbox: Mailbox;
let provider: TestProvider;
let url = '';
let owner = '';
const secrets = [PASSWORD, ADMIN.password];

beforeAll(async () => {
  [mailbox, provider] = await Promise.all([openMailbox(), openProvider(PUBLIC_URL)]);
  stack = await startTestStack({
    environment: {
      // The first commands of a new database take long on a busy machine.
      ...{ COMMAND_DEADLINE_MS: '60000', LOG_LEVEL: 'debug' },
      ...{ HEADS_INTERVAL_MS: '1000', REGISTRATION: 'on', PUBLIC_URL },
      ...{ SMTP_URL: mailbox.url, MAIL_FROM: 'tasks@example.com' },
      ...{ ...provider.environment, OIDC_REGISTRATION: 'on' },
      ...{ TASKGRAPH_ADMIN_EMAIL: ADMIN.email, TASKGRAPH_ADMIN_PASSWORD: ADMIN.password },
    },
  });
  [url = ''] = stack.urls;
  owner = await stack.token('owner@example.com');
});
afterAll(async () => {
  await stack?.stop();
  await Promise.all([mailbox?.close(), provider?.close()]);
});

const register = (email: string, more: object = {}) =>
  call(url, 'POST', '/api/register', { body: { email, username: 'somebody', password: PASSWORD, ...more } });
const login = (email: string) => call(url, 'POST', '/api/login', { body: { email, password: PASSWORD } });
const refusal = (status: number, error: string) => ({ status, body: { ok: false, error } });

/** A node of another user that this e-mail is granted. */
async function shareWith(email: string): Promise<string> {
  const { body } = await call(url, 'POST', '/api/node', { token: owner, body: { title: 'shared' } });
  const id = (body as unknown as { diff: { nodes: { after: { id: string } }[] } }).diff.nodes[0]?.after.id ?? '';
  const grant = { id, email, level: 3, branch: true };
  expect(await call(url, 'POST', '/api/node/access', { token: owner, body: grant })).toMatchObject({ status: 200 });
  return id;
}

async function graphOf(token: string): Promise<string[]> {
  const { body } = await call(url, 'GET', '/api/graph', { token });
  return (body.nodes as { id: string }[]).map(({ id }) => id);
}

describe('registering', () => {
  test('[AUTH1 ACL4] the link in the mail makes the user, once, to whom what was granted to the e-mail shows from then on', async () => {
    const id = await shareWith('new@example.com');
    expect(await register('New@Example.com')).toMatchObject({ status: 200, body: { ok: true } });
    const mail = mailbox.mails.at(-1)!;
    expect(mail.to).toEqual(['new@example.com']);
    expect(await login('new@example.com')).toMatchObject(refusal(401, 'unauthorized'));
    const link = linkIn(mail);
    secrets.push(new URL(link, url).searchParams.get('token') ?? '');
    const broken = `${link.slice(0, -1)}${link.endsWith('A') ? 'B' : 'A'}`;
    expect(await call(url, 'GET', broken)).toMatchObject(refusal(404, 'not_found'));
    const verified = await call(url, 'GET', link);
    expect(verified).toMatchObject({ status: 200, body: { user: { email: 'new@example.com', username: 'somebody' } } });
    expect(await call(url, 'GET', link)).toMatchObject(refusal(404, 'not_found'));
    const session = await signIn(url, 'new@example.com', PASSWORD);
    secrets.push(session);
    expect(await graphOf(session)).toEqual([id]);
  });

  test('[AUTH1] the answer does not tell whether an e-mail is known; its owner is told by mail, and nothing changes', async () => {
    const shapeOf = ({ status, body: { trace_id: _differs, ...body } }: Awaited<ReturnType<typeof register>>) => ({
      ...{ status, body },
    });
    const unknown = shapeOf(await register('unknown@example.com'));
    expect(shapeOf(await register('owner@example.com'))).toEqual(unknown);
    expect(unknown).toEqual({ status: 200, body: { ok: true } });
    const mail = mailbox.mails.at(-1)!;
    expect(mail.to).toEqual(['owner@example.com']);
    expect(mail.text).toContain('has an account already');
    expect(() => linkIn(mail)).toThrow('no link');
    expect(await login('owner@example.com')).toMatchObject(refusal(401, 'unauthorized'));
  });

  test('[AUTH1] each link is of its own registration: a later one by somebody else changes nothing about it', async () => {
    await register('twice@example.com');
    const mine = linkIn(mailbox.mails.at(-1)!);
    await register('twice@example.com', { password: 'what somebody else has chosen' });
    const other = linkIn(mailbox.mails.at(-1)!);
    const token = new URL(mine, url).searchParams.get('token');
    expect(await call(url, 'POST', '/api/register/verify', { body: { token } })).toMatchObject({ status: 200 });
    expect(await call(url, 'GET', other)).toMatchObject(refusal(404, 'not_found'));
    await signIn(url, 'twice@example.com', PASSWORD);
  });

  test.each([
    ['a short password', { password: 'too short' }, 'bad_request.invalid_password'],
    ['a long password', { password: 'x'.repeat(1_001) }, 'bad_request.invalid_password'],
    ['no e-mail', { email: 'nobody' }, 'bad_request.invalid_email'],
    ['two e-mails', { email: 'a@example.com, b@example.com' }, 'bad_request.invalid_email'],
    ['a name of two lines', { username: 'two\nlines' }, 'bad_request.invalid_username'],
    ['a right', { admin: true }, 'bad_request.immutable_field'],
  ])('[AUTH1] with %s nothing is registered', async (_what, more, error) => {
    expect(await register('fine@example.com', more)).toMatchObject(refusal(400, error));
  });
});

describe('[AUTH1] a provider', () => {
  const person = (sub: string, more: object = {}) => {
    provider.person = { sub, email: `${sub}@example.com`, email_verified: true, preferred_username: sub, ...more };
  };

  test('signs somebody in whom it knows: an account is made, and found again whatever the e-mail becomes', async () => {
    const id = await shareWith('eve@example.com');
    person('eve');
    const back = await signInByProvider(url, PUBLIC_URL);
    expect(back).toMatchObject({
      status: 303,
      location: `${PUBLIC_URL}/`,
      cookies: { '__Host-taskgraph_sign_in': expect.stringMatching(/^;/) },
    });
    const session = cookieValue(back.cookies['__Host-taskgraph_session']);
    secrets.push(session);
    const me = async (token: string) => (await call(url, 'GET', '/api/me', { token })).body.user;
    expect(await me(session)).toMatchObject({ email: 'eve@example.com', username: 'eve', admin: false });
    expect(await graphOf(session)).toEqual([id]);
    person('eve', { email: 'eve.changed@example.com' });
    const again = cookieValue((await signInByProvider(url, PUBLIC_URL)).cookies['__Host-taskgraph_session']);
    expect(await me(again)).toEqual(await me(session));
  });

  test('does not hand an account to another identity, nor one for an e-mail that is not verified', async () => {
    person('eve-again', { email: 'eve@example.com' });
    expect(await signInByProvider(url, PUBLIC_URL)).toMatchObject(refusal(403, 'forbidden.identity'));
    person('mallory', { email: 'owner@example.com', email_verified: false });
    expect(await signInByProvider(url, PUBLIC_URL)).toMatchObject(refusal(403, 'forbidden.email_unverified'));
  });

  test('is believed only where the same browser has begun here', async () => {
    const begun = await call(url, 'GET', '/api/oidc/login');
    const state = new URL(begun.location ?? '').searchParams.get('state');
    const back = `/api/oidc/callback?code=x&state=${state}`;
    expect(await call(url, 'GET', back)).toMatchObject(refusal(401, 'unauthorized'));
    const cookie = `__Host-taskgraph_sign_in=${cookieValue(begun.cookies['__Host-taskgraph_sign_in'])}`;
    expect(await call(url, 'GET', back, { headers: { cookie } })).toMatchObject(refusal(401, 'unauthorized'));
    const other = back.replace(`${state}`, 'another');
    expect(await call(url, 'GET', other, { headers: { cookie } })).toMatchObject(refusal(401, 'unauthorized'));
  });
});

describe('[AUTH1] administrators', () => {
  test('the first one comes from the environment, pages through users, and disables them', async () => {
    const [admin, victim] = [
      await signIn(url, ADMIN.email, ADMIN.password),
      await signIn(url, 'new@example.com', PASSWORD),
    ];
    secrets.push(admin, victim);
    const listed: { id: string; email: string }[] = [];
    for (let next: unknown = ''; next !== null; ) {
      const query = next === '' ? '?limit=2' : `?limit=2&after=${next}`;
      const { body } = await call(url, 'GET', `/api/admin/users${query}`, { token: admin });
      listed.push(...(body.users as typeof listed));
      next = body.next;
    }
    expect(listed.map(({ email }) => email)).toEqual(expect.arrayContaining([ADMIN.email, 'new@example.com']));
    expect(listed.map(({ id }) => id)).toEqual(listed.map(({ id }) => id).toSorted());
    expect(JSON.stringify(listed)).not.toContain('argon2');
    const id = listed.find(({ email }) => email === 'new@example.com')?.id;
    const disable = (token: string, disabled: boolean) =>
      call(url, 'PUT', '/api/admin/user', { token, body: { id, disabled } });
    expect(await disable(victim, true)).toMatchObject(refusal(403, 'forbidden'));
    const line = await dial(url, { api_token: victim });
    expect(await disable(admin, true)).toMatchObject({ status: 200 });
    await expect.poll(() => line.closed?.reason, WAIT).toBe('io server disconnect');
    expect(await call(url, 'GET', '/api/me', { token: victim })).toMatchObject(refusal(401, 'unauthorized'));
    expect(await login('new@example.com')).toMatchObject(refusal(401, 'unauthorized'));
    expect(await disable(admin, false)).toMatchObject({ status: 200 });
    expect(await call(url, 'GET', '/api/me', { token: victim })).toMatchObject(refusal(401, 'unauthorized'));
    expect(await login('new@example.com')).toMatchObject({ status: 200 });
  });

  test.each([
    ['when told', {}],
    ['when the word of it gets lost, by the next look at tokens', { NATS_URL: '' }],
  ])('npm run user disables a user, and gateways close the sockets %s', async (_how, environment) => {
    const token = await stack.token('gone@example.com');
    const line = await dial(url, { api_token: token });
    const option = (name: string) => runAdmin(stack, 'user', ['--email', 'gone@example.com', name], environment);
    expect(await option('--disable')).toMatchObject({ code: 0 });
    await expect.poll(() => line.closed?.reason, WAIT).toBe('io server disconnect');
    await expect(dial(url, { api_token: token })).rejects.toMatchObject({ message: 'unauthorized' });
    expect(await option('--enable')).toMatchObject({ code: 0 });
    // Gateways remember for a second that the token opened nothing.
    const status = async () => (await call(url, 'GET', '/api/me', { token })).status;
    await expect.poll(status, WAIT).toBe(200);
  });
});

test('[AUTH1] no log holds a session, a link, a password or the hash of one', () => {
  expect(foundInLogs(stack.logFolder, [...secrets, mailbox.url])).toEqual([]);
});
