// Sessions and passwords, by the handlers that workers answer with, on a real database. Rules:
// AUTH1, AUTH4.

import { setPassword } from '@taskgraph/graph-store/accounts/token-endings';
import { setSignInLink } from '@taskgraph/graph-store/accounts/tokens';
import { makeAdministrator } from '@taskgraph/graph-store/accounts/users';
import type { Database } from '@taskgraph/graph-store/driver/database';
import { saltOf } from '@taskgraph/runtime/security/passwords';
import type { ActingUser } from '@taskgraph/wire/actor';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { changing, HASH, NOW, newToken, opening, operations, tickets } from '../test/support/account-operations.ts';
import { makeUser, newId, openTestDatabase, warmUp } from '../test/support/harness.ts';

let database: Database;
let { ask, done, resolve, setClock, told }: ReturnType<typeof operations> = {} as never;
beforeAll(async () => {
  database = await openTestDatabase();
  ({ ask, done, resolve, setClock, told } = operations(database));
  await warmUp(database);
});
afterAll(() => database.close());

const expires = new Date(NOW + 3_600_000).toISOString();
/** Another password has another salt. */
const hashOf = (salt: string) => HASH.replace('c2FsdA', Buffer.from(salt).toString('base64url'));
const AFTER = hashOf('after');

async function withPassword(passwordHash: string | null = HASH): Promise<ActingUser> {
  const user = await makeUser(database);
  const asked = { userId: user.id, before: null, keep: '', endTokens: false, now: new Date(NOW).toISOString() };
  if (passwordHash !== null) await setPassword(database, { ...asked, after: passwordHash });
  return user;
}

async function open(user: ActingUser) {
  const token = newToken({ expires });
  await done('account:session', opening(user.id, token));
  return token;
}

async function addToken(user: ActingUser) {
  const token = newToken();
  await done('account:token:add', { token }, user);
  return token;
}

const live = async (...tokens: { hash: string }[]) =>
  Promise.all(tokens.map(async ({ hash }) => (await resolve(hash)) !== null));

describe('[AUTH4] a password reset', () => {
  const reset = (ticket: string, passwordHash = AFTER, endTokens = false) =>
    ask('account:reset', { ticket, passwordHash, endTokens });

  test.each([
    ['a password', HASH],
    ['none', null],
  ])(
    'replaces the password of an account with %s once, ends all sessions, and notifies gateways',
    async (_what, before) => {
      const user = await withPassword(before);
      const [session, token] = [await open(user), await addToken(user)];
      const ticket = tickets.reset(user, before);
      expect(await reset(ticket)).toMatchObject({ ok: true, body: { userId: user.id, email: user.email } });
      expect(told.at(-1)?.tokens).toEqual([session.id]);
      expect(await live(session, token)).toEqual([false, true]);
      // The same request again is answered as the first time; the same link with another password is
      // used up.
      expect(await reset(ticket)).toMatchObject({ ok: true });
      expect(await reset(ticket, hashOf('another'))).toMatchObject({ error: 'not_found' });
      expect(await done('account:find', { email: user.email })).toMatchObject({ account: { salt: saltOf(AFTER) } });
    },
  );

  test('works with only one of two links, and with none after a change of the password', async () => {
    const user = await withPassword();
    const links = ['one', 'two'].map(hashOf).map((after) => reset(tickets.reset(user, HASH), after));
    const outcomes = (await Promise.all(links)).map(({ ok }) => ok);
    expect(outcomes.toSorted()).toEqual([false, true]);
    const changed = await withPassword();
    const mine = await open(changed);
    const earlier = tickets.reset(changed, HASH);
    await done('account:password', changing(changed.id, HASH, { keep: mine.id, after: AFTER }), changed);
    expect(await reset(earlier, hashOf('three'))).toMatchObject({ error: 'not_found' });
  });

  test('is refused with an expired, forged or registration link, and for disabled or deleted users', async () => {
    const [user, admin] = [await withPassword(), await makeUser(database, 'admin')];
    await makeAdministrator(database, admin.id);
    const good = tickets.reset(user, HASH);
    for (const ticket of [
      tickets.reset(user, HASH, NOW),
      `${good}x`,
      'x',
      tickets.registration(user),
      tickets.reset({ id: newId(0), email: user.email }, HASH),
    ]) {
      expect(await reset(ticket)).toMatchObject({ error: 'not_found' });
    }
    await done('account:disable', { id: user.id, disabled: true }, admin);
    expect(await reset(good)).toMatchObject({ error: 'not_found' });
    expect(await done('account:find', { email: user.email })).toMatchObject({ account: { salt: saltOf(HASH) } });
  });

  test('and a change end API tokens too if requested', async () => {
    const user = await withPassword();
    const [token, mine, other] = [await addToken(user), await open(user), await open(user)];
    const change = changing(user.id, HASH, { keep: mine.id, after: AFTER });
    await done('account:password', { ...change, endTokens: true }, user);
    expect(await live(token, mine, other)).toEqual([false, true, false]);
    expect(told.at(-1)?.tokens?.toSorted()).toEqual([token.id, other.id].toSorted());
    const next = await addToken(user);
    expect(await reset(tickets.reset(user, AFTER), HASH, true)).toMatchObject({ ok: true });
    expect(await live(next, mine)).toEqual([false, false]);
  });
});

