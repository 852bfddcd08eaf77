// Bots on a running stack, over REST and sockets: what they see and do, their tokens, and what
// others see of them.
import { runAdmin } from '@taskgraph/testkit/stack/admin';
import { connectRawSocket, type RawSocket } from '@taskgraph/testkit/stack/raw-socket';
import { sharedStack } from '@taskgraph/testkit/stack/shared-stack';
import { emailOf, makePassword } from '@taskgraph/testkit/stack/users';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AccountSocket, call, dial, signIn } from './support/account-calls.ts';
import { type Call, restCall, socketCall } from './support/calls.ts';
import { auditLines } from './support/logs.ts';

const PASSWORD = 'correct horse battery staple';
const DAY_MS = 24 * 60 * 60_000;
const WAIT = { timeout: 120_000, interval: 20 };
const UNKNOWN = '01890000-0000-7000-8000-000000000001';

const stack = sharedStack();
const url = stack.urls[0] as string;
const sockets: RawSocket[] = [];
let session = '';
let ann: Call;

beforeAll(async () => {
  ann = restCall(url, await stack.token(emailOf('ann')));
  await makePassword(stack.environment, emailOf('ann'), PASSWORD);
  session = await signIn(url, emailOf('ann'), PASSWORD);
});
afterAll(() => {
  for (const socket of sockets) socket.close();
});

interface Bot {
  readonly id: string;
  readonly email: string;
}

const asMaintainer = (method: string, path: string, body: object) => call(url, method, path, { token: session, body });

async function newBot(name = 'importer'): Promise<Bot> {
  const { body } = await asMaintainer('POST', '/api/bot', { name });
  expect(body).toMatchObject({ ok: true, bot: { name } });
  return body.bot as Bot;
}

async function tokenOf(bot: Bot, more: object = {}) {
  const { body } = await asMaintainer('POST', '/api/token', { bot: bot.id, ...more });
  expect(body).toMatchObject({ ok: true });
  return body as unknown as { token: { id: string; expires: string; scopes: string[] }; plaintext: string };
}

async function added(by: Call, payload: object): Promise<{ id: string; batchId: string }> {
  const { body } = await by('node:add', payload);
  expect(body).toMatchObject({ ok: true });
  const { batchId, nodes } = body.diff as { batchId: string; nodes: { after: { id: string } }[] };
  return { batchId, id: nodes[0]?.after.id ?? '' };
}

test('[BOT1] a bot sees and does only what grants allow, and owns no nodes', async () => {
  const secret = await added(ann, { title: 'Secret' });
  const shared = await added(ann, { title: 'Shared' });
  const bot = await newBot();
  const { plaintext } = await tokenOf(bot);
  const socket = await connectRawSocket(url, { auth: { api_token: plaintext } });
  sockets.push(socket);
  const received: unknown[] = [];
  socket.onAny((...packet: unknown[]) => void received.push(packet));
  for (const by of [restCall(url, plaintext), socketCall(socket)]) {
    expect((await by('graph:get', {})).body).toMatchObject({ ok: true, nodes: [], links: [] });
    expect((await by('node:get', { id: shared.id })).body).toMatchObject({ error: 'forbidden' });
    expect((await by('node:update', { id: secret.id, title: 'x' })).body).toMatchObject({ error: 'forbidden' });
    expect((await by('node:add', { title: 'Own' })).body).toMatchObject({ error: 'forbidden.target_required' });
    const operations = [{ event: 'node:add', payload: { title: 'Own' } }];
    expect((await by('batch:run', { operations })).body).toMatchObject({
      error: 'forbidden.target_required',
      details: { index: 0 },
    });
  }
  const granted = { id: shared.id, email: bot.email, level: 2, branch: true };
  expect((await ann('node:access', granted)).body).toMatchObject({ ok: true });
  for (const by of [restCall(url, plaintext), socketCall(socket)]) {
    const child = await added(by, { title: 'Child', target: shared.id });
    expect((await by('node:get', { id: child.id })).body.nodes).toMatchObject([{ ownerEmail: emailOf('ann') }]);
  }
  await ann('node:update', { id: secret.id, title: 'Still secret' });
  await ann('node:update', { id: shared.id, title: 'Shared more' });
  await expect.poll(() => JSON.stringify(received), WAIT).toContain('Shared more');
  expect(JSON.stringify(received)).not.toContain('ecret');
  const ended = await ann('node:access:delete', { id: shared.id, email: bot.email });
  expect(ended.body).toMatchObject({ ok: true });
  expect((await restCall(url, plaintext)('graph:get', {})).body).toMatchObject({ nodes: [] });
});

