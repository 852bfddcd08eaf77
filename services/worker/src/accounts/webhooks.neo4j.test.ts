// Webhooks, by the handlers that workers answer with, on a real database.
import { setPassword } from '@taskgraph/graph-store/accounts/token-endings';
import { openSession } from '@taskgraph/graph-store/accounts/tokens';
import { makeAdministrator } from '@taskgraph/graph-store/accounts/users';
import { integer } from '@taskgraph/graph-store/driver/codec';
import type { Database, Row } from '@taskgraph/graph-store/driver/database';
import { WHERE_PERMITTED } from '@taskgraph/graph-store/webhooks/webhook-rows';
import type { ActingUser } from '@taskgraph/wire/actor';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { HASH, NOW, newToken, operations } from '../test/support/account-operations.ts';
import { makeUser, newId, openTestDatabase, warmUp } from '../test/support/harness.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

let database: Database;
let { ask, done, setClock }: ReturnType<typeof operations> = {} as never;
beforeAll(async () => {
  database = await openTestDatabase();
  ({ ask, done, setClock } = operations(database));
  await warmUp(database);
});
afterAll(() => database.close());

const DEFINITION = { name: 'Deploy', url: 'https://hooks.example.com/x?key=1', root: null, events: [], where: null };
let sealed = 0;
const newSecret = () => `sealed-${sealed++}`;
const at = (ms: number) => new Date(NOW + ms).toISOString();

/** The id of a new session of the user. */
async function open({ id: userId }: ActingUser): Promise<string> {
  const token = newToken({ expires: at(60 * DAY_MS) });
  await openSession(database, { userId, token, passwordHash: null, link: null }, NOW);
  return token.id;
}

async function addToken(user: ActingUser, more: { expires?: string } = {}): Promise<string> {
  const token = newToken(more);
  await done('account:token:add', { token }, user);
  return token.id;
}

interface Hook {
  readonly id: string;
  readonly state: string;
  readonly reason: string | null;
  readonly tokenId: string | null;
  readonly waitingSince: string | null;
}

async function add(user: ActingUser, caller: string, more: object = {}): Promise<Hook> {
  const webhook = { ...DEFINITION, id: newId(0), caller, secret: newSecret(), ...more };
  return ((await done('account:hook:add', webhook, user)) as unknown as { hook: Hook }).hook;
}

const listed = async (user: ActingUser, caller: string) =>
  ((await done('account:hooks', { caller }, user)) as unknown as { hooks: Hook[] }).hooks;

async function stored(id: string): Promise<Row> {
  const [row] = await database.read('MATCH (w:Webhook {id: $id}) RETURN properties(w) AS hook', { id });
  return row?.hook as Row;
}

/** Sets properties as a run does. */
const run = (id: string, properties: Row) =>
  database.write('MATCH (w:Webhook {id: $id}) SET w += $properties', { id, properties });

/** The webhooks among these that may deliver. */
async function permitted(...ids: string[]): Promise<string[]> {
  const statement = `UNWIND $ids AS id MATCH (w:Webhook {id: id}) ${WHERE_PERMITTED} RETURN w.id AS id`;
  return (await database.read(statement, { ids, now: at(0) })).map(({ id }) => id as string);
}