describe('[AUTH5] a sign-in link', () => {
  const use = (ticket: string, token = newToken({ expires })) => ask('account:link', { ticket, token });
  async function linkOf(user: ActingUser, passwordHash: string | null = HASH) {
    const link = newId(0);
    await setSignInLink(database, { userId: user.id, link });
    return tickets.signIn(user.id, link, passwordHash);
  }

  test.each([
    ['a password', HASH],
    ['none', null],
  ])('opens one session of an account with %s', async (_what, passwordHash) => {
    const user = await withPassword(passwordHash);
    const ticket = await linkOf(user, passwordHash);
    const token = newToken({ expires });
    expect(await use(ticket, token)).toMatchObject({ ok: true, body: { user: { id: user.id, email: user.email } } });
    // The same request again is answered as the first time; another one finds the link used.
    expect(await use(ticket, token)).toMatchObject({ ok: true });
    expect(await use(ticket)).toMatchObject({ error: 'not_found' });
    expect(await live(token)).toEqual([true]);
    const next = await linkOf(user, passwordHash);
    expect(await use(ticket)).toMatchObject({ error: 'not_found' });
    expect(await use(next)).toMatchObject({ ok: true });
  });

  test('works for one of several requests at the same time', async () => {
    const ticket = await linkOf(await withPassword());
    const outcomes = await Promise.all(Array.from({ length: 5 }, () => use(ticket)));
    expect(outcomes.filter(({ ok }) => ok)).toHaveLength(1);
  });

  test('is refused when it is forged, expired or replaced, after a new password, and for a disabled user', async () => {
    const admin = await makeUser(database);
    await makeAdministrator(database, admin.id);
    const user = await withPassword();
    const good = await linkOf(user);
    const link = newId(0);
    for (const ticket of [
      `${good}x`,
      'x',
      tickets.reset(user, HASH),
      tickets.signIn(user.id, link, HASH),
      tickets.signIn(newId(0), link, HASH),
    ]) {
      expect(await use(ticket)).toMatchObject({ error: 'not_found' });
    }
    await setSignInLink(database, { userId: user.id, link });
    expect(await use(good)).toMatchObject({ error: 'not_found' });
    expect(await use(tickets.signIn(user.id, link, HASH, NOW))).toMatchObject({ error: 'not_found' });
    await done('account:password', changing(user.id, HASH, { keep: newId(0), after: AFTER }), user);
    expect(await use(tickets.signIn(user.id, link, HASH))).toMatchObject({ error: 'not_found' });
    const last = await linkOf(user, AFTER);
    await done('account:disable', { id: user.id, disabled: true }, admin);
    expect(await use(last)).toMatchObject({ error: 'not_found' });
    await done('account:disable', { id: user.id, disabled: false }, admin);
    expect(await use(last)).toMatchObject({ ok: true });
  });
});

test('[AUTH4] sessions are listed only for their user, and ended one by one or all except one', async () => {
  const [user, stranger] = [await withPassword(), await withPassword()];
  const sessions: Awaited<ReturnType<typeof open>>[] = [];
  for (let count = 0; count < 3; count++) {
    setClock(count);
    sessions.push(await open(user));
  }
  const [first, second, third] = sessions as [(typeof sessions)[0], (typeof sessions)[0], (typeof sessions)[0]];
  const token = await addToken(user);
  const list = async (whose: ActingUser) =>
    ((await done('account:sessions', {}, whose)) as unknown as { sessions: { id: string }[] }).sessions;
  expect(await list(user)).toEqual(
    sessions.map(({ id }, count) => ({
      id,
      createdTime: new Date(NOW + count).toISOString(),
      expires,
      lastUsed: null,
    })),
  );
  const end = (id: string, whose: ActingUser, request = newId(0)) => ask('account:session:end', { id, request }, whose);
  expect(await end(first.id, stranger)).toMatchObject({ error: 'not_found' });
  expect(await end(token.id, user)).toMatchObject({ error: 'not_found' });
  const request = newId(0);
  expect(await end(first.id, user, request)).toMatchObject({ ok: true });
  expect(await end(first.id, user, request)).toMatchObject({ ok: true });
  expect(await end(first.id, user)).toMatchObject({ error: 'not_found' });
  await done('account:sessions:end', { keep: third.id }, user);
  expect(told.at(-1)?.tokens).toEqual([second.id]);
  expect(await live(first, second, third, token)).toEqual([false, false, true, true]);
  setClock(3_600_000);
  expect(await list(user)).toEqual([]);
  setClock(0);
});
