// The operations of administrators on sessions, tokens and webhooks, by the handlers that workers
// answer with, on a real database.
import { openSession } from '@taskgraph/graph-store/accounts/tokens';
import { makeAdministrator, readAccount } from '@taskgraph/graph-store/accounts/users';
import type { Database } from '@taskgraph/graph-store/driver/database';
import type { ActingUser } from '@taskgraph/wire/actor';
import type { AccountAnswer } from '@taskgraph/wire/bus/account-messages';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { NOW, newToken, operations } from '../test/support/account-operations.ts';
import { statementsBehindLocksOf } from '../test/support/blocked-statements.ts';
import { makeUser, newId, openTestDatabase, warmUp } from '../test/support/harness.ts';

const DAY_MS = 86_400_000;
const WRITTEN = 'a text of its user';

let database: Database;
let admin: ActingUser;
let { ask, done, told, setClock }: ReturnType<typeof operations> = {} as never;
beforeAll(async () => {
  database = await openTestDatabase();
  ({ ask, done, told, setClock } = operations(database));
  await warmUp(database);
  admin = await makeUser(database);
  await makeAdministrator(database, admin.id);
});
afterAll(() => database.close());

async function open({ id: userId }: ActingUser): Promise<string> {
  const token = newToken({ expires: new Date(NOW + DAY_MS).toISOString() });
  await openSession(database, { userId, token, passwordHash: null, link: null }, NOW);
  return token.id;
}

async function addToken(user: ActingUser, more: { expires?: string } = {}): Promise<string> {
  const token = newToken({ name: WRITTEN, ...more });
  await done('account:token:add', { token }, user);
  return token.id;
}

/** The ids of webhooks of a token that has expired since. */
async function hooksOfExpired(user: ActingUser, count: number): Promise<string[]> {
  const token = await addToken(user, { expires: new Date(NOW - 1).toISOString() });
  setClock(-DAY_MS);
  const ids: string[] = [];
  while (ids.length < count) ids.push(await addHook(user, token));
  setClock(0);
  return ids;
}

async function addHook(user: ActingUser, caller: string): Promise<string> {
  const id = newId(0);
  const written = {
    name: WRITTEN,
    url: `https://x.example/${WRITTEN}`,
    root: newId(0),
    events: [],
    where: `"${WRITTEN}"`,
  };
  await done('account:hook:add', { ...written, id, caller, secret: 'sealed' }, user);
  return id;
}

type Sessions = AccountAnswer<'account:admin:sessions'>['sessions'];
type Tokens = AccountAnswer<'account:admin:tokens'>['tokens'];
type Hooks = AccountAnswer<'account:admin:hooks'>['hooks'];

const sessionsOf = async ({ id: user }: ActingUser) =>
  ((await done('account:admin:sessions', { user }, admin)) as unknown as { sessions: Sessions }).sessions;
const tokensOf = async ({ id: user }: ActingUser) =>
  ((await done('account:admin:tokens', { user }, admin)) as unknown as { tokens: Tokens }).tokens;
const notFound = expect.objectContaining({ ok: false, error: 'not_found' });

/** The webhooks of these users, over pages of two. */
async function hooksOf(users: readonly ActingUser[], state: 'pending' | 'active' | 'disabled' | null): Promise<Hooks> {
  const all: Hooks = [];
  // Earlier files may have left many webhooks, but their ids are smaller.
  for (let after = users[0]?.id ?? ''; ; ) {
    const page = { after, limit: 2, state };
    const { hooks } = (await done('account:admin:hooks', page, admin)) as unknown as { hooks: Hooks };
    all.push(...hooks);
    if (hooks.length < 2) break;
    after = hooks.at(-1)?.id ?? '';
  }
  const ids = users.map(({ id }) => id);
  return all.filter(({ user }) => ids.includes(user.id));
}

test('[ADMIN1] every operation is refused to others, and to a disabled administrator', async () => {
  const [ann, former] = [await makeUser(database), await makeUser(database)];
  await makeAdministrator(database, former.id);
  await done('account:disable', { id: former.id, disabled: true }, admin);
  const id = newId(0);
  for (const actor of [ann, former]) {
    const answers = [
      await ask('account:users', { after: '', limit: 1 }, actor),
      await ask('account:disable', { id: admin.id, disabled: true }, actor),
      await ask('account:admin:status', {}, actor),
      await ask('account:admin:service', { process: id }, actor),
      await ask('account:admin:sessions', { user: actor.id }, actor),
      await ask('account:admin:session:end', { user: actor.id, id: null, request: id }, actor),
      await ask('account:admin:tokens', { user: actor.id }, actor),
      await ask('account:admin:token:revoke', { user: actor.id, id, request: id }, actor),
      await ask('account:admin:hooks', { after: '', limit: 1, state: null }, actor),
      await ask('account:admin:hook:disable', { id, request: id }, actor),
    ];
    expect(answers.map((reply) => (reply.ok ? 'ok' : reply.error))).toEqual(answers.map(() => 'forbidden'));
  }
  expect(await ask('account:admin:status', {})).toMatchObject({ ok: false, error: 'unauthorized' });
});

