// Bots and their tokens, by the handlers that workers answer with, on a real database.
import { setPassword } from '@taskgraph/graph-store/accounts/token-endings';
import { addToken } from '@taskgraph/graph-store/accounts/tokens';
import { makeAdministrator } from '@taskgraph/graph-store/accounts/users';
import type { Database } from '@taskgraph/graph-store/driver/database';
import type { ActingUser } from '@taskgraph/wire/actor';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { HASH, NOW, newToken, opening, operations, tickets } from '../test/support/account-operations.ts';
import { makeUser, newId, openTestDatabase, warmUp } from '../test/support/harness.ts';

let database: Database;
let { ask, done, resolve, resolveAll, check, told }: ReturnType<typeof operations> = {} as never;
beforeAll(async () => {
  database = await openTestDatabase();
  ({ ask, done, resolve, resolveAll, check, told } = operations(database));
  await warmUp(database);
});
afterAll(() => database.close());

interface Bot {
  readonly id: string;
  readonly name: string;
  readonly email: string;
}

async function botOf(user: ActingUser, name = 'Importer'): Promise<Bot> {
  return (await done('account:bot:add', { id: newId(0), name }, user)).bot as unknown as Bot;
}

async function tokenOf(user: ActingUser, bot: string) {
  const token = newToken();
  await done('account:bot:token:add', { bot, token }, user);
  return token;
}

test('[BOT1] a bot is a user with an address, which its maintainer lists', async () => {
  const [ann, bob] = [await makeUser(database), await makeUser(database)];
  const bot = await botOf(ann, 'Büro-Import 2');
  expect(bot).toEqual({
    id: bot.id,
    name: 'Büro-Import 2',
    email: `bu-ro-import-2-${bot.id.slice(-12)}@bots.invalid`,
    createdTime: new Date(NOW).toISOString(),
  });
  // A repeated request creates no second bot.
  expect((await done('account:bot:add', { id: bot.id, name: bot.name }, ann)).bot).toEqual(bot);
  expect([await done('account:bots', {}, ann), await done('account:bots', {}, bob)]).toEqual([
    { bots: [bot] },
    { bots: [] },
  ]);
  expect((await botOf(ann, '機械')).email).toMatch(/^bot-[0-9a-f]{12}@bots\.invalid$/);
});

test('[BOT1] a user maintains at most twenty bots; a removed one does not count', async () => {
  const user = await makeUser(database);
  const bots: Bot[] = [];
  for (let count = 0; count < 20; count++) bots.push(await botOf(user));
  const another = () => ask('account:bot:add', { id: newId(0), name: 'a' }, user);
  expect(await another()).toMatchObject({ error: 'conflict.too_many_bots', details: { most: 20 } });
  await done('account:bot:remove', { id: bots[0]?.id ?? '' }, user);
  expect(await another()).toMatchObject({ ok: true });
  expect(await another()).toMatchObject({ error: 'conflict.too_many_bots' });
});

test('[BOT2] its tokens name the bot with its maintainer, and only the maintainer manages them', async () => {
  const [ann, bob] = [await makeUser(database), await makeUser(database)];
  const bot = await botOf(ann);
  const token = await tokenOf(ann, bot.id);
  const user = { id: bot.id, username: bot.name, email: bot.email, maintainer: ann.id };
  expect(await resolve(token.hash)).toMatchObject({ user, token: { id: token.id } });
  // The previous release does not know that a bot owns nothing.
  expect(await resolveAll([token.hash], {})).toEqual([]);
  const { id, hash, prefix } = newToken();
  const rotation = { bot: bot.id, id: token.id, request: newId(0), token: { id, hash, prefix } };
  const revocation = { bot: bot.id, id: token.id, request: newId(0) };
  for (const [event, payload] of [
    ['account:bot:tokens', { bot: bot.id }],
    ['account:bot:token:add', { bot: bot.id, token: newToken() }],
    ['account:bot:token:rotate', rotation],
    ['account:bot:token:revoke', revocation],
    ['account:bot:remove', { id: bot.id }],
  ] as const) {
    expect(await ask(event, payload, bob), event).toMatchObject({ error: 'not_found' });
  }
  // The maintainer's own tokens are others.
  expect(await done('account:tokens', {}, ann)).toEqual({ tokens: [] });
  expect(await ask('account:token:revoke', { id: token.id, request: newId(0) }, ann)).toMatchObject({
    error: 'not_found',
  });
  await done('account:bot:token:rotate', rotation, ann);
  expect([await resolve(token.hash), await resolveAll([hash], {})]).toEqual([null, []]);
  expect(await resolve(hash)).toMatchObject({ user });
  expect(await done('account:bot:tokens', { bot: bot.id }, ann)).toMatchObject({ tokens: [{ id }] });
  await done('account:bot:token:revoke', { bot: bot.id, id, request: newId(0) }, ann);
  expect(await resolve(hash)).toBe(null);
});

