// Registrations and identities of providers, by the handlers that workers answer with, on a real
// database.

import { setPassword } from '@taskgraph/graph-store/accounts/token-endings';
import { ensureUser } from '@taskgraph/graph-store/accounts/users';
import type { Database } from '@taskgraph/graph-store/driver/database';
import { saltOf } from '@taskgraph/runtime/security/passwords';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { HASH, NOW, newToken, opening, operations, tickets } from '../test/support/account-operations.ts';
import { makeUser, newId, openTestDatabase, startTestWorker, warmUp } from '../test/support/harness.ts';

let database: Database;
let { ask, done, read, resolve, setClock, told }: ReturnType<typeof operations> = {} as never;
beforeAll(async () => {
  database = await openTestDatabase();
  ({ ask, done, read, resolve, setClock, told } = operations(database));
  await warmUp(database);
});
afterAll(() => database.close());

describe('registrations', () => {
  const expires = new Date(NOW + 3_600_000).toISOString();
  const registration = (email: string) => ({ id: newId(0), email, username: 'eve', expires });
  const verification = (of: { id: string; email: string }, userId: string) => ({
    ticket: tickets.registration(of),
    userId,
    passwordHash: HASH,
  });

  test('[AUTH1] verification can be repeated, and creates one user, also with a second link', async () => {
    const email = `eve-${newId(0)}@example.com`;
    const [one, other] = [registration(email), registration(email)];
    for (const each of [one, other]) expect(await done('account:register', each)).toEqual({ known: false });
    const asked = verification(one, newId(7));
    const answers = await Promise.all([ask('account:verify', asked), ask('account:verify', asked)]);
    for (const answer of answers)
      expect(answer).toMatchObject({ ok: true, body: { user: { id: asked.userId, email } } });
    const late = await ask('account:verify', verification(other, newId(8)));
    expect(late).toMatchObject({ error: 'not_found' });
    expect(await done('account:register', registration(email))).toEqual({ known: true });
    setClock(3_600_000);
    const expired = registration(`late-${email}`);
    await done('account:register', expired);
    expect(await ask('account:verify', verification(expired, newId(0)))).toMatchObject({
      error: 'not_found',
    });
    setClock(0);
  });

  test('[AUTH1] a link sets no password for an account created meanwhile', async () => {
    const email = `met-${newId(0)}@example.com`;
    const waiting = registration(email);
    await done('account:register', waiting);
    await ensureUser(database, { id: newId(9), email, username: 'met', now: new Date(NOW).toISOString() });
    const verified = await ask('account:verify', verification(waiting, newId(0)));
    expect(verified).toMatchObject({ error: 'conflict.registered' });
    expect(await done('account:find', { email })).toMatchObject({ account: { salt: null } });
  });

  test('[ACL4 AUTH1] verification and concurrent grants to the same e-mail: every grant is visible, in either order', async () => {
    const worker = startTestWorker(database);
    const owner = await makeUser(database, 'owner');
    for (let round = 0; round < 3; round++) {
      const email = `race-${newId(0)}@example.com`;
      const waiting = registration(email);
      await done('account:register', waiting);
      const made = await Promise.all([1, 2, 3, 4].map(() => worker.run(owner, 'node:add', {})));
      const nodes = made.map(({ nodes: [entry] }) => String(entry?.after.id));
      const userId = newId(Math.floor(Math.random() * 4_096));
      const grants = nodes.map((id) => worker.send(owner, 'node:access', { id, email, level: 3, branch: true }));
      const [verified, ...granted] = await Promise.all([
        ask('account:verify', verification(waiting, userId)),
        ...grants,
      ]);
      expect(verified).toMatchObject({ ok: true });
      for (const reply of granted) expect(reply).toMatchObject({ ok: true });
      const graph = await read('graph:get', {}, { id: userId, email, username: 'eve' });
      const seen = (graph.nodes as { id: string }[]).map(({ id }) => id);
      expect(seen).toEqual(nodes.toSorted());
    }
  });
});