test('[BOT2] history, diffs and the audit log name the bot, and the log its maintainer', async () => {
  const root = await added(ann, { title: 'Plan' });
  const bot = await newBot('scribe');
  const { plaintext } = await tokenOf(bot);
  await ann('node:access', { id: root.id, email: bot.email, level: 1, branch: true });
  const by = restCall(url, plaintext);
  const actor = { username: 'scribe', email: bot.email };
  const updated = await by('node:update', { id: root.id, title: 'Plan B' });
  expect(updated.body).toMatchObject({ ok: true, diff: { actor } });
  const page = await ann('history:page', { scopeType: 'NODE', scopeId: root.id });
  expect((page.body.batches as object[])[0]).toMatchObject({ actor });
  await by('node:access', { id: root.id, email: emailOf('bob'), level: 3 });
  const me = await call(url, 'GET', '/api/me', { token: plaintext });
  const maintainer = (await call(url, 'GET', '/api/me', { token: session })).body.user as { id: string };
  expect(me.body.user).toMatchObject({ id: bot.id, username: 'scribe', email: bot.email, admin: false });
  const lines = () => auditLines(stack.logFolder).filter(({ who }) => (who as { id?: string } | null)?.id === bot.id);
  await expect
    .poll(lines, WAIT)
    .toMatchObject([
      { event: 'grant', outcome: 'ok', who: { id: bot.id, email: bot.email, maintainer: maintainer.id } },
    ]);
});

test('[BOT2] a token of a bot ends within 365 days, may have scopes, and is managed by a session', async () => {
  const bot = await newBot();
  const beforeMs = Date.now();
  const { token, plaintext } = await tokenOf(bot, { scopes: ['read', 'trash'] });
  expect(token.scopes).toEqual(['read', 'trash']);
  const endMs = Date.parse(token.expires) - 365 * DAY_MS;
  expect(endMs).toBeGreaterThanOrEqual(beforeMs);
  expect(endMs).toBeLessThanOrEqual(Date.now());
  const root = await added(ann, { title: 'Plan' });
  await ann('node:access', { id: root.id, email: bot.email, level: 2, branch: true });
  expect((await restCall(url, plaintext)('node:update', { id: root.id, title: 'x' })).body).toMatchObject({
    error: 'forbidden.scope',
  });
  for (const expires of [null, new Date(Date.now() + 366 * DAY_MS).toISOString()]) {
    const { body } = await asMaintainer('POST', '/api/token', { bot: bot.id, expires });
    expect(body).toMatchObject({ error: 'bad_request.invalid_expires', details: { path: 'expires' } });
  }
  // Neither a bot nor another user manages them.
  for (const [method, path, body] of [
    ['POST', '/api/bot', { name: 'x' }],
    ['DELETE', '/api/bot', { id: bot.id }],
    ['POST', '/api/token', { bot: bot.id }],
  ] as const) {
    expect((await call(url, method, path, { token: plaintext, body })).body).toMatchObject({
      error: 'forbidden.session_required',
    });
  }
  expect((await asMaintainer('POST', '/api/token', { bot: UNKNOWN })).body).toMatchObject({ error: 'not_found' });
  const listed = await call(url, 'GET', `/api/token?bot=${bot.id}`, { token: session });
  expect(listed.body.tokens).toMatchObject([{ id: token.id }]);
  const rotated = await asMaintainer('POST', '/api/token/rotate', { id: token.id, bot: bot.id });
  expect(rotated.body.token).toMatchObject({ expires: token.expires, scopes: ['read', 'trash'] });
  expect((await restCall(url, plaintext)('graph:get', {})).body).toMatchObject({ error: 'unauthorized' });
});