test('[BOT2 AUTH1] a bot and its tokens end with the bot, and stop while its maintainer is disabled', async () => {
  const [ann, admin] = [await makeUser(database), await makeUser(database)];
  await makeAdministrator(database, admin.id);
  const [kept, removed] = [await botOf(ann), await botOf(ann)];
  const [token, ended] = [await tokenOf(ann, kept.id), await tokenOf(ann, removed.id)];
  await done('account:bot:remove', { id: removed.id }, ann);
  expect(told.at(-1)).toEqual({ readers: [], feeds: [], users: [removed.id] });
  expect([await resolve(ended.hash), await check([ended.id, token.id])]).toEqual([null, [token.id]]);
  // A repeated request gets the same answer, and no token is added any more.
  await done('account:bot:remove', { id: removed.id }, ann);
  expect(await ask('account:bot:token:add', { bot: removed.id, token: newToken() }, ann)).toMatchObject({
    error: 'not_found',
  });
  await done('account:disable', { id: ann.id, disabled: true }, admin);
  expect(told.at(-1)).toEqual({ readers: [], feeds: [], users: [ann.id, kept.id] });
  expect([await resolve(token.hash), await check([token.id])]).toEqual([null, []]);
  await done('account:disable', { id: ann.id, disabled: false }, admin);
  expect(await resolve(token.hash)).toMatchObject({ user: { id: kept.id } });
  await done('account:disable', { id: kept.id, disabled: true }, admin);
  expect(await resolve(token.hash)).toBe(null);
});

test('[BOT1] a bot has no sign-in: no password, link or provider opens a session for it', async () => {
  const ann = await makeUser(database);
  const bot = await botOf(ann);
  expect(await done('account:find', { email: bot.email })).toEqual({ account: null });
  expect(await ask('account:session', opening(bot.id, newToken()))).toMatchObject({ error: 'unauthorized' });
  const link = newId(0);
  await database.write('MATCH (u:User {id: $id}) SET u.signInLink = $link', { id: bot.id, link });
  const ticket = tickets.signIn(bot.id, link, null);
  expect(await ask('account:link', { ticket, token: newToken() })).toMatchObject({ error: 'not_found' });
  const identity = { issuer: 'https://id.example', subject: bot.id, username: 'x', mayRegister: true };
  expect(await ask('account:vouch', { id: newId(0), email: bot.email, ...identity })).toMatchObject({
    error: 'bad_request',
  });
});

test('[BOT2 AUTH4] if API tokens end with a password, those of bots end too', async () => {
  const ann = await makeUser(database);
  const bot = await botOf(ann);
  const token = await tokenOf(ann, bot.id);
  const ticket = tickets.reset(ann, null);
  await done('account:reset', { ticket, passwordHash: HASH, endTokens: false });
  expect(await resolve(token.hash)).not.toBe(null);
  const again = tickets.reset(ann, HASH);
  await done('account:reset', { ticket: again, passwordHash: `${HASH}A`, endTokens: true });
  expect(await resolve(token.hash)).toBe(null);
  expect(told.at(-1)?.tokens).toEqual([token.id]);
});

