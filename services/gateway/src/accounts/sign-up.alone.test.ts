// Creation and end of accounts on a running stack, with a real SMTP server and a real OpenID
// Connect provider.
import { openProvider, type TestProvider } from '@taskgraph/testkit/accounts/openid-provider';
import { runAdmin } from '@taskgraph/testkit/stack/admin';
import { startTestStack, type TestStack } from '@taskgraph/testkit/stack/stack';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { call, dial, signIn } from '../test/support/account-calls.ts';
import { auditLines, foundInLogs } from '../test/support/logs.ts';
import { linkIn, type Mailbox, openMailbox, type Received } from '../test/support/mailbox.ts';
import { cookieValue, signInByProvider } from '../test/support/provider-sign-in.ts';

/** The public URL of the service, through its proxy. */
const PUBLIC_URL = 'https://tasks.example.com';
const PASSWORD = 'correct horse battery staple';
const ADMIN = { email: 'root@example.com', password: 'the first administrator' };
const WAIT = { timeout: 120_000, interval: 25 };

let stack: TestStack;
let mailbox: Mailbox;
let provider: TestProvider;
let url = '';
let owner = '';
const secrets = [PASSWORD, ADMIN.password];

beforeAll(async () => {
  [mailbox, provider] = await Promise.all([openMailbox(), openProvider(PUBLIC_URL)]);
  stack = await startTestStack({
    workers: 1,
    environment: {
      // The first commands of a new database take long on a busy machine.
      COMMAND_DEADLINE_MS: '60000',
      LOG_LEVEL: 'debug',
      HEADS_INTERVAL_MS: '1000',
      REGISTRATION: 'on',
      PUBLIC_URL,
      SMTP_URL: mailbox.url,
      MAIL_FROM: 'tasks@example.com',
      ...provider.environment,
      OIDC_REGISTRATION: 'on',
      TASKGRAPH_ADMIN_EMAIL: ADMIN.email,
      TASKGRAPH_ADMIN_PASSWORD: ADMIN.password,
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
  call(url, 'POST', '/api/register', { body: { email, username: 'somebody', ...more } });
const verify = (token: string, password = PASSWORD) =>
  call(url, 'POST', '/api/register/verify', { body: { token, password } });
const forgot = (email: string) => call(url, 'POST', '/api/password/forgot', { body: { email } });
const reset = (token: string, password: string, more: object = {}) =>
  call(url, 'POST', '/api/password/reset', { body: { token, password, ...more } });
const login = (email: string, password = PASSWORD) => call(url, 'POST', '/api/login', { body: { email, password } });
/** The part behind the `#` of a mailed link. */
function tokenIn(mail: Received): string {
  const token = new URLSearchParams(new URL(linkIn(mail), url).hash.slice(1)).get('token') ?? '';
  secrets.push(token);
  return token;
}
/** A mail comes after the answer that it must not slow down. */
async function nextMail(count: number): Promise<Received> {
  await expect.poll(() => mailbox.mails.length, WAIT).toBe(count + 1);
  return mailbox.mails[count]!;
}
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
  test('[AUTH1 ACL4] the mailed link creates the user once, and the user then sees the grants to the e-mail', async () => {
    const id = await shareWith('new@example.com');
    expect(await register('New@Example.com')).toMatchObject({ status: 200, body: { ok: true } });
    const mail = mailbox.mails.at(-1)!;
    expect(mail.to).toEqual(['new@example.com']);
    expect(await login('new@example.com')).toMatchObject(refusal(401, 'unauthorized'));
    const token = tokenIn(mail);
    expect(await verify(`x${token}`)).toMatchObject(refusal(404, 'not_found'));
    const verified = await verify(token);
    expect(verified).toMatchObject({ status: 200, body: { user: { email: 'new@example.com', username: 'somebody' } } });
    expect(await verify(token)).toMatchObject(refusal(404, 'not_found'));
    const session = await signIn(url, 'new@example.com', PASSWORD);
    secrets.push(session);
    expect(await graphOf(session)).toEqual([id]);
  });

  test('[AUTH4] opening the link changes nothing, also when mail scanners do so; its page loads nothing', async () => {
    await register('scanned@example.com');
    const mail = mailbox.mails.at(-1)!;
    const link = new URL(linkIn(mail), url);
    // The part that servers, proxies and their logs see of it.
    expect(link.search).toBe('');
    for (const method of ['GET', 'GET', 'HEAD']) {
      const response = await fetch(url + link.pathname, { method });
      if (method === 'HEAD') continue;
      expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
      const policy = response.headers.get('content-security-policy') ?? '';
      expect(policy).toContain("default-src 'none'");
      expect(policy).not.toMatch(/https?:|unsafe|\*/);
      expect(await response.text()).not.toMatch(/(src|href|action)=|https?:/);
    }
    expect(await login('scanned@example.com')).toMatchObject(refusal(401, 'unauthorized'));
    // As the page sends it, with the browser's headers.
    const headers = { origin: PUBLIC_URL, 'sec-fetch-site': 'same-origin' };
    const body = { token: tokenIn(mail), password: PASSWORD };
    expect(await call(url, 'POST', link.pathname, { body, headers })).toMatchObject({ status: 200 });
    await signIn(url, 'scanned@example.com', PASSWORD);
  });

  test('[AUTH4] a registration with another person’s e-mail gives no access: only the reader of the link chooses the password', async () => {
    expect(await register('victim@example.com', { password: 'what the attacker has chosen' })).toMatchObject(
      refusal(400, 'bad_request.unknown_field'),
    );
    await register('victim@example.com');
    const token = tokenIn(mailbox.mails.at(-1)!);
    expect(await verify(token, 'password123')).toMatchObject(refusal(400, 'bad_request.common_password'));
    expect(await verify(token, 'victim@example.com')).toMatchObject(refusal(400, 'bad_request.common_password'));
    expect(await verify(token, 'short')).toMatchObject(refusal(400, 'bad_request.invalid_password'));
    expect(await verify(token)).toMatchObject({ status: 200 });
    await signIn(url, 'victim@example.com', PASSWORD);
  });

  test('[AUTH1] the answer does not reveal whether an e-mail is known; its owner gets a mail, and nothing changes', async () => {
    const shapeOf = ({ status, body: { trace_id: _differs, ...body } }: Awaited<ReturnType<typeof register>>) => ({
      status,
      body,
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

  test('[AUTH1] each link belongs to its registration: a later registration does not change it', async () => {
    await register('twice@example.com');
    const mine = tokenIn(mailbox.mails.at(-1)!);
    await register('twice@example.com', { username: 'somebody else' });
    const other = tokenIn(mailbox.mails.at(-1)!);
    expect(await verify(mine)).toMatchObject({ status: 200, body: { user: { username: 'somebody' } } });
    expect(await verify(other)).toMatchObject(refusal(404, 'not_found'));
    await signIn(url, 'twice@example.com', PASSWORD);
  });

  test.each([
    ['a password', { password: PASSWORD }, 'bad_request.unknown_field'],
    ['no e-mail', { email: 'nobody' }, 'bad_request.invalid_email'],
    ['two e-mails', { email: 'a@example.com, b@example.com' }, 'bad_request.invalid_email'],
    ['a name of two lines', { username: 'two\nlines' }, 'bad_request.invalid_username'],
    ['a right', { admin: true }, 'bad_request.immutable_field'],
  ])('[AUTH1] a registration with %s is refused', async (_what, more, error) => {
    expect(await register('fine@example.com', more)).toMatchObject(refusal(400, error));
  });
});

describe('[AUTH4] a forgotten password', () => {
  const OTHER = 'another horse altogether';

  test('is replaced by a link that is mailed only to the account, is valid once, and ends all sessions', async () => {
    const email = 'scanned@example.com';
    const session = await signIn(url, email, PASSWORD);
    secrets.push(session, OTHER);
    const line = await dial(url, { api_token: session });
    const count = mailbox.mails.length;
    const answers = [await forgot('nobody@example.com'), await forgot(email)];
    for (const { body } of answers) expect(Object.keys(body).sort()).toEqual(['ok', 'trace_id']);
    const mail = await nextMail(count);
    expect(mail.to).toEqual([email]);
    const token = tokenIn(mail);
    expect(await reset(token, 'password123')).toMatchObject(refusal(400, 'bad_request.common_password'));
    expect(await reset(`x${token}`, OTHER)).toMatchObject(refusal(404, 'not_found'));
    expect((await fetch(url + new URL(linkIn(mail), url).pathname)).status).toBe(200);
    expect(await login(email)).toMatchObject({ status: 200 });
    expect(await reset(token, OTHER)).toMatchObject({
      status: 200,
      cookies: { '__Host-taskgraph_device': expect.any(String) },
    });
    expect(await reset(token, PASSWORD)).toMatchObject(refusal(404, 'not_found'));
    await expect.poll(() => line.closed?.reason, WAIT).toBe('io server disconnect');
    expect(await call(url, 'GET', '/api/me', { token: session })).toMatchObject(refusal(401, 'unauthorized'));
    expect(await login(email)).toMatchObject(refusal(401, 'unauthorized'));
    expect(await login(email, OTHER)).toMatchObject({ status: 200 });
  });

  test('a reset for a known and an unknown account takes the same time and gets the same answer', async () => {
    const [unknown, known]: [number[], number[]] = [[], []];
    for (let round = 0; round < 15; round++) {
      for (const [email, times] of [
        [`nobody${round}@example.com`, unknown],
        ['twice@example.com', known],
      ] as const) {
        const startedMs = performance.now();
        expect(await forgot(email)).toMatchObject({ status: 200, body: { ok: true } });
        times.push(performance.now() - startedMs);
      }
    }
    const median = (times: number[]) => times.toSorted((a, b) => a - b)[7] ?? 0;
    // Looking the account up and handing a mail to the server takes several times as long as the
    // answer.
    expect(median(known) / median(unknown)).toBeLessThan(2);
  });
});

describe('[AUTH1] a provider', () => {
  const person = (sub: string, more: object = {}) => {
    provider.person = { sub, email: `${sub}@example.com`, email_verified: true, preferred_username: sub, ...more };
  };

  test('signs users in: an account is created, and found again after a change of e-mail', async () => {
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

  test('[AUTH4] ends a password and a session from before the first sign-in', async () => {
    const email = 'early@example.com';
    await register(email);
    await verify(tokenIn(mailbox.mails.at(-1)!));
    const early = await signIn(url, email, PASSWORD);
    secrets.push(early);
    const line = await dial(url, { api_token: early });
    person('early');
    const session = cookieValue((await signInByProvider(url, PUBLIC_URL)).cookies['__Host-taskgraph_session']);
    secrets.push(session);
    await expect.poll(() => line.closed?.reason, WAIT).toBe('io server disconnect');
    expect(await login(email)).toMatchObject(refusal(401, 'unauthorized'));
    expect(await call(url, 'GET', '/api/me', { token: session })).toMatchObject({ body: { user: { email } } });
  });

  test('does not give an account to another identity, or an unverified e-mail', async () => {
    person('eve-again', { email: 'eve@example.com' });
    expect(await signInByProvider(url, PUBLIC_URL)).toMatchObject(refusal(403, 'forbidden.identity'));
    person('mallory', { email: 'owner@example.com', email_verified: false });
    expect(await signInByProvider(url, PUBLIC_URL)).toMatchObject(refusal(403, 'forbidden.email_unverified'));
  });

  test('is accepted only in the browser that began the sign-in', async () => {
    const begun = await call(url, 'GET', '/api/oidc/login');
    const state = new URL(begun.location ?? '').searchParams.get('state');
    const back = `/api/oidc/callback?code=x&state=${state}`;
    expect(await call(url, 'GET', back)).toMatchObject(refusal(401, 'unauthorized'));
    const cookie = `__Host-taskgraph_sign_in=${cookieValue(begun.cookies['__Host-taskgraph_sign_in'])}`;
    expect(await call(url, 'GET', back, { headers: { cookie } })).toMatchObject(refusal(401, 'unauthorized'));
    const other = back.replace(`${state}`, 'another');
    expect(await call(url, 'GET', other, { headers: { cookie } })).toMatchObject(refusal(401, 'unauthorized'));
  });

  test('[CON43] a refusal leads a browser to the sign-in form, and other requests get it as JSON', async () => {
    const html = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
    const hostile =
      '/api/oidc/callback?error=access_denied&error_description=%3Cb%3E&state=x&redirect=https://evil.example';
    const refused = await call(url, 'GET', hostile, { headers: html });
    expect(refused).toMatchObject({ status: 303, location: '/signin#refused=unauthorized', cookies: {} });
    expect(JSON.stringify(refused.body)).not.toMatch(/evil|<b>/);
    for (const accept of ['application/json', '*/*']) {
      const plain = await call(url, 'GET', hostile, { headers: { accept } });
      expect(plain).toMatchObject({ ...refusal(401, 'unauthorized'), location: null });
    }
  });
});

describe('[AUTH1] administrators', () => {
  test('the first one is configured by the environment, pages through users, and disables them', async () => {
    const [admin, victim] = [
      await signIn(url, ADMIN.email, ADMIN.password),
      await signIn(url, 'new@example.com', PASSWORD),
    ];
    secrets.push(admin, victim);
    const listed: { id: string; email: string }[] = [];
    // There are few: this file runs before all others on the database (vitest.config.ts).
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
    ['after the control message', {}],
    ['after a lost control message, by the next check of tokens', { NATS_URL: '' }],
  ])('npm run user disables a user, and gateways close the sockets %s', async (_how, environment) => {
    const token = await stack.token('gone@example.com');
    const line = await dial(url, { api_token: token });
    const option = (name: string) => runAdmin(stack, 'user', ['--email', 'gone@example.com', name], environment);
    const disabled = await option('--disable');
    expect(disabled).toMatchObject({ code: 0, output: expect.stringContaining('"event":"admin:user"') });
    await expect.poll(() => line.closed?.reason, WAIT).toBe('io server disconnect');
    await expect(dial(url, { api_token: token })).rejects.toMatchObject({ message: 'unauthorized' });
    expect(await option('--enable')).toMatchObject({ code: 0 });
    // Gateways remember for a second that the token opened nothing.
    const status = async () => (await call(url, 'GET', '/api/me', { token })).status;
    await expect.poll(status, WAIT).toBe(200);
  });
});

test('[AUTH4] the audit log has a line for each kind of event, with actor, action, address and trace', async () => {
  const email = 'twice@example.com';
  const session = await signIn(url, email, PASSWORD);
  const own = { token: session };
  const made = async (path: string, body: object) =>
    (await call(url, 'POST', path, { ...own, body })).body as unknown as { token: { id: string }; plaintext: string };
  const first = await made('/api/token', { name: 'script' });
  const next = await made('/api/token/rotate', { id: first.token.id });
  secrets.push(session, first.plaintext, next.plaintext);
  await call(url, 'DELETE', '/api/token', { ...own, body: { id: next.token.id } });
  const id = await shareWith(email);
  const published = await call(url, 'POST', '/api/node/public', { token: owner, body: { id } });
  const { nodes } = (published.body as unknown as { diff: { nodes: { after: { publicToken: string } }[] } }).diff;
  secrets.push(nodes[0]?.after.publicToken ?? 'no public token');
  await call(url, 'POST', '/api/node/public', { ...own, body: { id } });
  const line = await dial(url, { api_token: owner });
  expect(await line.socket.emitWithAck('node:unpublish', { id })).toMatchObject({ ok: true });
  const others = await call(url, 'DELETE', '/api/session', { ...own, body: {} });
  const password = 'yet another horse of mine';
  secrets.push(password);
  const changed = await call(url, 'PUT', '/api/password', { ...own, body: { current: PASSWORD, password } });
  const out = await call(url, 'POST', '/api/logout', own);
  for (const { status } of [published, others, changed, out]) expect(status).toBe(200);
  const user = expect.objectContaining({ email });
  const fixed = { audit: true, from: '127.0.0.1', traceId: expect.stringMatching(/^[0-9a-f]{32}$/) };
  for (const [event, outcome, who, what] of [
    ['sign-in', 'ok', user, { by: 'password', email }],
    ['sign-in', 'ok', expect.objectContaining({ email: 'eve@example.com' }), { by: 'provider' }],
    ['sign-in', 'unauthorized', null, { by: 'password', email: 'scanned@example.com' }],
    ['sign-in', 'forbidden.email_unverified', null, { by: 'provider' }],
    ['sign-out', 'ok', user, { sessionId: expect.any(String) }],
    ['session:end', 'ok', user, { others: true }],
    ['register', 'ok', null, { email }],
    ['register:verify', 'ok', user, { email }],
    ['register:verify', 'not_found', null, {}],
    ['password:change', 'ok', user, { endTokens: false }],
    ['password:forgot', 'ok', null, { email: 'nobody@example.com' }],
    ['password:reset', 'ok', expect.objectContaining({ email: 'scanned@example.com' }), { endTokens: false }],
    ['token:create', 'ok', user, { tokenId: first.token.id, name: 'script' }],
    ['token:rotate', 'ok', user, { tokenId: first.token.id, nextId: next.token.id }],
    ['token:revoke', 'ok', user, { tokenId: next.token.id }],
    ['grant', 'ok', expect.objectContaining({ email: 'owner@example.com' }), { nodeId: id, email, change: 'granted' }],
    ['publication', 'ok', expect.anything(), { nodeId: id, call: 'node:publish', change: 'published' }],
    ['publication', 'forbidden', user, { nodeId: id, call: 'node:publish' }],
    ['publication', 'ok', expect.anything(), { nodeId: id, call: 'node:unpublish', change: 'ended' }],
    ['admin:user', 'ok', expect.objectContaining({ email: ADMIN.email }), { disabled: true }],
    ['admin:user', 'forbidden', expect.anything(), { disabled: true }],
  ] as const) {
    const expected = { ...fixed, event, outcome, who, what: expect.objectContaining(what) };
    // A line may be written a moment after its answer.
    const lines = () => auditLines(stack.logFolder);
    await expect
      .poll(lines, { ...WAIT, message: `${event} ${outcome}` })
      .toContainEqual(expect.objectContaining(expected));
  }
  const mailed = { event: 'password:mail', what: { email: 'scanned@example.com' }, outcome: 'ok' };
  expect(auditLines(stack.logFolder)).toContainEqual(expect.objectContaining(mailed));
});

test('[AUTH1 AUTH4] no log holds a session, a link, a password or the hash of one', () => {
  expect(foundInLogs(stack.logFolder, [...secrets, mailbox.url])).toEqual([]);
});
