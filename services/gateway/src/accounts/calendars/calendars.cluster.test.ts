// Calendars on a running stack, as calendar programs read them, with rate limits.
import { runAdmin } from '@taskgraph/testkit/stack/admin';
import { startTestStack, type TestStack } from '@taskgraph/testkit/stack/stack';
import { emailOf, makePassword } from '@taskgraph/testkit/stack/users';
import ICAL from 'ical.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { call, signIn } from '../../test/support/account-calls.ts';
import { type Call, restCall } from '../../test/support/calls.ts';
import { auditLines, foundInLogs } from '../../test/support/logs.ts';

const PASSWORD = 'correct horse battery staple';
const WAIT = { timeout: 120_000, interval: 20 };
const PUBLIC_URL = 'https://tasks.example.com';
const POINTS = 20;
const WRONG_TOKENS = 30;
/** Of the calendars of one user, more than any other test of this file needs. */
const POINTS_OF_USER = 60;

let stack: TestStack;
let url = '';
let session = '';
let [ann, bob]: Call[] = [];
/** All addresses of this file: no log may contain one. */
const addresses: string[] = [];
let clients = 0;

beforeAll(async () => {
  stack = await startTestStack({
    workers: 1,
    environment: {
      TASKGRAPH_LIMITS: 'on',
      LIMIT_CALENDAR: `${POINTS}/3600`,
      LIMIT_CALENDAR_USER: `${POINTS_OF_USER}/3600`,
      LIMIT_TOKEN_CREATE: '1000/60',
      WRONG_TOKENS_PER_ADDRESS: String(WRONG_TOKENS),
      TRUSTED_PROXIES: '127.0.0.1',
      COMMAND_DEADLINE_MS: '60000',
      LOG_LEVEL: 'debug',
      PUBLIC_URL: `${PUBLIC_URL}/`,
    },
  });
  url = stack.urls[0] as string;
  [ann, bob] = [restCall(url, await stack.token(emailOf('ann'))), restCall(url, await stack.token(emailOf('bob')))];
  await makePassword(stack.environment, emailOf('ann'), PASSWORD);
  session = await signIn(url, emailOf('ann'), PASSWORD);
});
afterAll(() => stack?.stop());

const account = (method: string, path: string, body?: object, token = session) =>
  call(url, method, path, { token, ...(body === undefined ? {} : { body }) });

interface TestCalendar {
  readonly id: string;
  /** The path of its address. */
  readonly path: string;
}

function createdIn(body: Record<string, unknown>): TestCalendar {
  expect(body).toMatchObject({
    ok: true,
    url: expect.stringMatching(/^https:\/\/tasks\.example\.com\/calendar\/cal_\w{36}\.ics$/),
  });
  const { pathname } = new URL(body.url as string);
  addresses.push(pathname.slice('/calendar/'.length, -'.ics'.length));
  return { id: (body.calendar as { id: string }).id, path: pathname };
}

async function create(fields: object = {}, token = session): Promise<TestCalendar> {
  return createdIn((await account('POST', '/api/calendar', { name: 'Due dates', ...fields }, token)).body);
}

/** A request of a calendar program, each from an address of its own unless given. */
function request(path: string, { from = `198.51.100.${clients++}`, method = 'GET', headers = {} } = {}) {
  return fetch(url + path, { method, headers: { 'X-Forwarded-For': from, ...headers } });
}

async function entriesOf(path: string) {
  const response = await request(path);
  expect(response.status).toBe(200);
  return entriesIn(await response.text());
}

/** The entries as another implementation of RFC 5545 reads them. */
function entriesIn(text: string) {
  return new ICAL.Component(ICAL.parse(text)).getAllSubcomponents().map((entry) => {
    const propertyOf = (name: string) => entry.getFirstPropertyValue(name)?.toString();
    return {
      kind: entry.name,
      uid: propertyOf('uid'),
      summary: propertyOf('summary'),
      start: propertyOf('dtstart'),
      propertyOf,
    };
  });
}

const titlesOf = async (path: string) => (await entriesOf(path)).map(({ summary }) => summary).sort();

async function added(by: Call | undefined, payload: object): Promise<string> {
  const { body } = await (by as Call)('node:add', payload);
  expect(body).toMatchObject({ ok: true });
  return (body.diff as { nodes: { after: { id: string } }[] }).nodes[0]?.after.id ?? '';
}

const update = async (id: string, fields: object) => {
  expect((await (ann as Call)('node:update', { id, ...fields })).body).toMatchObject({ ok: true });
};