describe('the definition of a webhook', () => {
  test('[HOOK1] is stored and listed without its secret and position, and added once', async () => {
    const [ann, bob] = [await makeUser(database), await makeUser(database)];
    const caller = await open(ann);
    const root = newId(0);
    const more = { root, events: ['node.completed'], where: '{"assignee":["me"]}' };
    const request = { ...DEFINITION, ...more, id: newId(0), caller, secret: newSecret() };
    for (let times = 0; times < 2; times++) await done('account:hook:add', request as never, ann);
    const { caller: _, secret, ...definition } = request;
    expect(await listed(ann, caller)).toEqual([
      {
        ...definition,
        tokenId: null,
        createdTime: at(0),
        state: 'pending',
        reason: null,
        lastSuccess: null,
        failingSince: null,
        nextAttempt: null,
        waitingSince: expect.any(String),
        formerSecretEnds: null,
      },
    ]);
    expect(await stored(request.id)).toMatchObject({
      secret,
      userId: ann.id,
      version: 1,
      position: expect.stringMatching(/^[\w-]+\.[\w-]+$/),
    });
    expect(await listed(bob, await open(bob))).toEqual([]);
    expect(await listed(bob, caller)).toEqual([]);
  });

  test('[HOOK13] a user has at most twenty; a deleted one does not count', async () => {
    const user = await makeUser(database);
    const caller = await open(user);
    const [first] = await Promise.all(Array.from({ length: 20 }, () => add(user, caller)));
    const another = () => ask('account:hook:add', { ...DEFINITION, id: newId(0), caller, secret: newSecret() }, user);
    expect(await another()).toMatchObject({ error: 'conflict.too_many_hooks', details: { most: 20 } });
    const deletion = { id: first?.id ?? '', caller, request: newId(0) };
    for (let times = 0; times < 2; times++) await done('account:hook:delete', deletion, user);
    expect(await ask('account:hook:delete', { ...deletion, request: newId(0) }, user)).toMatchObject({
      error: 'not_found',
    });
    expect(await another()).toMatchObject({ ok: true });
    expect(await another()).toMatchObject({ error: 'conflict.too_many_hooks' });
  });

  test('[HOOK1] a deleted webhook has no secret, position and attempts, and is forgotten later', async () => {
    const user = await makeUser(database);
    const caller = await open(user);
    const { id } = await add(user, caller);
    await database.write('CREATE (:WebhookDelivery {hookId: $id, at: $at})', { id, at: integer(NOW) });
    await done('account:hook:delete', { id, caller, request: newId(0) }, user);
    expect(Object.keys(await stored(id)).sort()).toEqual(['deleted', 'id', 'request', 'state', 'userId', 'version']);
    expect(await database.read('MATCH (d:WebhookDelivery {hookId: $id}) RETURN d', { id })).toEqual([]);
    expect(await listed(user, caller)).toEqual([]);
    for (const event of ['account:hook:test', 'account:hook:deliveries'] as const)
      expect(await ask(event, { id, caller }, user)).toMatchObject({ error: 'not_found' });
    setClock(11 * MINUTE_MS);
    await add(user, caller);
    setClock(0);
    expect(await stored(id)).toBe(undefined);
  });

  test('[HOOK1] no other user manages it', async () => {
    const [ann, bob] = [await makeUser(database), await makeUser(database)];
    const [mine, caller] = [await open(ann), await open(bob)];
    const { id } = await add(ann, mine);
    for (const [event, payload] of [
      ['account:hook:update', { id, caller, name: 'x' }],
      ['account:hook:delete', { id, caller }],
      ['account:hook:rotate', { id, caller, secret: 's', overlapMs: 0 }],
      ['account:hook:test', { id, caller }],
      ['account:hook:deliveries', { id, caller }],
      ['account:hook:replay', { id, caller, since: at(0) }],
    ] as const) {
      const request = () => (event === 'account:hook:deliveries' ? {} : { request: newId(0) });
      expect(await ask(event, { ...payload, ...request() }, bob), event).toMatchObject({ error: 'not_found' });
      const error = event === 'account:hook:deliveries' ? 'not_found' : 'unauthorized';
      const stolen = { ...payload, ...request(), caller: mine };
      expect(await ask(event, stolen, bob), event).toMatchObject({ error });
    }
    expect(await listed(ann, mine)).toMatchObject([{ id, name: 'Deploy' }]);
  });
});

