// The limits of accounts over REST to two gateways, with and without a shared count. Rules: AUTH1,
// AUTH2, LIM1, LIM2, LIM3.

import { runAdmin } from '@taskgraph/testkit/stack/admin';
import { connectRawSocket } from '@taskgraph/testkit/stack/raw-socket';
import { startTestStack, type TestStack } from '@taskgraph/testkit/stack/stack';
import { emailOf } from '@taskgraph/testkit/stack/users';
import { definedFields } from '@taskgraph/wire/defined-fields';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { signIn } from '../test/support/account-calls.ts';
import { restCall, socketCall } from '../test/support/calls.ts';
import { type Mailbox, openMailbox } from '../test/support/mailbox.ts';

const PASSWORD = 'correct horse battery staple';
const LOGIN_POINTS = 10;
const MAIL_POINTS = 3;
const REST_POINTS = 40;
const BOT_POINTS = 3;
const UNKNOWN_ID = '01890000-0000-7123-8000-000000000002';

let stack: TestStack;
let addresses = 0;
let mailbox: Mailbox;

beforeAll(async () => {
  const limits = { TASKGRAPH_LIMITS: 'on', TRUSTED_PROXIES: '127.0.0.1', LIMIT_REST: `${REST_POINTS}/3600` };
  // The first commands of a new database take long on a busy machine.
  mailbox = await openMailbox();
  const environment = {
    ...limits,
    LIMIT_LOGIN: `${LOGIN_POINTS}/600`,
    LIMIT_MAIL: `${MAIL_POINTS}/86400`,
    LIMIT_BOT_CREATE: `${BOT_POINTS}/86400`,
    COMMAND_DEADLINE_MS: '60000',
    REGISTRATION: 'on',
    PUBLIC_URL: 'https://tasks.example.com',
    SMTP_URL: mailbox.url,
    MAIL_FROM: 'tasks@example.com',
  };
  stack = await startTestStack({ gateways: 2, workers: 1, environment });
  for (const name of ['ann', 'bob', 'carol', 'dan', 'eve', 'fay', 'gil']) {
    const { code, output } = await runAdmin(stack, 'user', ['--email', emailOf(name), '--password', PASSWORD]);
    expect(code, output).toBe(0);
  }
});
afterAll(async () => {
  await stack?.stop();
  await mailbox?.close();
});

interface Got {
  readonly status: number;
  readonly error: unknown;
  readonly limit: unknown;
  readonly headers: Headers;
}

/** An address without earlier calls. */
const newAddress = () => `198.51.100.${addresses++}`;