test('[ICAL1 ICAL3] a calendar has the due dates that its conditions and its root choose', async () => {
  const root = await added(ann, { title: 'Release' });
  const day = await added(ann, { title: 'Go; live', target: root, dueDate: '2026-12-24', tags: ['web'] });
  await added(ann, { title: 'Announce', target: root, dueDate: '2026-12-25T18:00:00Z' });
  await added(ann, { title: 'Without a date', target: root, volume: 2 });
  await added(ann, { title: 'Elsewhere', dueDate: '2026-12-26' });
  const { path } = await create({ root });
  const [first, second, ...others] = await entriesOf(path);
  expect(others).toEqual([]);
  expect(first).toMatchObject({ kind: 'vevent', summary: 'Announce', start: '2026-12-25T18:00:00Z' });
  expect(second).toMatchObject({ kind: 'vevent', uid: day, summary: 'Go; live', start: '2026-12-24' });
  expect(second?.propertyOf('url')).toBe(`${PUBLIC_URL}/task/${day}`);
  expect(await titlesOf((await create({ root, where: { tag: ['web'] } })).path)).toEqual(['Go; live']);
  expect(await titlesOf((await create()).path)).toEqual(['Announce', 'Elsewhere', 'Go; live']);
  const tasks = await entriesOf((await create({ root, as: 'todo', where: { due: 'none' } })).path);
  expect(tasks.map(({ kind, summary }) => [kind, summary]).sort()).toEqual([
    ['vtodo', 'Release'],
    ['vtodo', 'Without a date'],
  ]);
  expect(await titlesOf((await create({ root, where: { due: 'none' } })).path)).toEqual([]);
});

test('[ICAL3 PLAN4] a calendar has the bars of the plan', async () => {
  const root = await added(ann, { title: 'Trip', volume: 1 });
  const child = await added(ann, { title: 'Book', target: root, volume: 2, dueDate: '2026-12-24' });
  await added(ann, { title: 'Nothing', target: root, volume: 0 });
  const planned = { start: '2026-01-05T00:00:00Z', unit: 'day' };
  const entries = await entriesOf((await create({ root, planned })).path);
  expect(entries.map(({ uid, summary, start }) => [uid, summary, start]).sort()).toEqual(
    [
      [child, 'Book', '2026-12-24'],
      [`${child}-plan`, 'Book', '2026-01-05'],
      [`${root}-plan`, 'Trip', '2026-01-07'],
    ].sort(),
  );
  const { body } = await account('GET', '/api/calendar');
  expect((body.calendars as object[]).at(-1)).toMatchObject({
    planned: { start: '2026-01-05T00:00:00.000Z', unit: 'day' },
    lastUsed: expect.any(String),
  });
  const today = await entriesOf((await create({ root, planned: { unit: 'hour' } })).path);
  expect(today.find(({ uid }) => uid === `${child}-plan`)?.start).toMatch(/T00:00:00Z$/);
});

test('[ICAL2] the answer is a private text that clients revalidate, also compressed, and HEAD has no body', async () => {
  const id = await added(ann, { title: 'Etag', dueDate: '2026-12-24' });
  for (let count = 0; count < 20; count++)
    await added(ann, { title: `More ${count}`, target: id, dueDate: '2026-12-24' });
  const { path } = await create({ root: id });
  const response = await request(path);
  const { headers } = response;
  const text = await response.text();
  const names = ['content-type', 'cache-control', 'x-robots-tag', 'referrer-policy', 'ratelimit-limit'];
  expect(names.map((name) => headers.get(name))).toEqual([
    'text/calendar; charset=utf-8',
    'private, no-cache',
    'noindex',
    'no-referrer',
    String(POINTS),
  ]);
  const etag = headers.get('etag') ?? '';
  expect(etag).toMatch(/^W\/"[\w-]{27}"$/);
  expect(text.endsWith('END:VCALENDAR\r\n')).toBe(true);
  for (const coding of ['gzip', 'br']) {
    const compressed = await request(path, { headers: { 'Accept-Encoding': coding } });
    expect([compressed.headers.get('content-encoding'), compressed.headers.get('etag')]).toEqual([coding, etag]);
    // Not even a blank follows: a header hides the exact length.
    expect(await compressed.text()).toBe(text);
    expect(compressed.headers.get('x-padding')).toMatch(/^[\w-]{0,255}$/);
  }
  const head = await request(path, { method: 'HEAD' });
  expect([head.status, head.headers.get('etag'), await head.text()]).toEqual([200, etag, '']);
  const known = { headers: { 'If-None-Match': etag } };
  const unchanged = await request(path, known);
  expect([unchanged.status, await unchanged.text()]).toEqual([304, '']);
  await update(id, { title: 'Another title' });
  const changed = await request(path, known);
  expect([changed.status, changed.headers.get('etag') === etag]).toEqual([200, false]);
  expect(await changed.text()).toContain('SUMMARY:Another title');
});