test('[BOT3] a session of the maintainer lists, disables and deletes the webhooks of a bot', async () => {
  const bot = await newBot('notifier');
  const { plaintext } = await tokenOf(bot, { scopes: ['read', 'hooks'] });
  const own = (await asMaintainer('POST', '/api/token', { scopes: ['read', 'hooks'] })).body.plaintext as string;
  const address = 'https://hooks.example.com/secret-path';
  const { body } = await call(url, 'POST', '/api/hook', { token: plaintext, body: { url: address } });
  const { id } = body.hook as { id: string };
  const at = `/api/hook?bot=${bot.id}`;
  expect((await call(url, 'GET', at, { token: session })).body).toMatchObject({ hooks: [{ id, url: address }] });
  expect((await call(url, 'GET', '/api/hook', { token: session })).body).toMatchObject({ hooks: [] });
  // Neither a token of the maintainer nor the bot itself names a bot.
  for (const token of [own, plaintext]) {
    for (const [method, path, more] of [
      ['GET', at, {}],
      ['GET', `/api/hook/deliveries?bot=${bot.id}&id=${id}`, {}],
      ['PUT', '/api/hook', { body: { id, bot: bot.id, enabled: false } }],
      ['DELETE', '/api/hook', { body: { id, bot: bot.id } }],
    ] as const)
      expect((await call(url, method, path, { token, ...more })).body).toMatchObject({
        error: 'forbidden.session_required',
      });
  }
  expect((await call(url, 'GET', `/api/hook?bot=${UNKNOWN}`, { token: session })).body).toMatchObject({
    error: 'not_found',
  });
  const log = await call(url, 'GET', `/api/hook/deliveries?bot=${bot.id}&id=${id}`, { token: session });
  expect(log.body).toMatchObject({ ok: true });
  expect((await asMaintainer('PUT', '/api/hook', { id, bot: bot.id, enabled: false })).body).toMatchObject({
    hook: { id, state: 'disabled', reason: null },
  });
  expect((await asMaintainer('DELETE', '/api/hook', { id })).body).toMatchObject({ error: 'not_found' });
  expect((await asMaintainer('DELETE', '/api/hook', { id, bot: bot.id })).body).toMatchObject({ ok: true });
  const lines = () =>
    auditLines(stack.logFolder).filter(({ what }) => (what as { botId?: string; hookId?: string }).hookId === id);
  await expect
    .poll(() => lines().filter(({ outcome }) => outcome === 'ok'), WAIT)
    .toMatchObject([
      { event: 'hook:add', who: { id: bot.id } },
      { event: 'hook:update', who: { email: emailOf('ann') }, what: { botId: bot.id, enabled: false } },
      { event: 'hook:delete', who: { email: emailOf('ann') }, what: { botId: bot.id } },
    ]);
  expect(JSON.stringify(lines())).not.toContain('secret-path');
});

test('[BOT1 BOT2] the sockets of a removed bot close, and its tokens end', async () => {
  const bot = await newBot();
  const { plaintext } = await tokenOf(bot);
  const line: AccountSocket = await dial(url, { api_token: plaintext });
  sockets.push(line.socket);
  expect((await asMaintainer('DELETE', '/api/bot', { id: bot.id })).body).toMatchObject({ ok: true });
  await expect.poll(() => line.closed?.reason, WAIT).toBe('io server disconnect');
  expect((await restCall(url, plaintext)('graph:get', {})).body).toMatchObject({ error: 'unauthorized' });
  const { body } = await call(url, 'GET', '/api/bot', { token: session });
  expect(body.bots).not.toContainEqual(expect.objectContaining({ id: bot.id }));
});

test('[BOT2 AUTH2] npm run user --disable closes the sockets of the bots at once', async () => {
  const email = emailOf('bot-maintainer');
  await stack.token(email);
  await makePassword(stack.environment, email, PASSWORD);
  const own = { token: await signIn(url, email, PASSWORD) };
  const bot = (await call(url, 'POST', '/api/bot', { ...own, body: { name: 'x' } })).body.bot as Bot;
  const made = await call(url, 'POST', '/api/token', { ...own, body: { bot: bot.id } });
  const line: AccountSocket = await dial(url, { api_token: made.body.plaintext as string });
  sockets.push(line.socket);
  expect(await runAdmin(stack, 'user', ['--email', email, '--disable'])).toMatchObject({ code: 0 });
  // The gateways of this stack check tokens only every ten minutes.
  await expect.poll(() => line.closed?.reason, WAIT).toBe('io server disconnect');
});

test('[BOT1] the programs of operators refuse the address of a bot', async () => {
  const bot = await newBot();
  for (const script of ['token', 'user', 'sign-in-link'] as const) {
    const { code, output } = await runAdmin(stack, script, ['--email', bot.email]);
    expect([code, output], script).toEqual([1, expect.stringContaining('is the address of a bot')]);
  }
});

test('[BOT1] nobody signs in as a bot or registers its address', async () => {
  const bot = await newBot();
  expect(await call(url, 'POST', '/api/login', { body: { email: bot.email, password: PASSWORD } })).toMatchObject({
    status: 401,
    body: { error: 'unauthorized' },
  });
  for (const [path, body] of [
    ['/api/register', { email: bot.email.toUpperCase(), username: 'x' }],
    ['/api/password/forgot', { email: bot.email }],
  ] as const) {
    expect((await call(url, 'POST', path, { body })).body, path).toMatchObject({ error: 'bad_request.invalid_email' });
  }
});
