// Stored tokens and sessions, by the handlers that workers answer with, on a real database.

import { makeAdministrator } from '@taskgraph/graph-store/accounts/users';
import { type Database, openDatabase } from '@taskgraph/graph-store/driver/database';
import { proveKey } from '@taskgraph/runtime/security/passwords';
import type { ActingUser } from '@taskgraph/wire/actor';
import {
  ACCOUNT_MESSAGES,
  type AccountEvent,
  type AccountPayload,
  passwordClaim,
  sessionClaim,
} from '@taskgraph/wire/bus/account-messages';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { HASH, keyOf, NOW, newToken, operations, tickets } from '../test/support/account-operations.ts';
import { makeUser, newId, openTestDatabase, warmUp } from '../test/support/harness.ts';

let database: Database;
let { ask, say, done, resolve, resolveAll, check, told, setClock }: ReturnType<typeof operations> = {} as never;
beforeAll(async () => {
  database = await openTestDatabase();
  ({ ask, say, done, resolve, resolveAll, check, told, setClock } = operations(database));
  await warmUp(database);
});
afterAll(() => database.close());

/** The statement by which the previous release replaces a token. */
const PREVIOUS_ROTATION = `MATCH (u:User {id: $userId})
SET u.lock = true
WITH u
MATCH (u)-[:HAS_TOKEN]->(t:Token {id: $id, kind: 'api'}) WHERE t.revoked IS NULL OR t.revokedBy = $request
SET t.revoked = coalesce(t.revoked, $now), t.revokedBy = $request REMOVE t.hash
MERGE (u)-[:HAS_TOKEN]->(next:Token {id: $token.id})
ON CREATE SET next = {name: t.name, readOnly: t.readOnly, expires: t.expires, kind: t.kind, createdTime: $now},
  next += $token
RETURN properties(next) AS token`;