test('[ADMIN1] of administrators who disable each other at the same moment, one remains', async () => {
  const [ann, bob, eve] = [await makeUser(database), await makeUser(database), await makeUser(database)];
  const all = [ann, bob, eve];
  for (const { id } of all) await makeAdministrator(database, id);
  // All calls have been permitted before any of them can write.
  const holder = database.begin(60_000);
  for (const { id } of all) await holder.run('MATCH (u:User {id: $id}) SET u.lock = true', { id });
  const disable = (actor: ActingUser, { id }: ActingUser) => ask('account:disable', { id, disabled: true }, actor);
  const replies = [disable(ann, bob), disable(bob, eve), disable(eve, ann)];
  await statementsBehindLocksOf(
    database,
    all.map(({ id }) => id),
  );
  await holder.commit();
  const outcomes = (await Promise.all(replies)).map((reply) => (reply.ok ? 'ok' : reply.error));
  expect(outcomes.sort()).toEqual(['forbidden', 'ok', 'ok']);
  const accounts = await Promise.all(all.map(({ id }) => readAccount(database, id)));
  expect(accounts.filter((account) => account?.disabled === false)).toHaveLength(1);
});

test('[ADMIN1] disabling a bot locks its maintainer first, as changes of its webhooks do', async () => {
  const ann = await makeUser(database);
  await makeAdministrator(database, ann.id);
  // By its id the bot comes first.
  const bot = `00000000${newId(0).slice(8)}`;
  await done('account:bot:add', { id: bot, name: 'importer' }, ann);
  const [holder, other] = [database.begin(60_000), database.begin(10_000)];
  const lock = 'MATCH (u:User {id: $id}) SET u.lock = true';
  await holder.run(lock, { id: ann.id });
  const reply = ask('account:disable', { id: bot, disabled: true }, ann);
  await statementsBehindLocksOf(database, [bot]);
  // The bot is free while its maintainer is not.
  await other.run(lock, { id: bot });
  await other.commit();
  await holder.commit();
  expect(await reply).toMatchObject({ ok: true });
});

test('[ADMIN1] users are found by their address', async () => {
  const ann = await makeUser(database);
  const found = async (email: string) => (await done('account:users', { after: '', limit: 2, email }, admin)).users;
  expect(await found(ann.email.toUpperCase())).toMatchObject([{ id: ann.id, email: ann.email }]);
  expect(JSON.stringify(await found(ann.email))).not.toContain('passwordHash');
  expect(await found('nobody@nowhere.example')).toEqual([]);
  await done('account:bot:add', { id: newId(0), name: 'importer' }, ann);
  const { bots } = (await done('account:bots', {}, ann)) as unknown as { bots: { email: string }[] };
  expect(await found(bots[0]?.email ?? '')).toMatchObject([{ maintainer: { id: ann.id, email: ann.email } }]);
});

test('[ADMIN5] sessions of a user are listed and ended, one or all, and gateways are notified', async () => {
  const [ann, bob] = [await makeUser(database), await makeUser(database)];
  const [one, two, three] = [await open(ann), await open(ann), await open(ann)];
  const ofBob = await open(bob);
  expect((await sessionsOf(ann)).map(({ id }) => id).sort()).toEqual([one, two, three].sort());
  const request = newId(0);
  const end = (user: ActingUser, id: string | null) =>
    ask('account:admin:session:end', { user: user.id, id, request }, admin);
  told.length = 0;
  for (let time = 0; time < 2; time++) expect(await end(ann, one)).toMatchObject({ ok: true });
  expect(told.at(-1)).toMatchObject({ tokens: [one] });
  expect(await end(ann, ofBob)).toEqual(notFound);
  expect(await end(ann, null)).toMatchObject({ ok: true });
  expect([...(told.at(-1)?.tokens ?? [])].sort()).toEqual([two, three].sort());
  expect([await sessionsOf(ann), (await sessionsOf(bob)).map(({ id }) => id)]).toEqual([[], [ofBob]]);
  for (const reply of [
    await ask('account:admin:sessions', { user: newId(0) }, admin),
    await ask('account:admin:session:end', { user: newId(0), id: null, request }, admin),
  ])
    expect(reply).toEqual(notFound);
});