test('[ICAL2 ACL7] a calendar shows what its user sees at that moment, and without access to its root nothing', async () => {
  const email = emailOf('reader');
  const shared = await added(bob, { title: 'Shared', dueDate: '2026-12-24' });
  await added(bob, { title: 'Secret', dueDate: '2026-12-24' });
  await stack.token(email);
  await makePassword(stack.environment, email, PASSWORD);
  const own = await signIn(url, email, PASSWORD);
  const [all, branch] = [await create({}, own), await create({ root: shared }, own)];
  const both = async () => [await titlesOf(all.path), await titlesOf(branch.path)];
  expect(await both()).toEqual([[], []]);
  expect((await (bob as Call)('node:access', { id: shared, email, level: 3 })).body).toMatchObject({ ok: true });
  expect(await both()).toEqual([['Shared'], ['Shared']]);
  expect((await (bob as Call)('node:access:delete', { id: shared, email })).body).toMatchObject({ ok: true });
  expect(await both()).toEqual([[], []]);
  // A root that does not exist is like one that is lost.
  expect(await titlesOf((await create({ root: all.id }, own)).path)).toEqual([]);
  // While its user is disabled, the address does not exist.
  expect(await runAdmin(stack, 'user', ['--email', email, '--disable'])).toMatchObject({ code: 0 });
  expect((await request(all.path)).status).toBe(404);
});

test('[ICAL1 ICAL2] a wrong, rotated or removed address has one answer', async () => {
  const [rotated, removed] = [await create(), await create()];
  const next = createdIn((await account('POST', '/api/calendar/rotate', { id: rotated.id })).body);
  expect(next.id).toBe(rotated.id);
  expect((await account('DELETE', '/api/calendar', { id: removed.id })).body).toMatchObject({ ok: true });
  const answerOf = async (path: string) => {
    const response = await request(path);
    const { trace_id: _, ...body } = (await response.json()) as Record<string, unknown>;
    return [response.status, response.headers.get('x-robots-tag'), body];
  };
  const answers = [
    await answerOf(rotated.path),
    await answerOf(removed.path),
    await answerOf('/calendar/cal_000000000000000000000000000000000000.ics'),
    await answerOf(next.path.replace('.ics', '')),
    await answerOf('/calendar/'),
  ];
  expect(answers).toEqual(
    answers.map(() => [404, 'noindex', { ok: false, error: 'not_found', message: 'There is no such calendar.' }]),
  );
  expect((await request(next.path)).status).toBe(200);
  for (const method of ['POST', 'PUT', 'DELETE']) {
    const refused = await request(next.path, { method });
    expect([refused.status, refused.headers.get('allow')], method).toEqual([405, 'GET, HEAD']);
    expect(await refused.json()).toMatchObject({ error: 'bad_request.method' });
  }
  const lines = () =>
    auditLines(stack.logFolder).filter(({ what }) => (what as { calendarId?: string }).calendarId === removed.id);
  await expect
    .poll(() => lines().map(({ event, outcome }) => [event, outcome]), WAIT)
    .toEqual([
      ['calendar:create', 'ok'],
      ['calendar:remove', 'ok'],
    ]);
});

test('[ICAL1] an API token, even with all scopes, manages no calendars', async () => {
  const token = await stack.token(emailOf('ann'));
  const { id } = await create();
  for (const [method, path, body] of [
    ['GET', '/api/calendar'],
    ['POST', '/api/calendar', { name: 'x' }],
    ['POST', '/api/calendar/rotate', { id }],
    ['DELETE', '/api/calendar', { id }],
  ] as const) {
    expect((await account(method, path, body, token)).body, `${method} ${path}`).toMatchObject({
      error: 'forbidden.session_required',
    });
  }
});