describe('tokens', () => {
  test('[AUTH2] give their declared access until they expire or are revoked', async () => {
    const user = await makeUser(database);
    const expires = new Date(NOW + 1_000).toISOString();
    const [lasting, ending] = [newToken({ readOnly: true }), newToken({ expires })];
    for (const token of [lasting, ending]) await done('account:token:add', { token }, user);
    const identity = { user, token: { id: lasting.id, kind: 'api', readOnly: true, expires: null } };
    expect(await resolve(lasting.hash)).toEqual(identity);
    expect(await resolve(ending.hash)).toMatchObject({ token: { id: ending.id, expires } });
    expect(await check([ending.id, lasting.id, newId(0)])).toEqual([ending.id, lasting.id]);
    setClock(1_000);
    expect(await resolve(ending.hash)).toBe(null);
    expect(await check([ending.id, lasting.id])).toEqual([lasting.id]);
    setClock(0);
    await done('account:token:revoke', { id: lasting.id, request: newId(0) }, user);
    expect(told.at(-1)).toEqual({ readers: [], feeds: [], tokens: [lasting.id] });
    expect([await resolve(lasting.hash), await check([lasting.id])]).toEqual([null, []]);
  });

  test('[SCOPE1 SCOPE3] keep their scopes, also when replaced; the previous release does not accept them', async () => {
    const user = await makeUser(database);
    const { readOnly: _readOnly, ...record } = newToken();
    const scopes = ['read', 'edit'] as const;
    const { token } = await done('account:token:add', { token: { ...record, scopes: [...scopes] } }, user);
    expect(token).toMatchObject({ id: record.id, scopes });
    const resolved = { user, token: { id: record.id, kind: 'api', readOnly: true, scopes, expires: null } };
    expect(await resolve(record.hash)).toEqual(resolved);
    expect(await resolveAll([record.hash], {})).toEqual([]);
    const { id, hash, prefix } = newToken();
    const next = { id, hash, prefix };
    const rotated = await done('account:token:rotate', { id: record.id, request: newId(0), token: next }, user);
    expect(rotated.token).toMatchObject({ id, scopes });
    expect([await resolve(record.hash), await resolve(hash)]).toMatchObject([null, { token: { id, scopes } }]);
    expect(await resolveAll([hash], {})).toEqual([]);
    expect(await done('account:tokens', {}, user)).toMatchObject({ tokens: [{ id, scopes }] });
    await done('account:token:revoke', { id, request: newId(0) }, user);
    expect(await resolve(hash)).toBe(null);
  });

  test('[SCOPE3] with scopes, the statements of the previous release neither find nor replace them', async () => {
    const user = await makeUser(database);
    const { readOnly: _readOnly, ...record } = newToken();
    const scopes = ['edit', 'delete'] as const;
    await done('account:token:add', { token: { ...record, scopes: [...scopes] } }, user);
    const found = await database.read('MATCH (t:Token {hash: $hash}) RETURN t.id AS id', { hash: record.hash });
    expect(found).toEqual([]);
    const { id, hash, prefix } = newToken();
    const request = { userId: user.id, id: record.id, request: newId(0), now: new Date(NOW).toISOString() };
    expect(await database.write(PREVIOUS_ROTATION, { ...request, token: { id, hash, prefix } })).toEqual([]);
    expect([await resolve(hash), await resolve(record.hash)]).toMatchObject([null, { token: { scopes } }]);
  });

  test('[SCOPE3] with scopes, they show as read-only to a gateway of the previous release', async () => {
    const user = await makeUser(database);
    const { readOnly: _readOnly, ...record } = newToken();
    await done('account:token:add', { token: { ...record, scopes: ['edit'] } }, user);
    expect(await done('account:tokens', {}, user)).toMatchObject({ tokens: [{ id: record.id, readOnly: true }] });
  });

  test('[AUTH2] are looked up together, each with its own user, without invalid ones', async () => {
    const [ann, bob] = [await makeUser(database), await makeUser(database)];
    const [hers, his, unknown] = [newToken(), newToken(), newToken()];
    await done('account:token:add', { token: hers }, ann);
    await done('account:token:add', { token: his }, bob);
    const found = await resolveAll([hers, unknown, his].map(({ hash }) => hash));
    expect(new Map(found.map(({ hash, user }) => [hash, user.id]))).toEqual(
      new Map([
        [hers.hash, ann.id],
        [his.hash, bob.id],
      ]),
    );
    for (const user of [ann, bob]) {
      expect(await done('account:tokens', {}, user)).toMatchObject({
        tokens: [{ lastUsed: new Date(NOW).toISOString() }],
      });
    }
  });

  test('[AUTH2] the last use is stored at most once a minute', async () => {
    const [user, token] = [await makeUser(database), newToken()];
    await done('account:token:add', { token }, user);
    const lastUsed = async () => {
      const { tokens } = await done('account:tokens', {}, user);
      return (tokens[0] as unknown as { lastUsed: string | null }).lastUsed;
    };
    expect(await lastUsed()).toBe(null);
    for (const [afterMs, notedMs] of [
      [0, 0],
      [59_000, 0],
      [61_000, 61_000],
    ] as const) {
      setClock(afterMs);
      await resolve(token.hash);
      expect(await lastUsed()).toBe(new Date(NOW + notedMs).toISOString());
    }
    setClock(0);
  });

  test('[AUTH2] every operation can be repeated, and is executed once', async () => {
    const user = await makeUser(database);
    const [token, next, request] = [newToken({ name: 'script' }), newToken(), newId(0)];
    const { id, hash, prefix } = next;
    const twice = async <E extends AccountEvent>(event: E, payload: AccountPayload<E>) => {
      const answers = [await done(event, payload, user), await done(event, payload, user)];
      expect(answers[1]).toEqual(answers[0]);
      return answers[0];
    };
    await twice('account:token:add', { token });
    const rotated = await twice('account:token:rotate', { id: token.id, request, token: { id, hash, prefix } });
    expect(rotated?.token).toMatchObject({ id, name: 'script' });
    expect(await resolve(token.hash)).toBe(null);
    expect((await done('account:tokens', {}, user)).tokens).toHaveLength(1);
    await twice('account:token:revoke', { id, request: newId(0) });
    expect(await ask('account:token:revoke', { id, request: newId(0) }, user)).toMatchObject({ error: 'not_found' });
    expect(await ask('account:token:rotate', { id, request, token: next }, user)).toMatchObject({ ok: false });
  });

  test('[AUTH2] belong to their user, who has at most a hundred', async () => {
    const [user, other] = [await makeUser(database), await makeUser(database)];
    const token = newToken();
    await done('account:token:add', { token }, user);
    const asked = { id: token.id, request: newId(0) };
    expect(await ask('account:token:revoke', asked, other)).toMatchObject({ error: 'not_found' });
    expect(await ask('account:logout', asked, user)).toMatchObject({ ok: true });
    expect(await resolve(token.hash)).toMatchObject({ user });
    for (let count = 1; count < 100; count++) await done('account:token:add', { token: newToken() }, user);
    const more = await ask('account:token:add', { token: newToken() }, user);
    expect(more).toMatchObject({ error: 'conflict.too_many_tokens' });
    expect(await ask('account:token:add', { token }, user)).toMatchObject({ ok: true });
  });
});