describe('a change', () => {
  /** An active webhook that is failing, and a way to change it. */
  async function active() {
    const user = await makeUser(database);
    const caller = await open(user);
    const { id } = await add(user, caller);
    const message = JSON.stringify({ id: 'm', from: 'a', to: 'b', firstMs: 1, attempts: 2, nextMs: NOW });
    await run(id, { state: 'active', message, failingSinceMs: integer(NOW), nextMs: integer(NOW), runner: 'r' });
    const update = async (changes: object, request = newId(0)) =>
      ((await done('account:hook:update', { id, caller, request, ...changes }, user)) as unknown as { hook: Hook })
        .hook;
    return { user, caller, id, update };
  }

  test('[HOOK8] of the definition lets the run begin anew under another version, and leaves it its lease', async () => {
    const { id, update } = await active();
    expect(await update({ name: 'Other' })).toMatchObject({ name: 'Other', state: 'active', failingSince: at(0) });
    expect(await stored(id)).toMatchObject({ version: 1, message: expect.any(String) });
    const request = newId(0);
    for (let times = 0; times < 2; times++) await update({ events: ['link.*'], root: newId(0) }, request);
    const { message, failingSinceMs, nextMs, runner, version } = await stored(id);
    expect([message, failingSinceMs, nextMs, runner, version]).toEqual([undefined, undefined, undefined, 'r', 2]);
    expect(await update({ root: null, where: null })).toMatchObject({ root: null, where: null, events: ['link.*'] });
  });

  test('[HOOK5 HOOK8] of the filter starts at the change if it has not selected due dates, and else continues', async () => {
    const user = await makeUser(database);
    const caller = await open(user);
    const update = (id: string, more: object) =>
      done('account:hook:update', { id, caller, request: newId(0), ...more }, user);
    const { id: without } = await add(user, caller);
    expect(await stored(without)).not.toHaveProperty('duePosition');
    const { id } = await add(user, caller, { events: ['node.due'] });
    const position = JSON.stringify({ time: at(0), id: '' });
    expect(await stored(id)).toMatchObject({ duePosition: position });
    await run(id, { dueMessage: '{"nextMs":1}', dueSearch: '{}', dueSearchMs: integer(NOW) });
    expect((await listed(user, caller)).find((one) => one.id === id)).toMatchObject({ nextAttempt: at(1 - NOW) });
    await update(id, { events: ['node.*'] });
    const continued = await stored(id);
    expect(continued).toMatchObject({ duePosition: position });
    for (const gone of ['dueMessage', 'dueSearch', 'dueSearchMs']) expect(continued).not.toHaveProperty(gone);
    await update(id, { enabled: false });
    await update(id, { enabled: true });
    await update(id, { events: ['link.*'] });
    expect(await stored(id)).toMatchObject({ duePosition: position });
    // Its due dates count from the change on, also if the next search comes later.
    await run(id, { duePosition: JSON.stringify({ time: at(-HOUR_MS), id: '' }) });
    await update(id, { events: ['node.due'] });
    expect(await stored(id)).toMatchObject({ duePosition: position });
  });

  test('[HOOK12] of the address makes it pending', async () => {
    const { update } = await active();
    expect(await update({ url: DEFINITION.url })).toMatchObject({ state: 'active' });
    expect(await update({ url: 'https://other.example.com/' })).toMatchObject({ state: 'pending' });
  });

  test('[HOOK8 HOOK12] a disabled webhook stays so until it is enabled, and is pending then', async () => {
    const { id, update } = await active();
    const { position } = await stored(id);
    expect(await update({ enabled: false })).toMatchObject({ state: 'disabled', reason: null });
    await run(id, { state: 'disabled', reason: 'gone' });
    expect(await update({ url: 'https://other.example.com/' })).toMatchObject({ state: 'disabled', reason: 'gone' });
    expect(await update({ enabled: true })).toMatchObject({ state: 'pending', reason: null });
    expect(await stored(id)).toMatchObject({ position });
  });

  test('[HOOK10] tells since when something waits without an attempt: from its addition and each new beginning', async () => {
    const user = await makeUser(database);
    const caller = await open(user);
    const { id, waitingSince } = await add(user, caller);
    expect(Math.abs(Date.parse(waitingSince as string) - Date.now())).toBeLessThan(MINUTE_MS);
    const waits = async () => (await listed(user, caller))[0]?.waitingSince;
    await run(id, { state: 'active', dueSinceMs: null });
    expect(await waits()).toBeNull();
    await run(id, { dueSinceMs: integer(NOW) });
    expect(await waits()).toBe(at(0));
    const change = (more: object) => done('account:hook:update', { id, caller, request: newId(0), ...more }, user);
    await change({ enabled: false });
    expect(await waits()).toBeNull();
    await change({ enabled: true });
    expect(Date.parse((await waits()) as string)).toBeGreaterThan(NOW);
  });

  test('[HOOK11] of the secret lets the former one sign for a time, once for each request', async () => {
    const { user, caller, id } = await active();
    const { secret: first } = await stored(id);
    const rotate = (secret: string, overlapMs: number) =>
      done('account:hook:rotate', { id, caller, secret, overlapMs }, user);
    for (let times = 0; times < 2; times++) {
      expect(await rotate('second', HOUR_MS)).toMatchObject({ hook: { formerSecretEnds: at(HOUR_MS) } });
    }
    expect(await stored(id)).toMatchObject({ secret: 'second', formerSecret: first, version: 2 });
    expect(await rotate('third', 0)).toMatchObject({ hook: { formerSecretEnds: null } });
    expect(await stored(id)).not.toHaveProperty('formerSecret');
    await run(id, { state: 'disabled', reason: 'unreadable_secret' });
    expect(await rotate('fourth', HOUR_MS)).toMatchObject({ hook: { formerSecretEnds: null } });
  });

  test('[HOOK12] a test is requested in every state, and changes no version', async () => {
    const { user, caller, id } = await active();
    for (const state of ['pending', 'active', 'disabled']) {
      await run(id, { state });
      expect(await done('account:hook:test', { id, caller }, user)).toMatchObject({ hook: { state } });
      expect(await stored(id)).toMatchObject({ testMs: NOW, version: 1 });
    }
  });

  test('[HOOK12] attempts are listed newest first, the last 200 of seven days', async () => {
    const { user, caller, id } = await active();
    const times = [...Array.from({ length: 205 }, (_, index) => NOW - index), NOW - 8 * DAY_MS];
    const attempts = times.map((time) => ({
      hookId: id,
      at: integer(time),
      messageId: 'm',
      type: 'graph.changed',
      attempt: integer(1),
      status: 'refused',
      code: integer(500),
      durationMs: integer(12),
    }));
    await database.write('UNWIND $attempts AS attempt CREATE (d:WebhookDelivery) SET d = attempt', { attempts });
    const { deliveries } = (await done('account:hook:deliveries', { id, caller }, user)) as unknown as {
      deliveries: object[];
    };
    expect(deliveries).toHaveLength(200);
    expect(deliveries.slice(0, 2)).toEqual(
      [at(0), at(-1)].map((time) => ({
        time,
        messageId: 'm',
        type: 'graph.changed',
        attempt: 1,
        outcome: 'refused',
        status: 500,
        durationMs: 12,
      })),
    );
  });
});

