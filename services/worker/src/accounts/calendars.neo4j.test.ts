// Calendars, by the handlers that workers answer with, on a real database.
import { resolveCalendars } from '@taskgraph/graph-store/accounts/calendars';
import { resetPassword, setPassword } from '@taskgraph/graph-store/accounts/token-endings';
import { openSession } from '@taskgraph/graph-store/accounts/tokens';
import { makeAdministrator } from '@taskgraph/graph-store/accounts/users';
import type { Database } from '@taskgraph/graph-store/driver/database';
import type { ActingUser } from '@taskgraph/wire/actor';
import { type CalendarMatches, calendarMatches } from '@taskgraph/wire/bus/gateway-reads';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { HASH, NOW, newToken, operations } from '../test/support/account-operations.ts';
import { makeUser, newId, openTestDatabase, warmUp } from '../test/support/harness.ts';

const MINUTE_MS = 60_000;

let database: Database;
let { ask, done, read, setClock }: ReturnType<typeof operations> = {} as never;
beforeAll(async () => {
  database = await openTestDatabase();
  ({ ask, done, read, setClock } = operations(database));
  await warmUp(database);
});
afterAll(() => database.close());

const DEFINITION = { name: 'Due dates', root: null, where: null, as: 'event', planned: null } as const;
const newHash = () => newToken().hash;

/** The id of a new session of the user. */
async function open({ id: userId }: ActingUser): Promise<string> {
  const token = newToken({ expires: new Date(NOW + 60 * MINUTE_MS).toISOString() });
  await openSession(database, { userId, token, passwordHash: null, link: null }, NOW);
  return token.id;
}

async function add(user: ActingUser, more: object = {}) {
  const calendar = { ...DEFINITION, id: newId(0), hash: newHash(), ...more };
  await done('account:calendar:add', { ...calendar, session: await open(user) }, user);
  return calendar;
}

const listed = async (user: ActingUser) =>
  ((await done('account:calendars', {}, user)) as unknown as { calendars: { id: string }[] }).calendars;

async function resolve(...hashes: string[]): Promise<CalendarMatches['found']> {
  return calendarMatches.parse(await read('calendars:resolve', { hashes })).found;
}

test('[ICAL1] a calendar is stored as its user defined it, and only its user lists it', async () => {
  const [ann, bob] = [await makeUser(database), await makeUser(database)];
  const where = JSON.stringify({ assignee: ['me'] });
  const planned = { start: '2026-01-05T00:00:00.000Z', unit: 'day' } as const;
  const { hash, ...calendar } = await add(ann, { root: newId(0), where, as: 'todo', planned });
  const { hash: _, ...later } = await add(ann, { planned: { start: null, unit: 'hour' } });
  const facts = { createdTime: new Date(NOW).toISOString(), lastUsed: null };
  expect(await listed(ann)).toEqual([
    { ...calendar, ...facts },
    { ...later, ...facts },
  ]);
  expect(await listed(bob)).toEqual([]);
  // A repeated request creates no second calendar.
  await done('account:calendar:add', { ...calendar, hash, session: await open(ann) }, ann);
  expect(await listed(ann)).toHaveLength(2);
  for (const [event, payload] of [
    ['account:calendar:rotate', { id: calendar.id, hash: newHash() }],
    ['account:calendar:remove', { id: calendar.id, request: newId(0) }],
  ] as const) {
    expect(await ask(event, payload, bob), event).toMatchObject({ error: 'not_found' });
  }
  expect(await resolve(hash)).toMatchObject([{ hash, user: { id: ann.id, email: ann.email }, calendar }]);
});

test('[ICAL1] the database has the hash of an address, and not in what its user lists', async () => {
  const user = await makeUser(database);
  const { id, hash } = await add(user);
  const [row] = await database.read('MATCH (c:Calendar {id: $id}) RETURN properties(c) AS calendar', { id });
  expect(row?.calendar).toMatchObject({ hash });
  expect(JSON.stringify(await listed(user))).not.toContain(hash);
});

test('[ICAL1] a user has at most twenty calendars; a removed one does not count', async () => {
  const user = await makeUser(database);
  const all = [];
  for (let count = 0; count < 20; count++) all.push(await add(user));
  const session = await open(user);
  const another = () => ask('account:calendar:add', { ...DEFINITION, id: newId(0), hash: newHash(), session }, user);
  expect(await another()).toMatchObject({ error: 'conflict.too_many_calendars', details: { most: 20 } });
  await done('account:calendar:remove', { id: all[0]?.id ?? '', request: newId(0) }, user);
  expect(await another()).toMatchObject({ ok: true });
  expect(await another()).toMatchObject({ error: 'conflict.too_many_calendars' });
});

test('[ICAL1] a bot has no calendars', async () => {
  const user = await makeUser(database);
  const { bot } = (await done('account:bot:add', { id: newId(0), name: 'Importer' }, user)) as unknown as {
    bot: { id: string; name: string; email: string };
  };
  const actor = { id: bot.id, username: bot.name, email: bot.email, maintainer: user.id };
  const calendar = { ...DEFINITION, id: newId(0), hash: newHash() };
  for (const session of [newId(0), await open(user)])
    expect(await ask('account:calendar:add', { ...calendar, session }, actor)).toMatchObject({ ok: false });
});