test('[ADMIN2 ADMIN5] API tokens of a user and a bot are listed without their names, and revoked', async () => {
  const ann = await makeUser(database);
  const id = await addToken(ann);
  const bot = { id: newId(0), name: 'importer' };
  await done('account:bot:add', bot, ann);
  const ofBot = newToken({ name: WRITTEN, expires: new Date(NOW + DAY_MS).toISOString() });
  await done('account:bot:token:add', { bot: bot.id, token: ofBot }, ann);
  await open(ann);
  const listed = [await tokensOf(ann), await tokensOf({ ...ann, id: bot.id })];
  expect(listed).toMatchObject([[{ id, prefix: 'tg_abcd' }], [{ id: ofBot.id }]]);
  expect(JSON.stringify(listed)).not.toContain(WRITTEN);
  const revoke = (user: string, token: string, request = newId(0)) =>
    ask('account:admin:token:revoke', { user, id: token, request }, admin);
  expect(await revoke(ann.id, ofBot.id)).toEqual(notFound);
  told.length = 0;
  expect(await revoke(bot.id, ofBot.id)).toMatchObject({ ok: true });
  const request = newId(0);
  for (let time = 0; time < 2; time++) expect(await revoke(ann.id, id, request)).toMatchObject({ ok: true });
  expect(told.map(({ tokens }) => tokens)).toEqual([[ofBot.id], [id], [id]]);
  expect(await revoke(ann.id, id)).toEqual(notFound);
  expect([await tokensOf(ann), await tokensOf({ ...ann, id: bot.id })]).toEqual([[], []]);
  expect(await ask('account:admin:tokens', { user: newId(0) }, admin)).toEqual(notFound);
});

test('[ADMIN2 ADMIN6] webhooks of all users are listed in pages without what users write', async () => {
  const [ann, bob] = [await makeUser(database), await makeUser(database)];
  const caller = await open(ann);
  const ids = [await addHook(ann, caller), await addHook(ann, caller), await addHook(bob, await open(bob))];
  const [ofToken = ''] = await hooksOfExpired(bob, 1);
  const deleted = await addHook(ann, caller);
  await done('account:hook:delete', { id: deleted, caller, request: newId(0) }, ann);
  const all = await hooksOf([ann, bob], null);
  expect(all.map(({ id }) => id)).toEqual([...ids, ofToken]);
  expect(all).toMatchObject([
    { user: { id: ann.id, email: ann.email }, state: 'pending', reason: null, attempts: 0, lastSuccess: null },
    { user: { id: ann.id } },
    { user: { id: bob.id }, waitingSince: expect.any(String) },
    { user: { id: bob.id }, state: 'disabled', reason: 'token_ended', waitingSince: null },
  ]);
  expect(JSON.stringify(all)).not.toMatch(new RegExp(`${WRITTEN}|sealed|x\\.example`));
  const idsIn = async (state: 'pending' | 'active' | 'disabled') =>
    (await hooksOf([ann, bob], state)).map(({ id }) => id);
  expect([await idsIn('pending'), await idsIn('active'), await idsIn('disabled')]).toEqual([ids, [], [ofToken]]);
});

test('[ADMIN6] a page in a state is full, also after webhooks whose tokens have ended', async () => {
  const ann = await makeUser(database);
  const caller = await open(ann);
  const ended = await hooksOfExpired(ann, 3);
  const enabled = await addHook(ann, caller);
  const disabled = await addHook(ann, caller);
  await done('account:admin:hook:disable', { id: disabled, request: newId(0) }, admin);
  const first = async (state: 'pending' | 'disabled', limit: number) => {
    const { hooks } = await done('account:admin:hooks', { after: ann.id, limit, state }, admin);
    return (hooks as unknown as Hooks).map(({ id, reason }) => [id, reason]);
  };
  // Other tests add webhooks meanwhile.
  expect(await first('pending', 1)).toHaveLength(1);
  expect(await first('disabled', 2)).toHaveLength(2);
  const own = new Set<unknown>([...ended, enabled, disabled]);
  const ofAnn = async (state: 'pending' | 'disabled') => (await first(state, 100)).filter(([id]) => own.has(id));
  expect(await ofAnn('pending')).toEqual([[enabled, null]]);
  const ofEnded = ended.map((id) => [id, 'token_ended']);
  expect(await ofAnn('disabled')).toEqual([...ofEnded, [disabled, null]]);
});

test('[ADMIN6] a webhook is disabled once for a request, and its user may enable it again', async () => {
  const ann = await makeUser(database);
  const caller = await open(ann);
  const id = await addHook(ann, caller);
  const request = newId(0);
  const disable = () => ask('account:admin:hook:disable', { id, request }, admin);
  const state = async () => (await hooksOf([ann], null)).map((hook) => hook.state);
  expect([await disable(), await state()]).toMatchObject([{ ok: true }, ['disabled']]);
  await done('account:hook:update', { id, caller, request: newId(0), enabled: true }, ann);
  // A repetition of the same request changes nothing.
  expect([await disable(), await state()]).toMatchObject([{ ok: true }, ['pending']]);
  await done('account:hook:delete', { id, caller, request: newId(0) }, ann);
  expect(await disable()).toEqual(notFound);
  expect(await ask('account:admin:hook:disable', { id: newId(0), request }, admin)).toEqual(notFound);
});