describe('a replay', () => {
  /** A user whose feed has entries at these times, in both stored forms. */
  async function withEntries(times: readonly number[]) {
    const user = await makeUser(database);
    const caller = await open(user);
    const { id } = await add(user, caller);
    const feed = `user:${user.id}`;
    const rows = times.map((time, index) => ({ feed, seq: integer(index + 1), ts: at(time), id: newId(0) }));
    const [merged, separate] = [rows.filter((_, index) => index % 2 === 0), rows.filter((_, index) => index % 2 === 1)];
    await database.write(
      `FOREACH (row IN $merged | CREATE (b:Batch {id: row.id, key: row.id, feed: row.feed, seq: row.seq, ts: row.ts}))
       FOREACH (row IN $separate | CREATE (e:Entry {feed: row.feed, seq: row.seq, ts: row.ts}))
       WITH 1 AS one MATCH (f:Feed {id: $feed}) SET f.seq = $seq`,
      { merged, separate, feed, seq: integer(times.length) },
    );
    const start = async (since: string, request = newId(0)) => {
      const { hook, truncated } = (await done(
        'account:hook:replay',
        { id, caller, request, since },
        user,
      )) as unknown as { hook: Hook; truncated: boolean };
      const { position, version } = await stored(id);
      const { feeds } = JSON.parse(Buffer.from((position as string).split('.')[0] as string, 'base64url').toString());
      return { hook, truncated, seq: feeds[feed], version };
    };
    return { id, start };
  }

  test('[HOOK12] begins before the first change since the time, at most seven days back', async () => {
    const { id, start } = await withEntries([-8 * DAY_MS, -3 * HOUR_MS, -2 * HOUR_MS, -HOUR_MS]);
    await run(id, { message: '{}' });
    expect(await start(at(-2 * HOUR_MS))).toMatchObject({ seq: 2, truncated: false, version: 2 });
    expect(await stored(id)).not.toHaveProperty('message');
    expect(await start(at(-2 * HOUR_MS + 1))).toMatchObject({ seq: 3 });
    expect(await start(at(HOUR_MS))).toMatchObject({ seq: 4 });
    expect(await start(at(-30 * DAY_MS))).toMatchObject({ seq: 1, truncated: false });
    const request = newId(0);
    const { version } = await start(at(-HOUR_MS), request);
    expect(await start(at(-HOUR_MS), request)).toMatchObject({ version });
  });

  test('[HOOK12] moves the position in the order of due dates back, and not ahead', async () => {
    const { id, start } = await withEntries([-HOUR_MS]);
    const positionAt = (ms: number) => JSON.stringify({ time: at(ms), id: '' });
    await start(at(-HOUR_MS));
    expect(await stored(id)).not.toHaveProperty('duePosition');
    await run(id, { events: ['node.due'], duePosition: positionAt(-2 * HOUR_MS), dueMessage: '{"nextMs":1}' });
    await start(at(-HOUR_MS));
    expect(await stored(id)).toMatchObject({ duePosition: positionAt(-2 * HOUR_MS) });
    expect(await stored(id)).not.toHaveProperty('dueMessage');
    await start(at(-3 * HOUR_MS));
    expect(await stored(id)).toMatchObject({ duePosition: positionAt(-3 * HOUR_MS) });
    await start(at(-30 * DAY_MS));
    expect(await stored(id)).toMatchObject({ duePosition: positionAt(-7 * DAY_MS) });
  });

  test('[HOOK12] considers the last 10,000 changes, and says if there may be more', async () => {
    const { start } = await withEntries(Array.from({ length: 10_010 }, (_, index) => index - 10_010));
    expect(await start(at(-HOUR_MS))).toMatchObject({ seq: 10, truncated: true });
    expect(await start(at(-9_000))).toMatchObject({ seq: 1_010, truncated: false });
  });
});