test('[ICAL1 ICAL2] a rotated or removed address ends, also if the request is repeated', async () => {
  const user = await makeUser(database);
  const [first, second] = [await add(user), await add(user)];
  const hash = newHash();
  for (let times = 0; times < 2; times++) await done('account:calendar:rotate', { id: first.id, hash }, user);
  expect(await resolve(first.hash)).toEqual([]);
  expect(await resolve(hash)).toMatchObject([{ calendar: { id: first.id, name: 'Due dates' } }]);
  const request = newId(0);
  for (let times = 0; times < 2; times++) await done('account:calendar:remove', { id: second.id, request }, user);
  expect(await ask('account:calendar:remove', { id: second.id, request: newId(0) }, user)).toMatchObject({
    error: 'not_found',
  });
  expect(await ask('account:calendar:rotate', { id: second.id, hash: newHash() }, user)).toMatchObject({
    error: 'not_found',
  });
  expect(await resolve(second.hash)).toEqual([]);
  expect((await listed(user)).map(({ id }) => id)).toEqual([first.id]);
  // A removed one is forgotten with the next calendar that its user makes later.
  setClock(11 * MINUTE_MS);
  await add(user);
  setClock(0);
  const rows = await database.read('MATCH (c:Calendar {id: $id}) RETURN c.id AS id', { id: second.id });
  expect(rows).toEqual([]);
});

test('[ICAL1 AUTH1] addresses are suspended while their user is disabled', async () => {
  const [user, admin] = [await makeUser(database), await makeUser(database)];
  await makeAdministrator(database, admin.id);
  const { hash } = await add(user);
  await done('account:disable', { id: user.id, disabled: true }, admin);
  expect(await resolve(hash)).toEqual([]);
  await done('account:disable', { id: user.id, disabled: false }, admin);
  expect(await resolve(hash)).toMatchObject([{ hash }]);
});

test('[ICAL1 AUTH4] addresses end with API tokens, and stay where these stay', async () => {
  const user = await makeUser(database);
  const { hash } = await add(user);
  const change = { userId: user.id, keep: '', now: new Date(NOW).toISOString() };
  await setPassword(database, { ...change, before: null, after: HASH, endTokens: false });
  expect(await resolve(hash)).toHaveLength(1);
  await setPassword(database, { ...change, before: HASH, after: `${HASH}2`, endTokens: true });
  expect([await resolve(hash), await listed(user)]).toEqual([[], []]);
  const next = await add(user);
  const reset = { userId: user.id, after: HASH, now: change.now, isExpected: () => true };
  await resetPassword(database, { ...reset, endTokens: true });
  expect(await resolve(next.hash)).toEqual([]);
});

test('[ICAL1 AUTH4] a session that ends meanwhile creates no calendar, so none escapes the end of all', async () => {
  const user = await makeUser(database);
  const [mine, thief] = [await open(user), await open(user)];
  // The thief's request is authenticated; then the password changes, before the calendar is stored.
  const change = { userId: user.id, keep: mine, now: new Date(NOW).toISOString() };
  await setPassword(database, { ...change, before: null, after: HASH, endTokens: true });
  const calendar = { ...DEFINITION, id: newId(0), hash: newHash() };
  expect(await ask('account:calendar:add', { ...calendar, session: thief }, user)).toMatchObject({
    error: 'unauthorized',
  });
  expect(await listed(user)).toEqual([]);
  // Nor does the session of another user.
  const other = await open(await makeUser(database));
  expect(await ask('account:calendar:add', { ...calendar, session: other }, user)).toMatchObject({ ok: false });
  await done('account:calendar:add', { ...calendar, session: mine }, user);
  expect(await listed(user)).toHaveLength(1);
});

test('[ICAL1 AUTH4] the first sign-in by a provider ends addresses of an account with a password', async () => {
  const [secured, open] = [await makeUser(database), await makeUser(database)];
  const change = { userId: secured.id, keep: '', now: new Date(NOW).toISOString() };
  await setPassword(database, { ...change, before: null, after: HASH, endTokens: false });
  const [ended, kept] = [await add(secured), await add(open)];
  for (const { id, email } of [secured, open]) {
    const vouched = { id: newId(0), issuer: 'https://id.example.com', subject: id, email, username: 'x' };
    await done('account:vouch', { ...vouched, mayRegister: false });
  }
  expect([await resolve(ended.hash), await resolve(kept.hash)]).toMatchObject([[], [{ hash: kept.hash }]]);
});

test('[ICAL1] the last use is noted once an hour, and a new address has none', async () => {
  const user = await makeUser(database);
  const { id, hash } = await add(user);
  const lastUsed = async () => (await listed(user))[0] as unknown as { lastUsed: string | null };
  const at = (minutes: number) => new Date(NOW + minutes * MINUTE_MS).toISOString();
  for (const [minutes, noted] of [
    [1, 1],
    [30, 1],
    [62, 62],
  ] as const) {
    setClock(minutes * MINUTE_MS);
    await resolve(hash);
    expect((await lastUsed()).lastUsed).toBe(at(noted));
  }
  setClock(0);
  await done('account:calendar:rotate', { id, hash: newHash() }, user);
  expect((await lastUsed()).lastUsed).toBe(null);
});

test('[ICAL1] a request at the old address does not mark the new one as read', async () => {
  const user = await makeUser(database);
  const { id, hash } = await add(user);
  const next = newHash();
  const replacing: Database = {
    ...database,
    async read(cypher, parameters, order) {
      const rows = await database.read(cypher, parameters, order);
      // The address is replaced between its look-up and the note of its use.
      await done('account:calendar:rotate', { id, hash: next }, user);
      return rows;
    },
  };
  expect(await resolveCalendars(replacing, [hash], NOW)).toHaveLength(1);
  expect(await listed(user)).toMatchObject([{ id, lastUsed: null }]);
  await resolve(next);
  expect(await listed(user)).toMatchObject([{ id, lastUsed: new Date(NOW).toISOString() }]);
});