test('[AUTH1] a provider’s identity stays with its user, and creates no user without permission', async () => {
  const name = newId(0);
  const asked = {
    id: newId(3),
    issuer: 'https://id.example.com',
    subject: name,
    email: `${name}@example.com`,
    username: 'eve',
  };
  expect(await ask('account:vouch', { ...asked, mayRegister: false })).toMatchObject({
    error: 'forbidden.registration_off',
  });
  const twice = await Promise.all(
    [1, 2].map((slot) => done('account:vouch', { ...asked, id: newId(slot), mayRegister: true })),
  );
  expect(twice[1]).toEqual(twice[0]);
  const moved = { ...asked, email: `moved-${asked.email}`, mayRegister: false };
  expect(await done('account:vouch', moved)).toEqual(twice[0]);
  const another = { ...asked, subject: 'another', mayRegister: true };
  expect(await ask('account:vouch', another)).toMatchObject({ error: 'forbidden.identity' });
  const elsewhere = { ...another, issuer: 'https://other.example.com' };
  expect(await done('account:vouch', elsewhere)).toEqual(twice[0]);
});

describe('[AUTH4] the first sign-in by a provider', () => {
  const vouching = (email: string) => ({
    id: newId(3),
    issuer: 'https://id.example.com',
    subject: newId(0),
    email,
    username: 'eve',
    mayRegister: true,
  });

  /** An account with a password, a session and an API token. */
  async function makeAccount(passwordHash: string | null) {
    const { id, email, username } = await makeUser(database);
    const now = new Date(NOW).toISOString();
    if (passwordHash !== null) {
      await setPassword(database, { userId: id, before: null, after: passwordHash, keep: '', endTokens: false, now });
    }
    const [session, token] = [newToken({ expires: new Date(NOW + 3_600_000).toISOString() }), newToken()];
    await done('account:session', opening(id, session));
    await done('account:token:add', { token }, { id, email, username });
    return { id, email, session, token };
  }

  test('ends an earlier password, sessions and API tokens, and notifies gateways; a later one ends nothing', async () => {
    const { email, session, token } = await makeAccount(HASH);
    const asked = vouching(email);
    await done('account:vouch', asked);
    expect(await done('account:find', { email })).toMatchObject({ account: { salt: null } });
    expect([await resolve(session.hash), await resolve(token.hash)]).toEqual([null, null]);
    expect(told.at(-1)?.tokens?.toSorted()).toEqual([session.id, token.id].toSorted());
    const { id } = (await done('account:find', { email })).account as unknown as { id: string };
    const next = newToken({ expires: new Date(NOW + 3_600_000).toISOString() });
    await done('account:session', opening(id, next));
    const toldBefore = told.length;
    await done('account:vouch', asked);
    expect(await resolve(next.hash)).toMatchObject({ user: { email } });
    expect(told).toHaveLength(toldBefore);
  });

  test('does not end API tokens of an account that never had a password, because only operators created them', async () => {
    const { email, session, token } = await makeAccount(null);
    await done('account:vouch', vouching(email));
    expect(await resolve(session.hash)).toBe(null);
    expect(await resolve(token.hash)).toMatchObject({ user: { email } });
  });

  test('concurrent with a login by the old password: in either order, no session of it remains', async () => {
    for (let round = 0; round < 3; round++) {
      const { id, email } = await makeAccount(HASH);
      const sessions = Array.from({ length: 6 }, () => newToken({ expires: new Date(NOW + 3_600_000).toISOString() }));
      await Promise.all([
        ...sessions.map((token) => ask('account:session', opening(id, token, HASH))),
        done('account:vouch', vouching(email)),
      ]);
      for (const { hash } of sessions) expect(await resolve(hash)).toBe(null);
    }
  });
});

test('[AUTH4] a registration sets no password, and a forged or foreign link creates no account', async () => {
  const email = `link-${newId(0)}@example.com`;
  const waiting = { id: newId(0), email, username: 'eve', expires: new Date(NOW + 3_600_000).toISOString() };
  await done('account:register', waiting);
  const good = tickets.registration(waiting);
  const wrong = [
    `${good}x`,
    good.replace(/^.{8}/, 'AAAAAAAA'),
    tickets.registration(waiting, NOW),
    tickets.reset(waiting, null),
    tickets.registration({ id: waiting.id, email: `other-${email}` }),
  ];
  for (const ticket of wrong) {
    const asked = { ticket, userId: newId(1), passwordHash: HASH };
    expect(await ask('account:verify', asked)).toMatchObject({ error: 'not_found' });
  }
  expect(await done('account:find', { email })).toEqual({ account: null });
  await done('account:verify', { ticket: good, userId: newId(1), passwordHash: HASH });
  expect(await done('account:find', { email })).toMatchObject({ account: { salt: saltOf(HASH) } });
});
