// The requests of the account helpers, recorded by a server of this test.
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { account, capabilities, forgotPassword, signIn, signInByLink } from './account.ts';
import { bots } from './bots.ts';
import { calendars } from './calendars.ts';
import { imports } from './imports.ts';
import { webhooks } from './webhooks.ts';

let server: Server;
let url = '';
const received: unknown[] = [];
const answer = {
  ok: true,
  registration: true,
  session: 'tgs_x',
  user: { id: 'u' },
  tokens: [{ id: 't' }],
  bots: [{ id: 'b' }],
  bot: { id: 'b' },
  calendars: [{ id: 'c' }],
  sources: [{ id: 'i' }],
  hooks: [{ id: 'h' }],
  hook: { id: 'h' },
  secret: 'whsec_x',
  deliveries: [{ attempt: 1 }],
  url: 'https://tasks.example.com/calendar/cal_x.ics',
  sessions: [{ id: 's' }],
  plaintext: 'tg_x',
};

beforeAll(async () => {
  server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const sent = body === '' ? null : JSON.parse(body);
    received.push([request.method, request.url, request.headers.authorization?.trim(), sent]);
    response.end(JSON.stringify(answer));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => server.close());
beforeEach(() => void received.splice(0));

test('[CAP1] reads the capabilities without a token', async () => {
  expect(await capabilities({ url })).toMatchObject({ registration: true });
  expect(received).toEqual([['GET', '/api/capabilities', 'Bearer', null]]);
});

test('[AUTH1] with the session of the browser, calls name no token', async () => {
  await account({ url, session: true }).signOut();
  expect(received).toEqual([['POST', '/api/logout', undefined, null]]);
});

test('[AUTH1] signs in without a token', async () => {
  expect(await signIn({ url, email: 'ann@example.com', password: 'p' })).toMatchObject({ session: 'tgs_x' });
  expect(received).toEqual([['POST', '/api/login', 'Bearer', { email: 'ann@example.com', password: 'p' }]]);
});

test('[AUTH5] signs in by a link without a token', async () => {
  expect(await signInByLink({ url, token: 'x' })).toMatchObject({ session: 'tgs_x' });
  expect(received).toEqual([['POST', '/api/login/link', 'Bearer', { token: 'x' }]]);
});

test('[AUTH1 AUTH2] manages the account and its tokens by the session', async () => {
  const mine = account({ url, session: 'tgs_x' });
  expect(await mine.me()).toEqual({ id: 'u' });
  await mine.changePassword({ current: 'a', password: 'b' });
  expect(await mine.tokens.list()).toEqual([{ id: 't' }]);
  expect((await mine.tokens.create({ readOnly: true })).plaintext).toBe('tg_x');
  await mine.tokens.rotate('t');
  await mine.tokens.revoke('t');
  await mine.signOut();
  const bearer = 'Bearer tgs_x';
  expect(received).toEqual([
    ['GET', '/api/me', bearer, null],
    ['PUT', '/api/password', bearer, { current: 'a', password: 'b' }],
    ['GET', '/api/token', bearer, null],
    ['POST', '/api/token', bearer, { readOnly: true }],
    ['POST', '/api/token/rotate', bearer, { id: 't' }],
    ['DELETE', '/api/token', bearer, { id: 't' }],
    ['POST', '/api/logout', bearer, null],
  ]);
});

test('[BOT1 BOT2 BOT3] manages bots, their tokens and their webhooks by the session', async () => {
  const mine = bots({ url, session: 'tgs_x' });
  expect(await mine.list()).toEqual([{ id: 'b' }]);
  expect(await mine.create('importer')).toEqual({ id: 'b' });
  const tokens = mine.tokens('b');
  expect(await tokens.list()).toEqual([{ id: 't' }]);
  expect((await tokens.create({ scopes: ['read'] })).plaintext).toBe('tg_x');
  await tokens.rotate('t');
  await tokens.revoke('t');
  const hooks = mine.webhooks('b');
  await hooks.list();
  await hooks.update('h', { enabled: false });
  await hooks.deliveries('h');
  await hooks.delete('h');
  await mine.remove('b');
  const bearer = 'Bearer tgs_x';
  expect(received).toEqual([
    ['GET', '/api/bot', bearer, null],
    ['POST', '/api/bot', bearer, { name: 'importer' }],
    ['GET', '/api/token?bot=b', bearer, null],
    ['POST', '/api/token', bearer, { scopes: ['read'], bot: 'b' }],
    ['POST', '/api/token/rotate', bearer, { id: 't', bot: 'b' }],
    ['DELETE', '/api/token', bearer, { id: 't', bot: 'b' }],
    ['GET', '/api/hook?bot=b', bearer, null],
    ['PUT', '/api/hook', bearer, { id: 'h', enabled: false, bot: 'b' }],
    ['GET', '/api/hook/deliveries?id=h&bot=b', bearer, null],
    ['DELETE', '/api/hook', bearer, { id: 'h', bot: 'b' }],
    ['DELETE', '/api/bot', bearer, { id: 'b' }],
  ]);
});

test('[ICAL1] manages calendars by the session', async () => {
  const mine = calendars({ url, session: 'tgs_x' });
  expect(await mine.list()).toEqual([{ id: 'c' }]);
  const fields = { name: 'Due dates', where: { assignee: ['me'] }, planned: { unit: 'day' as const } };
  expect((await mine.create(fields)).url).toBe('https://tasks.example.com/calendar/cal_x.ics');
  await mine.rotate('c');
  await mine.remove('c');
  const bearer = 'Bearer tgs_x';
  expect(received).toEqual([
    ['GET', '/api/calendar', bearer, null],
    ['POST', '/api/calendar', bearer, fields],
    ['POST', '/api/calendar/rotate', bearer, { id: 'c' }],
    ['DELETE', '/api/calendar', bearer, { id: 'c' }],
  ]);
});

test('[IO12] stores, reads and deletes sources of imports by a token', async () => {
  const mine = imports({ url, token: 'tg_x' });
  expect(await mine.list()).toEqual([{ id: 'i' }]);
  const start = { name: 'beads issues.jsonl', run: 'r', mode: 'update' as const };
  await mine.begin(start);
  const tasks = [{ id: 'p-1', node: 'n', base: '' }];
  await mine.store('i', 'r', { tasks, complete: true });
  await mine.rows('i');
  await mine.rows('i', 't1');
  await mine.revert('i', 'r');
  await mine.delete('i');
  const bearer = 'Bearer tg_x';
  expect(received).toEqual([
    ['GET', '/api/import', bearer, null],
    ['POST', '/api/import', bearer, start],
    ['POST', '/api/import/rows', bearer, { source: 'i', run: 'r', tasks, complete: true }],
    ['GET', '/api/import/rows?source=i', bearer, null],
    ['GET', '/api/import/rows?source=i&after=t1', bearer, null],
    ['POST', '/api/import/revert', bearer, { source: 'i', run: 'r' }],
    ['DELETE', '/api/import', bearer, { source: 'i' }],
  ]);
});

test('[HOOK1] manages webhooks by a token', async () => {
  const mine = webhooks({ url, token: 'tg_x' });
  expect(await mine.list()).toEqual([{ id: 'h' }]);
  const fields = { url: 'https://hooks.example.com/', events: ['node.*' as const] };
  expect((await mine.add(fields)).secret).toBe('whsec_x');
  expect(await mine.update('h', { root: null, enabled: true })).toEqual({ id: 'h' });
  await mine.rotate('h', { overlap: 0 });
  expect(await mine.test('h')).toEqual({ id: 'h' });
  expect(await mine.deliveries('h')).toEqual([{ attempt: 1 }]);
  await mine.replay('h', '2026-12-01T08:00:00Z');
  await mine.delete('h');
  const bearer = 'Bearer tg_x';
  expect(received).toEqual([
    ['GET', '/api/hook', bearer, null],
    ['POST', '/api/hook', bearer, fields],
    ['PUT', '/api/hook', bearer, { id: 'h', root: null, enabled: true }],
    ['POST', '/api/hook/rotate', bearer, { id: 'h', overlap: 0 }],
    ['POST', '/api/hook/test', bearer, { id: 'h' }],
    ['GET', '/api/hook/deliveries?id=h', bearer, null],
    ['POST', '/api/hook/replay', bearer, { id: 'h', since: '2026-12-01T08:00:00Z' }],
    ['DELETE', '/api/hook', bearer, { id: 'h' }],
  ]);
});

test('[AUTH4] lists and ends sessions, and requests a mail for a forgotten password', async () => {
  const { sessions } = account({ url, session: 'tgs_x' });
  expect(await sessions.list()).toEqual([{ id: 's' }]);
  await sessions.end('s');
  await sessions.endOthers();
  await forgotPassword({ url, email: 'ann@example.com' });
  const bearer = 'Bearer tgs_x';
  expect(received).toEqual([
    ['GET', '/api/session', bearer, null],
    ['DELETE', '/api/session', bearer, { id: 's' }],
    ['DELETE', '/api/session', bearer, {}],
    ['POST', '/api/password/forgot', 'Bearer', { email: 'ann@example.com' }],
  ]);
});