test('[ICAL1 FIND2 GEN4] conditions are checked like those of a search', async () => {
  const errorOf = async (fields: object) =>
    (await account('POST', '/api/calendar', { name: 'x', ...fields })).body.error;
  const fifteen = {
    any: Array.from({ length: 8 }, (_, at) => (at < 7 ? { ready: true, blocked: false } : { ready: true })),
  };
  const { id } = await create({ where: fifteen });
  expect(await errorOf({ where: { ...fifteen, overdue: true } })).toBe('bad_request.invalid_where');
  expect(await errorOf({ where: { unknown: 1 } })).toBe('bad_request.invalid_where');
  expect(await errorOf({ where: { tag: Array.from({ length: 64 }, () => 'x'.repeat(200)) } })).toBe(
    'bad_request.invalid_where',
  );
  expect(await errorOf({ as: 'both' })).toBe('bad_request.invalid_as');
  expect(await errorOf({ planned: { start: '2026-01-05T00:00:00Z' } })).toBe('bad_request.invalid_planned');
  expect(await errorOf({ name: '' })).toBe('bad_request.invalid_name');
  const { body } = await account('GET', '/api/calendar');
  expect((body.calendars as { id: string; where: unknown }[]).find((each) => each.id === id)?.where).toEqual(fifteen);
});

test('[ICAL2 LIM1 LIM4] an address has its requests for an hour, and wrong ones are bounded for a client', async () => {
  const [busy, other] = [await create(), await create()];
  const statuses = [];
  for (let count = 0; count <= POINTS; count++) statuses.push((await request(busy.path)).status);
  expect(statuses).toEqual([...Array<number>(POINTS).fill(200), 429]);
  const limited = await request(busy.path);
  expect(await limited.json()).toMatchObject({ error: 'rate_limited', details: { limit: 'calendar' } });
  expect(Number(limited.headers.get('retry-after'))).toBeGreaterThan(0);
  // Refused requests count for no other calendar.
  for (let count = 0; count < POINTS_OF_USER; count++) await request(busy.path);
  expect((await request(other.path)).status).toBe(200);
  // A new address has requests of its own, so that a leaked one can be replaced at once.
  const replaced = createdIn((await account('POST', '/api/calendar/rotate', { id: busy.id })).body);
  expect((await request(replaced.path)).status).toBe(200);
  // Each secret is well-formed, so each costs a look-up until the bound.
  const from = '203.0.113.7';
  const removed = [];
  for (let count = 0; count < 2; count++) {
    const { id, path } = await create();
    removed.push(path);
    await account('DELETE', '/api/calendar', { id });
  }
  const wrong = [];
  for (let count = 0; count <= WRONG_TOKENS; count++)
    wrong.push((await request(removed[0] as string, { from })).status);
  expect(wrong).toEqual([...Array<number>(WRONG_TOKENS).fill(404), 429]);
  expect(await (await request(removed[1] as string, { from })).json()).toMatchObject({
    error: 'rate_limited',
    details: { limit: 'calendars:wrong' },
  });
  // An address that was valid recently still works there, and so do tokens and everything from elsewhere.
  expect((await request(other.path, { from })).status).toBe(200);
  const authorized = { from, headers: { Authorization: `Bearer ${await stack.token(emailOf('ann'))}` } };
  expect((await request('/api/me', authorized)).status).toBe(200);
});

test('[ICAL2 LIM1] the calendars of a user count together too, so that twenty are not twenty times the limit', async () => {
  const email = emailOf('limited');
  await stack.token(email);
  await makePassword(stack.environment, email, PASSWORD);
  const own = await signIn(url, email, PASSWORD);
  const paths = [];
  for (let count = 0; count < 4; count++) paths.push((await create({}, own)).path);
  const statuses = [];
  // Each address has fewer requests than its own limit.
  for (let count = 0; count <= POINTS_OF_USER; count++)
    statuses.push((await request(paths[count % paths.length] as string)).status);
  expect(statuses).toEqual([...Array<number>(POINTS_OF_USER).fill(200), 429]);
  expect(await (await request(paths[0] as string)).json()).toMatchObject({ details: { limit: 'calendar:user' } });
  const elsewhere = restCall(url, await stack.token(email));
  expect((await elsewhere('node:find', {})).status).toBe(200);
});

// The last one, so that the logs have all requests of this file.
test('[ICAL1 AUTH1] no log contains an address, its hash or its path, at any level', async () => {
  expect(addresses.length).toBeGreaterThan(10);
  expect(foundInLogs(stack.logFolder, [...addresses, '/calendar/', '.ics'])).toEqual([]);
});