describe('[HOOK3] the token of a webhook', () => {
  test('manages only the webhooks that it created, and a session all', async () => {
    const user = await makeUser(database);
    const [session, one, other] = [await open(user), await addToken(user), await addToken(user)];
    const [first, second, third] = [await add(user, session), await add(user, one), await add(user, other)];
    expect([first.tokenId, second.tokenId]).toEqual([null, one]);
    expect((await listed(user, session)).map(({ id }) => id)).toEqual([first.id, second.id, third.id]);
    expect((await listed(user, one)).map(({ id }) => id)).toEqual([second.id]);
    for (const { id } of [first, third]) {
      const update = { id, caller: one, request: newId(0), url: 'https://thief.example.com/' };
      expect(await ask('account:hook:update', update, user)).toMatchObject({ error: 'not_found' });
    }
    // A change by a session does not outlive the token either.
    await done('account:hook:update', { id: second.id, caller: session, request: newId(0), name: 'x' }, user);
    await done('account:token:revoke', { id: one, request: newId(0) }, user);
    expect(await permitted(first.id, second.id, third.id)).toEqual([first.id, third.id]);
  });

  test('ends it when it is revoked; a session can adopt it', async () => {
    const user = await makeUser(database);
    const [session, token] = [await open(user), await addToken(user)];
    const { id } = await add(user, token);
    await run(id, { state: 'active', message: '{}' });
    await done('account:token:revoke', { id: token, request: newId(0) }, user);
    expect(await stored(id)).toMatchObject({ state: 'disabled', reason: 'token_ended', version: 2 });
    expect(await permitted(id)).toEqual([]);
    const again = { id: newId(0), caller: token, secret: newSecret() };
    expect(await ask('account:hook:add', { ...DEFINITION, ...again }, user)).toMatchObject({ error: 'unauthorized' });
    const enable = { id, caller: session, request: newId(0), enabled: true };
    expect(await done('account:hook:update', enable, user)).toMatchObject({
      hook: { state: 'pending', reason: null, tokenId: null },
    });
    expect(await permitted(id)).toEqual([id]);
  });

  test('ends it when it expires, also in lists', async () => {
    const user = await makeUser(database);
    const [session, token] = [await open(user), await addToken(user, { expires: at(HOUR_MS) })];
    const { id } = await add(user, token);
    expect(await permitted(id)).toEqual([id]);
    await database.write('MATCH (t:Token {id: $token}) SET t.expires = $now', { token, now: at(0) });
    expect(await permitted(id)).toEqual([]);
    expect(await listed(user, session)).toMatchObject([{ state: 'disabled', reason: 'token_ended' }]);
    const request = { id, caller: session };
    await done('account:hook:update', { ...request, request: newId(0), enabled: true }, user);
    expect([await permitted(id), await listed(user, session)]).toMatchObject([[id], [{ state: 'pending' }]]);
  });

  test('passes it on to its successor, also if the request is repeated', async () => {
    const user = await makeUser(database);
    const [token, next] = [await addToken(user), newToken()];
    const { id } = await add(user, token);
    const rotation = {
      id: token,
      request: newId(0),
      token: { id: next.id, hash: next.hash, prefix: next.prefix },
    };
    for (let times = 0; times < 2; times++) await done('account:token:rotate', rotation, user);
    expect(await listed(user, next.id)).toMatchObject([{ id, state: 'pending', tokenId: next.id }]);
    expect(await permitted(id)).toEqual([id]);
    await done('account:token:revoke', { id: next.id, request: newId(0) }, user);
    expect(await permitted(id)).toEqual([]);
  });

  test('of a bot has webhooks of the bot, which pause and end with it', async () => {
    const [user, admin] = [await makeUser(database), await makeUser(database)];
    await makeAdministrator(database, admin.id);
    const { bot } = (await done('account:bot:add', { id: newId(0), name: 'Importer' }, user)) as unknown as {
      bot: { id: string; name: string; email: string };
    };
    const actor = { id: bot.id, username: bot.name, email: bot.email, maintainer: user.id };
    const { readOnly: _, ...token } = {
      ...newToken({ expires: at(DAY_MS) }),
      scopes: ['read' as const, 'hooks' as const],
    };
    await done('account:bot:token:add', { bot: bot.id, token }, user);
    const { id } = await add(actor, token.id);
    expect(await permitted(id)).toEqual([id]);
    await done('account:disable', { id: user.id, disabled: true }, admin);
    expect(await permitted(id)).toEqual([]);
    await done('account:disable', { id: user.id, disabled: false }, admin);
    expect(await permitted(id)).toEqual([id]);
    await done('account:bot:remove', { id: bot.id }, user);
    expect(await permitted(id)).toEqual([]);
  });
});