describe('sessions', () => {
  const expires = new Date(NOW + 3_600_000).toISOString();
  const open = (user: ActingUser, passwordHash: string | null = null) => {
    const token = newToken({ expires });
    const proof =
      passwordHash === null ? null : proveKey(keyOf(passwordHash), sessionClaim({ userId: user.id, token }));
    return { token, reply: ask('account:session', { userId: user.id, token, proof }) };
  };
  const change = (user: ActingUser, before: string, after: string, keep: string) => {
    const proof = proveKey(keyOf(before), passwordClaim({ userId: user.id, keep, after }));
    return ask('account:password', { proof, after, keep }, user);
  };

  test('[AUTH1] are refused if the password has changed or the user is disabled', async () => {
    const user = await makeUser(database);
    const admin = await makeUser(database, 'admin');
    await makeAdministrator(database, admin.id);
    expect(await open(user, HASH).reply).toMatchObject({ error: 'unauthorized' });
    await done('account:disable', { id: user.id, disabled: true }, admin);
    expect(await open(user).reply).toMatchObject({ error: 'unauthorized' });
  });

  /** A user who registered with HASH for a password. */
  async function registered(): Promise<ActingUser> {
    const email = `p-${newId(0)}@example.com`;
    const registration = { id: newId(0), email, username: 'p', expires };
    await done('account:register', registration);
    return (
      await done('account:verify', {
        ticket: tickets.registration(registration),
        userId: newId(5),
        passwordHash: HASH,
      })
    ).user;
  }

  test('[AUTH1] are opened by a proof of the password, which is valid only for that session', async () => {
    const owner = await registered();
    const found = await done('account:find', { email: owner.email });
    expect(found).toMatchObject({ account: { id: owner.id, salt: HASH.slice(0, HASH.lastIndexOf('$')) } });
    expect(JSON.stringify(found)).not.toContain(HASH.split('$').at(-1));
    const [token, stolen] = [newToken({ expires }), newToken({ expires })];
    const session = { userId: owner.id, token };
    const proof = proveKey(keyOf(HASH), sessionClaim(session));
    expect(await ask('account:session', { ...session, proof })).toMatchObject({ ok: true });
    for (const payload of [
      { userId: owner.id, token: stolen, proof },
      { userId: owner.id, token: { ...token, hash: stolen.hash }, proof },
      { ...session, proof: proveKey(keyOf(`${HASH}xx`), sessionClaim(session)) },
      { ...session, proof: proveKey(Buffer.from(HASH), sessionClaim(session)) },
      { userId: newId(0), token: stolen, proof },
    ]) {
      expect(await ask('account:session', payload)).toMatchObject({ error: 'unauthorized' });
    }
    expect(await resolve(stolen.hash)).toBe(null);
  });

  test("[AUTH1] are not available on the bus without the gateways' secret, like all account data", async () => {
    const user = await makeUser(database);
    const token = newToken({ expires });
    const fixed = { actor: null, deadline: Date.now() + 60_000, traceId: 'test' };
    const message = { event: 'account:session', payload: { userId: user.id, token, proof: null }, ...fixed } as const;
    const unproven = { error: 'internal.unproven' };
    expect(await say(message, null)).toMatchObject(unproven);
    expect(await say(message, 'another secret, of 16 characters')).toMatchObject(unproven);
    const other = { userId: user.id, token: newToken({ expires }), proof: null };
    for (const changed of [
      { payload: other },
      { deadline: message.deadline + 1 },
      { actor: user },
      { event: 'account:me' as const },
    ]) {
      expect(await say(message, undefined, changed)).toMatchObject(unproven);
    }
    for (const event of Object.keys(ACCOUNT_MESSAGES) as AccountEvent[]) {
      expect(await say({ event, payload: {}, ...fixed }, null)).toMatchObject(unproven);
    }
    expect(await resolve(token.hash)).toBe(null);
    expect(await say(message)).toMatchObject({ ok: true });
  });

  test('[AUTH1] beyond a hundred the oldest one ends, and gateways are notified', async () => {
    const user = await makeUser(database);
    const first = open(user);
    await first.reply;
    for (let count = 1; count <= 100; count++) {
      setClock(count);
      await open(user).reply;
    }
    expect(told.at(-1)?.tokens).toEqual([first.token.id]);
    expect(await resolve(first.token.hash)).toBe(null);
    setClock(0);
  });

  test('[AUTH1] a login concurrent with a change of the password leaves no session of the old password', async () => {
    const owner = await registered();
    const mine = open(owner);
    await mine.reply;
    const attempts = Array.from({ length: 8 }, () => open(owner, HASH));
    const after = `${HASH}xx`;
    expect(await change(owner, HASH, after, mine.token.id)).toMatchObject({ ok: true });
    await Promise.all(attempts.map(({ reply }) => reply));
    for (const { token } of attempts) expect(await resolve(token.hash)).toBe(null);
    expect(await resolve(mine.token.hash)).toMatchObject({ token: { kind: 'session' } });
    const wrong = { error: 'forbidden.wrong_password' };
    expect(await change(owner, HASH, `${HASH}yy`, mine.token.id)).toMatchObject(wrong);
    // The same request again, whose answer may have got lost, is answered the same.
    expect(await change(owner, HASH, after, mine.token.id)).toMatchObject({ ok: true });
  });

  test('[AUTH1] a disabled user’s API tokens are suspended, and their sessions end', async () => {
    const [user, admin] = [await makeUser(database), await makeUser(database, 'admin')];
    await makeAdministrator(database, admin.id);
    const [token, session] = [newToken(), open(user)];
    await done('account:token:add', { token }, user);
    await session.reply;
    await done('account:disable', { id: user.id, disabled: true }, admin);
    expect(told.at(-1)).toEqual({ readers: [], feeds: [], users: [user.id] });
    expect([await resolve(token.hash), await check([token.id, session.token.id])]).toEqual([null, []]);
    await done('account:disable', { id: user.id, disabled: false }, admin);
    expect(await resolve(token.hash)).toMatchObject({ user });
    expect(await resolve(session.token.hash)).toBe(null);
    for (const [actor, id, error] of [
      [user, admin.id, 'forbidden'],
      [admin, admin.id, 'conflict.own_account'],
      [admin, newId(0), 'not_found'],
    ] as const) {
      expect(await ask('account:disable', { id, disabled: true }, actor)).toMatchObject({ error });
    }
  });
});

test('[AUTH1] an operation on a user locked for longer than the lock timeout succeeds eventually', async () => {
  const user = await makeUser(database);
  const { NEO4J_URL: url = '', NEO4J_USER: name = '', NEO4J_PASSWORD: password = '' } = process.env;
  const holder = openDatabase({ url, user: name, password });
  const transaction = holder.begin(30_000);
  await transaction.run('MATCH (u:User {id: $id}) SET u.lock = true', { id: user.id });
  const adding = done('account:token:add', { token: newToken() }, user);
  await new Promise((resolve) => setTimeout(resolve, 2_500));
  await transaction.commit();
  await holder.close();
  expect((await adding).token).toMatchObject({ readOnly: false });
});