/** One request to one of the gateways, in turn. */
async function send(
  method: string,
  path: string,
  { from = newAddress(), token, body, cookie }: { from?: string; token?: string; body?: object; cookie?: string } = {},
): Promise<Got> {
  const response = await fetch((stack.urls[addresses % 2] as string) + path, {
    method,
    redirect: 'manual',
    headers: {
      'X-Forwarded-For': from,
      ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...definedFields({ cookie }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const { error, details } = (await response.json()) as { error?: string; details?: { limit?: string } };
  return { status: response.status, error, limit: details?.limit, headers: response.headers };
}

const login = (email: string, from?: string, password = 'a wrong password') =>
  send('POST', '/api/login', { body: { email, password }, ...definedFields({ from }) });

async function statusesOf(count: number, call: (index: number) => Promise<Got>): Promise<number[]> {
  const statuses: number[] = [];
  for (let index = 0; index < count; index++) statuses.push((await call(index)).status);
  return statuses;
}

const times = (count: number, status: number) => Array<number>(count).fill(status);

function expectLimited(got: Got, limit: string, points: number): void {
  expect(got).toMatchObject({ status: 429, error: 'rate_limited', limit });
  const [retry, ...left] = ['retry-after', 'ratelimit-limit', 'ratelimit-remaining'].map((name) =>
    got.headers.get(name),
  );
  expect(Number(retry)).toBeGreaterThan(0);
  expect(left).toEqual([String(points), '0']);
}

test('[AUTH1 LIM2 LIM3] ten logins are accepted from an address, for any accounts; further ones get the time of the next attempt', async () => {
  const from = newAddress();
  const statuses = await statusesOf(LOGIN_POINTS, (index) => login(emailOf(`nobody${index}`), from));
  expect(statuses).toEqual(times(LOGIN_POINTS, 401));
  expectLimited(await login(emailOf('ann'), from, PASSWORD), 'login', LOGIN_POINTS);
  expect(await login(emailOf('ann'), newAddress(), PASSWORD)).toMatchObject({ status: 200 });
});

test('[AUTH1 LIM2 LIM3] ten logins are accepted for an account, from any addresses; then the right password is refused too', async () => {
  expect(await statusesOf(LOGIN_POINTS, () => login(emailOf('Bob')))).toEqual(times(LOGIN_POINTS, 401));
  expectLimited(await login(emailOf('bob'), newAddress(), PASSWORD), 'login', LOGIN_POINTS);
  expect(await login(emailOf('ann'), newAddress(), PASSWORD)).toMatchObject({ status: 200 });
});

/** Signs in from a new address, and gives the cookie by which a browser is known from then on. */
async function knownDevice(email: string, cookie?: string): Promise<string> {
  const { status, headers } = await send('POST', '/api/login', {
    body: { email, password: PASSWORD },
    ...definedFields({ cookie }),
  });
  expect(status).toBe(200);
  const [line = ''] = headers.getSetCookie().filter((each) => each.includes('taskgraph_device='));
  expect(line).toMatch(/; Max-Age=31536000; Path=\/; HttpOnly; Secure; SameSite=Lax$/);
  return line.split(';')[0] ?? '';
}

test('[AUTH4] guesses by strangers do not lock out users on a device where they have signed in before; it has a separate share', async () => {
  const [known, another] = [await knownDevice(emailOf('eve')), await knownDevice(emailOf('fay'))];
  const both = await knownDevice(emailOf('fay'), known);
  // The sign-in above counts for eve, since the device was not known yet.
  const guesses = await statusesOf(LOGIN_POINTS - 1, () => login(emailOf('eve')));
  expect(guesses).toEqual(times(LOGIN_POINTS - 1, 401));
  const attempt = (cookie: string, password = PASSWORD) =>
    send('POST', '/api/login', { cookie, body: { email: emailOf('eve'), password } });
  expectLimited(await login(emailOf('eve'), newAddress(), PASSWORD), 'login', LOGIN_POINTS);
  // Neither does it help to be known for somebody else's account, or to make up a device.
  for (const cookie of [another, `${known}x`, known.replace(/=.{12}/, '=AAAAAAAAAAAA')]) {
    expectLimited(await attempt(cookie), 'login', LOGIN_POINTS);
  }
  for (const cookie of [known, both, known]) expect(await attempt(cookie)).toMatchObject({ status: 200 });
  const wrong = await statusesOf(LOGIN_POINTS - 3, () => attempt(known, 'a wrong password'));
  expect(wrong).toEqual(times(LOGIN_POINTS - 3, 401));
  expectLimited(await attempt(known), 'login', LOGIN_POINTS);
});

test('[AUTH4 LIM1] mails to one address are limited each day, for known and unknown addresses, over both gateways and both ways', async () => {
  for (const email of [emailOf('bob'), emailOf('unknown')]) {
    const before = mailbox.mails.length;
    const register = () => send('POST', '/api/register', { body: { email, username: 'somebody' } });
    const forgot = () => send('POST', '/api/password/forgot', { body: { email } });
    expect(await statusesOf(MAIL_POINTS, (index) => (index % 2 === 0 ? forgot() : register()))).toEqual(
      times(MAIL_POINTS, 200),
    );
    for (const more of [forgot, register]) expectLimited(await more(), 'mail', MAIL_POINTS);
    // A reset link is mailed to an account alone.
    const mails = email === emailOf('bob') ? MAIL_POINTS : 1;
    await expect.poll(() => mailbox.mails.length - before).toBe(mails);
    for (const { to } of mailbox.mails.slice(before)) expect(to).toEqual([email]);
  }
});

test('[AUTH1 LIM1] changing a password counts as a login to the same account', async () => {
  const token = await signIn(stack.urls[0] as string, emailOf('carol'), PASSWORD);
  const change = (more: object = {}) =>
    send('PUT', '/api/password', { token, body: { current: 'a wrong one', password: 'another password', ...more } });
  expect(await statusesOf(LOGIN_POINTS - 1, () => change())).toEqual(times(LOGIN_POINTS - 1, 403));
  expectLimited(await change(), 'login', LOGIN_POINTS);
  // Naming another account does not help.
  expectLimited(await change({ email: emailOf('nobody') }), 'login', LOGIN_POINTS);
  expectLimited(await login(emailOf('carol'), newAddress(), PASSWORD), 'login', LOGIN_POINTS);
});

test('[AUTH1 LIM1] signing in by a provider counts as a login from the same address, to it and back', async () => {
  const from = newAddress();
  const paths = ['/api/oidc/login', '/api/oidc/callback?code=x&state=y'];
  const statuses = await statusesOf(LOGIN_POINTS, (index) => send('GET', paths[index % 2] as string, { from }));
  expect(statuses).toEqual(times(LOGIN_POINTS, 404));
  for (const path of paths) expectLimited(await send('GET', path, { from }), 'login', LOGIN_POINTS);
  expectLimited(await login(emailOf('ann'), from, PASSWORD), 'login', LOGIN_POINTS);
});

test('[LIM1] a user’s calls of accounts and of the graph count together', async () => {
  const token = await signIn(stack.urls[0] as string, emailOf('dan'), PASSWORD);
  const paths = ['/api/me', '/api/token', '/api/graph', '/api/admin/users'];
  const statuses = await statusesOf(REST_POINTS, (index) => send('GET', paths[index % 4] as string, { token }));
  expect(statuses).toEqual(Array.from({ length: REST_POINTS }, (_, index) => (index % 4 === 3 ? 403 : 200)));
  for (const path of paths) expectLimited(await send('GET', path, { token }), 'rest', REST_POINTS);
  expectLimited(await send('POST', '/api/logout', { token, body: {} }), 'rest', REST_POINTS);
});

test('[AUTH2 LIM1] a read-only token reads and changes nothing, over REST and sockets, and receives its limits', async () => {
  const session = await signIn(stack.urls[0] as string, emailOf('ann'), PASSWORD);
  const { token, plaintext } = await makeReadOnly(session);
  expect(token.readOnly).toBe(true);
  const socket = await connectRawSocket(stack.urls[1] as string, { auth: { api_token: plaintext } });
  try {
    for (const call of [restCall(stack.urls[0] as string, plaintext), socketCall(socket)]) {
      for (const [event, payload] of [
        ['node:add', { title: 'a' }],
        ['node:update', { id: UNKNOWN_ID, title: 'a' }],
        ['link:add', { source: UNKNOWN_ID, target: UNKNOWN_ID.replace('7123', '7124') }],
        ['node:access', { id: UNKNOWN_ID, email: emailOf('bob') }],
        ['node:publish', { id: UNKNOWN_ID }],
        ['batch:undo', { batchId: UNKNOWN_ID }],
      ] as const) {
        expect((await call(event, payload)).body).toMatchObject({ ok: false, error: 'forbidden.read_only' });
      }
      for (const event of ['graph:get', 'trash:page']) expect((await call(event, {})).body).toMatchObject({ ok: true });
    }
    const me = await send('GET', '/api/me', { token: plaintext });
    expect(me.status).toBe(200);
    expect(Number(me.headers.get('ratelimit-remaining'))).toBeLessThan(REST_POINTS);
    expect(await send('POST', '/api/token', { token: plaintext, body: {} })).toMatchObject({
      status: 403,
      error: 'forbidden.session_required',
    });
  } finally {
    socket.close();
  }
});

async function makeReadOnly(session: string) {
  const response = await fetch(`${stack.urls[0]}/api/token`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${session}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ name: 'reader', readOnly: true }),
  });
  return (await response.json()) as { token: { readOnly: boolean }; plaintext: string };
}

test('a plain request to the socket path is an unknown path, with the usual headers and limits', async () => {
  const got = await send('GET', '/ext-socket.io/?EIO=4&transport=polling');
  expect(got).toMatchObject({ status: 404, error: 'not_found' });
  expect(got.headers.get('content-security-policy')).toBe("default-src 'none'; frame-ancestors 'none'");
  expect(got.headers.get('ratelimit-limit')).toBe(String(REST_POINTS));
});

test('[BOT1 LIM1] the calls of a bot count as those of its maintainer, and creating bots has a bound for a day', async () => {
  const session = await signIn(stack.urls[0] as string, emailOf('gil'), PASSWORD);
  const own = { token: session };
  const json = async (path: string, body: object) =>
    (await (
      await fetch((stack.urls[0] as string) + path, {
        method: 'POST',
        headers: { Authorization: `Bearer ${session}`, 'Content-Type': 'application/json' },
        body: JSON.stringify(body),
      })
    ).json()) as { bot: { id: string }; plaintext: string };
  const { bot } = await json('/api/bot', { name: 'worker' });
  const { plaintext } = await json('/api/token', { bot: bot.id });
  const remaining = async (token: string) =>
    Number((await send('GET', '/api/me', { token })).headers.get('ratelimit-remaining'));
  const before = await remaining(session);
  expect([await remaining(plaintext), await remaining(session)]).toEqual([before - 1, before - 2]);
  for (let created = 1; created < BOT_POINTS; created++) {
    expect(await send('POST', '/api/bot', { ...own, body: { name: 'x' } })).toMatchObject({ status: 200 });
  }
  expect(await send('POST', '/api/bot', { ...own, body: { name: 'x' } })).toMatchObject({
    error: 'rate_limited',
    limit: 'bot:create',
  });
});

// The last one: earlier counts apply again after an outage.
test('[AUTH1 LIM3] while Redis is unavailable, calls that allow guessing or create tokens answer 503, and all others continue', async () => {
  const token = await signIn(stack.urls[0] as string, emailOf('ann'), PASSWORD);
  const closed: [method: string, path: string, body?: object][] = [
    ['POST', '/api/login', { email: emailOf('ann'), password: PASSWORD }],
    ['POST', '/api/register', { email: emailOf('gil'), username: 'gil' }],
    ['POST', '/api/password/forgot', { email: emailOf('gil') }],
    ['POST', '/api/password/reset', { token: 'x', password: PASSWORD }],
    ['POST', '/api/register/verify', { token: 'x', password: PASSWORD }],
    ['PUT', '/api/password', { current: PASSWORD, password: 'another password' }],
    ['POST', '/api/token', {}],
    ['POST', '/api/token/rotate', { id: UNKNOWN_ID }],
    ['POST', '/api/bot', { name: 'x' }],
    ['GET', '/api/oidc/login'],
    ['GET', '/api/oidc/callback?code=x&state=y'],
  ];
  const redis = stack.backends.pids().redis as number;
  process.kill(redis, 'SIGSTOP');
  try {
    for (const [method, path, body] of closed) {
      const got = await send(method, path, { token, ...definedFields({ body }) });
      expect(got, `${method} ${path}`).toMatchObject({ status: 503, error: 'unavailable' });
      expect(Number(got.headers.get('retry-after'))).toBeGreaterThan(0);
    }
    for (const path of ['/api/me', '/api/token', '/api/graph', '/api/health']) {
      expect(await send('GET', path, { token }), path).toMatchObject({ status: 200 });
    }
  } finally {
    process.kill(redis, 'SIGCONT');
  }
  await vi.waitFor(async () => expect((await login(emailOf('ann'), newAddress(), PASSWORD)).status).toBe(200), {
    timeout: 60_000,
    interval: 500,
  });
});