test('[BOT3] a session of the maintainer manages the webhooks of a bot, and nobody else does', async () => {
  const [ann, bob] = [await makeUser(database), await makeUser(database)];
  const [session, othersSession, ownToken] = [await open(ann), await open(bob), await addToken(ann)];
  const { bot } = (await done('account:bot:add', { id: newId(0), name: 'Importer' }, ann)) as unknown as {
    bot: { id: string; name: string; email: string };
  };
  const { id: botId } = bot;
  const actor = { id: botId, username: bot.name, email: bot.email, maintainer: ann.id };
  const token = newToken({ expires: at(DAY_MS) });
  await done('account:bot:token:add', { bot: botId, token }, ann);
  const [hook, own] = [await add(actor, token.id), await add(ann, session)];
  const id = hook.id;
  const listedBy = async (user: ActingUser, caller: string) => ask('account:bot:hooks', { bot: botId, caller }, user);
  expect(await done('account:bot:hooks', { bot: botId, caller: session }, ann)).toEqual({ hooks: [hook] });
  expect(await listed(ann, session)).toMatchObject([{ id: own.id }]);
  const refused = { ok: false, error: 'not_found' };
  const request = () => newId(0);
  for (const [user, caller] of [
    [bob, othersSession],
    [bob, session],
    [actor, token.id],
  ] as const) {
    expect(await listedBy(user, caller)).toMatchObject(refused);
    const named = { bot: botId, caller, id, request: request() };
    expect(await ask('account:bot:hook:update', { ...named, enabled: false }, user)).toMatchObject(refused);
    expect(await ask('account:bot:hook:delete', named, user)).toMatchObject(refused);
    expect(await ask('account:bot:hook:deliveries', { bot: botId, caller, id }, user)).toMatchObject(refused);
  }
  // A token of the maintainer, and one webhook under the name of another owner.
  expect(await done('account:bot:hooks', { bot: botId, caller: ownToken }, ann)).toEqual({ hooks: [] });
  for (const named of [
    { bot: botId, caller: ownToken, id },
    { bot: botId, caller: session, id: own.id },
  ]) {
    expect(await ask('account:bot:hook:delete', { ...named, request: request() }, ann)).toMatchObject(refused);
    expect(await ask('account:bot:hook:deliveries', named, ann)).toMatchObject(refused);
  }
  expect(await ask('account:hook:delete', { caller: session, id, request: request() }, ann)).toMatchObject(refused);
  const managed = { bot: botId, caller: session, id };
  expect(await done('account:bot:hook:deliveries', managed, ann)).toEqual({ deliveries: [] });
  const disabled = { ...managed, request: request(), enabled: false };
  expect(await done('account:bot:hook:update', disabled, ann)).toMatchObject({ hook: { id, state: 'disabled' } });
  expect(await listed(actor, token.id)).toMatchObject([{ id, state: 'disabled' }]);
  // The webhook of an ended token belongs to the bot after the maintainer has enabled it.
  await done('account:bot:token:revoke', { bot: botId, id: token.id, request: request() }, ann);
  const enabled = { ...managed, request: request(), enabled: true };
  expect(await done('account:bot:hook:update', enabled, ann)).toMatchObject({
    hook: { state: 'pending', tokenId: null },
  });
  expect(await permitted(id)).toEqual([id]);
  const repeated = { ...managed, request: request() };
  for (let times = 0; times < 2; times++) expect(await done('account:bot:hook:delete', repeated, ann)).toEqual({});
  expect(await done('account:bot:hooks', { bot: botId, caller: session }, ann)).toEqual({ hooks: [] });
  await done('account:bot:remove', { id: botId }, ann);
  expect(await listedBy(ann, session)).toMatchObject(refused);
});