test('[BOT2 AUTH1] administrators see who maintains a bot', async () => {
  const [ann, admin] = [await makeUser(database), await makeUser(database)];
  await makeAdministrator(database, admin.id);
  const bot = await botOf(ann);
  // Ids of users are ordered by time.
  const { users } = await done('account:users', { after: ann.id, limit: 1_000 }, admin);
  const expected = { id: bot.id, maintainer: { id: ann.id, email: ann.email } };
  expect(users).toContainEqual(expect.objectContaining(expected));
});

test('[BOT2] every token of a bot is hidden from the previous release, whoever created it', async () => {
  const ann = await makeUser(database);
  const [bot, token] = [await botOf(ann), newToken()];
  await addToken(database, { userId: bot.id, token }, NOW);
  expect(await resolveAll([token.hash], {})).toEqual([]);
  expect(await resolve(token.hash)).toMatchObject({ user: { id: bot.id, maintainer: ann.id } });
});

test('[BOT2] without its maintainer, and once removed, a bot has no valid token, even if it is enabled again', async () => {
  const [ann, bob, admin] = [await makeUser(database), await makeUser(database), await makeUser(database)];
  await makeAdministrator(database, admin.id);
  const [orphan, removed] = [await botOf(ann), await botOf(bob)];
  const [token, late] = [await tokenOf(ann, orphan.id), newToken()];
  const unknown = newId(0);
  await database.write('MATCH (b:User {id: $id}) SET b.maintainer = $unknown', { id: orphan.id, unknown });
  expect([await resolve(token.hash), await check([token.id])]).toEqual([null, []]);
  await done('account:bot:remove', { id: removed.id }, bob);
  await done('account:disable', { id: removed.id, disabled: false }, admin);
  const refused = await addToken(database, { userId: removed.id, maintainer: bob.id, token: late }, NOW);
  expect(refused).toBe(null);
  await addToken(database, { userId: removed.id, token: late }, NOW);
  expect([await resolve(late.hash), await check([late.id])]).toEqual([null, []]);
});

test('[BOT2 AUTH4] a token that a bot gets during the first sign-in of its maintainer by a provider ends too', async () => {
  const ann = await makeUser(database);
  const now = new Date(NOW).toISOString();
  await setPassword(database, { userId: ann.id, before: null, after: HASH, keep: '', endTokens: false, now });
  const [bot, token] = [await botOf(ann), newToken()];
  // A rotation that has locked the bot and not yet committed.
  const rotation = database.begin(30_000);
  await rotation.run('MATCH (b:User {id: $id}) SET b.lock = true', { id: bot.id });
  await rotation.run(
    "MATCH (b:User {id: $id}) CREATE (b)-[:HAS_TOKEN]->(t:Token {kind: 'api:2', readOnly: false, name: '', createdTime: $now}) SET t += $token",
    { id: bot.id, now, token: { id: token.id, hash: `2:${token.hash}`, prefix: token.prefix } },
  );
  const identity = { issuer: 'https://id.example.com', subject: ann.id, username: 'ann', mayRegister: true };
  const vouched = done('account:vouch', { id: newId(0), email: ann.email, ...identity });
  await statementBehindLockOf(ann.id);
  await rotation.commit();
  await vouched;
  expect(await resolve(token.hash)).toBe(null);
  expect(told.at(-1)?.tokens).toEqual([token.id]);
});

/** Until a statement that names a user waits for a lock. */
function statementBehindLockOf(id: string): Promise<void> {
  return vi.waitFor(
    async () => {
      const rows = await database.read(
        "SHOW TRANSACTIONS YIELD status, parameters WHERE status STARTS WITH 'Blocked' RETURN parameters",
        {},
      );
      if (!rows.some(({ parameters }) => JSON.stringify(parameters).includes(id))) throw new Error('nothing waits');
    },
    { timeout: 60_000, interval: 5 },
  );
}