test('[HOOK3 AUTH1] the webhooks of a disabled user pause', async () => {
  const [user, admin] = [await makeUser(database), await makeUser(database)];
  await makeAdministrator(database, admin.id);
  const { id } = await add(user, await open(user));
  await done('account:disable', { id: user.id, disabled: true }, admin);
  expect(await permitted(id)).toEqual([]);
  await done('account:disable', { id: user.id, disabled: false }, admin);
  expect(await permitted(id)).toEqual([id]);
});

test('[HOOK3 AUTH4] webhooks end where all API tokens end, and stay where these stay', async () => {
  const user = await makeUser(database);
  const caller = await open(user);
  const { id } = await add(user, caller);
  const change = { userId: user.id, keep: caller, now: at(0) };
  await setPassword(database, { ...change, before: null, after: HASH, endTokens: false });
  expect(await listed(user, caller)).toMatchObject([{ state: 'pending' }]);
  const thief = await open(user);
  await setPassword(database, { ...change, before: HASH, after: `${HASH}2`, endTokens: true });
  expect(await listed(user, caller)).toMatchObject([{ state: 'disabled', reason: 'token_ended' }]);
  // A session that ended meanwhile neither adds nor enables one.
  const added = { ...DEFINITION, id: newId(0), caller: thief, secret: newSecret() };
  expect(await ask('account:hook:add', added, user)).toMatchObject({ error: 'unauthorized' });
  const enable = { id, caller: thief, request: newId(0), enabled: true };
  expect(await ask('account:hook:update', enable, user)).toMatchObject({ error: 'unauthorized' });
});

test('[HOOK3 AUTH4] the first sign-in by a provider ends webhooks of an account with a password', async () => {
  const user = await makeUser(database);
  const change = { userId: user.id, keep: '', now: at(0) };
  await setPassword(database, { ...change, before: null, after: HASH, endTokens: false });
  const { id } = await add(user, await open(user));
  const vouched = {
    id: newId(0),
    issuer: 'https://id.example.com',
    subject: user.id,
    email: user.email,
    username: 'x',
  };
  await done('account:vouch', { ...vouched, mayRegister: false });
  expect(await stored(id)).toMatchObject({ state: 'disabled', reason: 'token_ended' });
});
