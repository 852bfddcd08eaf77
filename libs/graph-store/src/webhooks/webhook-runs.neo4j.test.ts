// Leases, conditional steps and the search for due webhooks, against a real Neo4j.
import { randomUUID } from 'node:crypto';
import type { ActingUser } from '@taskgraph/wire/actor';
import { userFeed } from '@taskgraph/wire/feeds';
import { MAXIMUM_DELIVERIES } from '@taskgraph/wire/webhooks/webhook-fields';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { ensureUser } from '../accounts/users.ts';
import { integer } from '../driver/codec.ts';
import { type Database, openDatabase } from '../driver/database.ts';
import { migrate } from '../migration/migrations.ts';
import { listReadyWebhooks, markDue, type ReadyWebhook, sumHeads } from './due-webhooks.ts';
import type { StoredDelivery } from './webhook-rows.ts';
import {
  leaseWebhook,
  listNextRuns,
  type RunStep,
  releaseWebhook,
  type StoredStep,
  storeRunSteps,
} from './webhook-runs.ts';

const DAY_MS = 86_400_000;

let database: Database;
let user: ActingUser;
let id: string;

beforeAll(async () => {
  const { NEO4J_URL: url = '', NEO4J_USER: name = '', NEO4J_PASSWORD: password = '' } = process.env;
  database = openDatabase({ url, user: name, password });
  await migrate(database, () => undefined);
});
beforeEach(async () => {
  const userId = randomUUID();
  user = await ensureUser(database, { id: userId, email: `${userId}@example.com`, username: 'ann', now: now() });
  id = await create();
});
afterEach(async () => {
  await database.write('MATCH (w:Webhook {userId: $userId}) DETACH DELETE w', { userId: user.id });
  await database.write('MATCH (d:WebhookDelivery) WHERE d.hookId = $id DELETE d', { id });
});
afterAll(() => database.close());

/** Another webhook of the user. */
async function create(): Promise<string> {
  const created = randomUUID();
  await database.write(
    `MATCH (u:User {id: $userId}) CREATE (u)-[:HAS_WEBHOOK]->(w:Webhook {id: $id, userId: $userId, state: 'active', version: $one,
      name: 'n', url: 'https://example.com', events: [], secret: 's', position: 'p', created: $now})`,
    { userId: user.id, id: created, one: integer(1), now: now() },
  );
  return created;
}

const now = () => new Date().toISOString();
const take = (runner: string) => leaseWebhook(database, { id, runner, now: now() }, false);
const renew = (runner: string) => leaseWebhook(database, { id, runner, now: now() }, true);
const set = (fields: string, parameters: object = {}) =>
  database.write(`MATCH (w:Webhook {id: $id}) SET ${fields}`, { id, ...parameters });
async function store(runner: string, changes: object, more: Partial<RunStep>): Promise<StoredStep | undefined> {
  const one = { id, runner, version: 1, changes, after: 'hold', nowMs: Date.now(), ...more } as const;
  return (await storeRunSteps(database, [one]))[0];
}
const step = async (runner: string, changes: object, more: Partial<RunStep> = {}) =>
  (await store(runner, changes, more))?.isStored;
async function property(name: string): Promise<unknown> {
  const [row] = await database.read('MATCH (w:Webhook {id: $id}) RETURN w[$name] AS value', { id, name });
  return row?.value;
}
async function findReady(state: 'pending' | 'active' | 'disabled' = 'active'): Promise<ReadyWebhook | undefined> {
  const { ready } = await listReadyWebhooks(database, { state, after: id.slice(0, -1), limit: 1, now: now() });
  return ready.find((one) => one.id === id);
}
async function isDue(state: 'pending' | 'active' | 'disabled' = 'active'): Promise<boolean> {
  const found = await findReady(state);
  if (found === undefined || found.isDue) return found?.isDue === true;
  return (await sumHeads(database, { users: [user.id], now: now() })).get(user.id) !== found.headsSum;
}
const delivery = (at: number): StoredDelivery => ({
  hookId: id,
  at,
  messageId: `msg_${at}`,
  type: 'graph.changed',
  attempt: 1,
  status: 'refused',
  code: 500,
  durationMs: 3,
});

test('[HOOK6] one runner has a webhook until its lease ends, and then stores nothing more', async () => {
  expect(await take('one')).toMatchObject({ webhook: { id, position: 'p' }, user: { id: user.id }, headsSum: '0:0:0' });
  expect(await take('two')).toBeNull();
  expect(await step('one', { position: 'q' })).toBe(true);
  await set('w.lease = timestamp() - 1');
  expect(await renew('one')).toBeNull();
  expect(await step('one', { position: 'r' })).toBe(false);
  expect(await take('two')).toMatchObject({ webhook: { position: 'q' } });
  expect(await step('one', { position: 's' })).toBe(false);
  await releaseWebhook(database, { id, runner: 'one' });
  expect(await renew('two')).not.toBeNull();
  await releaseWebhook(database, { id, runner: 'two' });
  expect(await take('three')).toMatchObject({ webhook: { position: 'q' } });
});

test('[HOOK8] a step of an earlier version changes nothing, and its attempt is recorded', async () => {
  await take('one');
  await set('w.version = w.version + 1, w.position = "replayed"');
  const at = Date.now();
  expect(await step('one', { position: 'q', message: null }, { attempts: [delivery(at)] })).toBe(false);
  expect(await property('position')).toBe('replayed');
  const rows = await database.read('MATCH (d:WebhookDelivery) WHERE d.hookId = $id RETURN d.at AS at, d.code AS code', {
    id,
  });
  expect(rows).toEqual([{ at, code: 500 }]);
});

test('[HOOK12] a repeated step records its attempt once, and old attempts are deleted', async () => {
  await take('one');
  const nowMs = Date.now();
  const old = delivery(nowMs - 8 * DAY_MS);
  await step('one', {}, { attempts: [old] });
  const attempts = Array.from({ length: MAXIMUM_DELIVERIES + 5 }, (_, index) => delivery(nowMs - index));
  for (let times = 0; times < 2; times++) await step('one', {}, { attempts });
  const rows = await database.read(
    'MATCH (d:WebhookDelivery) WHERE d.hookId = $id RETURN d.at AS at ORDER BY at DESC',
    { id },
  );
  expect(rows.map(({ at }) => at)).toEqual(attempts.slice(0, MAXIMUM_DELIVERIES).map(({ at }) => at));
});

test('[HOOK12] of many short steps, the attempts beyond the limit are deleted after every twentieth', async () => {
  await take('one');
  const nowMs = Date.now();
  const count = async () =>
    (await database.read('MATCH (d:WebhookDelivery) WHERE d.hookId = $id RETURN d', { id })).length;
  const many = Array.from({ length: MAXIMUM_DELIVERIES }, (_, index) => delivery(nowMs - index));
  await step('one', {}, { attempts: many });
  for (let more = 1; more < 20; more++) await step('one', {}, { attempts: [delivery(nowMs + more)] });
  expect(await count()).toBe(MAXIMUM_DELIVERIES + 19);
  await step('one', {}, { attempts: [delivery(nowMs + 20)] });
  expect(await count()).toBe(MAXIMUM_DELIVERIES);
});

test('[HOOK6] a step that continues the run returns the webhook as it is then, and its user', async () => {
  const found = await take('one');
  const next = (await store('one', { position: 'q' }, { after: 'continue' }))?.next;
  expect(next).toMatchObject({ webhook: { id, position: 'q', runner: 'one' }, user: found?.user, headsSum: '0:0:0' });
  expect(await renew('one')).toEqual({ ...next, webhook: { ...next?.webhook, lease: expect.any(Number) } });
});

test('[HOOK3 HOOK6] a run whose user is disabled meanwhile is stored, and does not continue', async () => {
  await take('one');
  await database.write('MATCH (u:User {id: $id}) SET u.disabled = true', { id: user.id });
  expect(await store('one', { position: 'q' }, { after: 'continue' })).toEqual({ isStored: true, next: null });
  expect([await property('position'), await property('runner'), await property('lease')]).toEqual(['q', null, null]);
});

test('[HOOK6] the last step of a run, and one that is not stored, give the webhook to others', async () => {
  await take('one');
  expect(await step('one', { position: 'q' }, { after: 'release' })).toBe(true);
  expect(await take('two')).toMatchObject({ webhook: { position: 'q' } });
  expect(await store('two', {}, { version: 7, after: 'continue' })).toEqual({ isStored: false, next: null });
  expect(await take('three')).not.toBeNull();
});

test('[HOOK6 HOOK8] steps of several webhooks are stored in one transaction, each by its own lease and version', async () => {
  const ids = [id, ...(await Promise.all([create(), create()]))];
  for (const one of ids.slice(0, 2)) await leaseWebhook(database, { id: one, runner: `of ${one}`, now: now() }, false);
  const steps = ids.map((one, index) => {
    const more = { version: index === 1 ? 7 : 1, after: 'continue', nowMs: Date.now() } as const;
    return { id: one, runner: `of ${one}`, changes: { position: `${index}` }, attempts: [], ...more };
  });
  const stored = await storeRunSteps(database, steps);
  expect(stored.map(({ isStored }) => isStored)).toEqual([true, false, false]);
  expect(stored.map(({ next }) => next?.webhook.position)).toEqual(['0', undefined, undefined]);
});

test('[HOOK12] a test that is requested during another one is not lost', async () => {
  await set('w.testMs = $at', { at: integer(1) });
  expect((await take('one'))?.webhook.testMs).toBe(1);
  await set('w.testMs = $at', { at: integer(2) });
  await step('one', {}, { testMs: 1 });
  expect(await property('testMs')).toBe(2);
  await step('one', {}, { testMs: 2 });
  expect(await property('testMs')).toBeNull();
});

test('[HOOK10] a webhook is due when a feed of its user has moved since the last look', async () => {
  expect(await isDue()).toBe(true);
  const found = await take('one');
  expect(await isDue()).toBe(false);
  await step('one', { headsSum: found?.headsSum });
  await releaseWebhook(database, { id, runner: 'one' });
  expect(await isDue()).toBe(false);
  await database.write('MATCH (f:Feed {id: $feed}) SET f.seq = f.seq + 1', { feed: userFeed(user.id) });
  expect(await isDue()).toBe(true);
  await set('w.nextMs = timestamp() + 60000');
  expect(await isDue()).toBe(false);
  expect(await take('one')).toBeNull();
});

test('[HOOK2 HOOK10] a webhook is due after its user has lost a grant, whatever the numbers of the feeds', async () => {
  const [node, feed] = [randomUUID(), userFeed(user.id)];
  await database.write(
    `MATCH (p:Principal {email: $email}) MERGE (n:Node {id: $node})
     CREATE (:Feed {id: 'root:' + $node, seq: $zero, epoch: $zero})
     CREATE (p)-[:GRANT {key: $node, nodeId: $node, branch: true, level: $zero, showing: true, email: $email}]->(n)`,
    { email: user.email, node, zero: integer(0) },
  );
  const found = await take('one');
  expect(found?.headsSum).toBe('0:0:1');
  await step('one', { headsSum: found?.headsSum });
  await releaseWebhook(database, { id, runner: 'one' });
  expect(await isDue()).toBe(false);
  // The number of the own feed rises by one, as the count of the grants falls by one.
  const end =
    'MATCH (:Principal)-[g:GRANT {key: $node}]->(n:Node), (f:Feed {id: $feed}) SET f.seq = f.seq + 1 DELETE g';
  await database.write(end, { node, feed });
  expect(await isDue()).toBe(true);
  await database.write("MATCH (n:Node {id: $node}), (f:Feed {id: 'root:' + $node}) DETACH DELETE n, f", { node });
});

test('[HOOK3 HOOK12] a disabled webhook is due for a test, and one of a disabled user or an ended token is not', async () => {
  await set("w.state = 'pending'");
  expect(await isDue('pending')).toBe(true);
  await set("w.state = 'disabled'");
  expect(await isDue('disabled')).toBe(false);
  await set('w.testMs = timestamp()');
  expect(await isDue('disabled')).toBe(true);
  await set('w.tokenId = $token', { token: randomUUID() });
  expect([await isDue('disabled'), await take('one')]).toEqual([false, null]);
  await set('w.tokenId = null');
  await database.write('MATCH (u:User {id: $id}) SET u.disabled = true', { id: user.id });
  expect([await isDue('disabled'), await take('one')]).toEqual([false, null]);
  expect(await property('lease')).toBeNull();
});

test('[HOOK14] a webhook is due from the first moment at which it was found due until a run ends that', async () => {
  await take('one');
  await step('one', { headsSum: '0:0:0' });
  await releaseWebhook(database, { id, runner: 'one' });
  expect(await findReady()).toMatchObject({ isDue: false, isHealthy: true, dueSinceMs: 0 });
  await markDue(database, [id]);
  const since = await property('dueSinceMs');
  await markDue(database, [id]);
  expect(await findReady()).toMatchObject({ isDue: true, isHealthy: true, dueSinceMs: since });
  await set('w.failingSinceMs = timestamp()');
  expect(await findReady()).toMatchObject({ isHealthy: false });
  await take('two');
  await step('two', { dueSinceMs: null });
  await releaseWebhook(database, { id, runner: 'two' });
  expect(await findReady()).toMatchObject({ isDue: false, dueSinceMs: 0 });
});

test('[HOOK10] the search reads no feeds of grants for a webhook that is due anyway, and tells how many there are', async () => {
  const [node, headsSum] = [randomUUID(), '0:0:0'];
  await database.write(
    `MATCH (p:Principal {email: $email}) MERGE (n:Node {id: $node})
     CREATE (p)-[:GRANT {key: $node, nodeId: $node, branch: true, level: 0, showing: false, email: $email}]->(n)`,
    { email: user.email, node },
  );
  await set('w.headsSum = $headsSum', { headsSum });
  expect(await findReady()).toMatchObject({ isDue: false, userId: user.id, headsSum, grants: 1 });
  for (const more of ['w.message = "{}"', 'w.message = null, w.testMs = 1', 'w.testMs = null, w.headsSum = null']) {
    await set(more);
    expect(await findReady()).toMatchObject({ isDue: true });
  }
  await set('w.headsSum = $headsSum', { headsSum });
  await database.write('MATCH (f:Feed {id: $feed}) SET f.seq = 12', { feed: userFeed(user.id) });
  expect(await findReady()).toMatchObject({ isDue: true });
  await set("w.headsSum = '1:0:0'");
  expect(await findReady()).toMatchObject({ isDue: true });
  await set("w.headsSum = '12:0:0'");
  expect(await findReady()).toMatchObject({ isDue: false });
  await database.write('MATCH (n:Node {id: $node}) DETACH DELETE n', { node });
});

test('[HOOK5 HOOK10] a webhook that selects due dates is due when their next search is, and while a message about them waits', async () => {
  await set("w.headsSum = '0:0:0'");
  expect(await findReady()).toMatchObject({ isDue: false });
  for (const events of [['node.due'], ['link.*', 'node.*']]) {
    await set('w.events = $events, w.dueSearchMs = null', { events });
    expect(await findReady()).toMatchObject({ isDue: true });
    await set('w.dueSearchMs = timestamp() + 60000');
    expect(await findReady()).toMatchObject({ isDue: false });
    await set('w.dueSearchMs = timestamp()');
    expect(await findReady()).toMatchObject({ isDue: true });
  }
  await set("w.events = ['node.completed', 'link.*']");
  expect(await findReady()).toMatchObject({ isDue: false });
  await set('w.dueMessage = $message', { message: '{"nextMs":1}' });
  expect(await findReady()).toMatchObject({ isDue: true });
  // A message that could not be read waits for its next read.
  await set("w.events = ['node.due'], w.dueFailures = 1, w.dueSearchMs = timestamp() + 60000");
  expect(await findReady()).toMatchObject({ isDue: false });
  await set('w.dueSearchMs = timestamp()');
  expect(await findReady()).toMatchObject({ isDue: true });
});

test('[HOOK6] a message about due nodes, a search and the position before them are stored as a run gave them', async () => {
  const position = { time: '2026-01-01T00:00:00.000Z', id: '' };
  const to = { ...position, id: 'x' };
  const message = { id: 'm', from: null, to, until: null, nodes: [to], firstMs: 1, attempts: 0, nextMs: 2 };
  const search = { to, until: '2026-01-02T00:00:00.000Z', nodes: [to], bytes: 1 };
  expect((await take('one'))?.webhook).toMatchObject({ duePosition: null, dueMessage: null, dueSearchMs: null });
  const next = (
    await store(
      'one',
      { duePosition: position, dueMessage: message, dueSearch: search, dueSearchMs: 3 },
      { after: 'continue' },
    )
  )?.next;
  expect(next?.webhook).toMatchObject({
    duePosition: position,
    dueMessage: message,
    dueSearch: search,
    dueSearchMs: 3,
    message: null,
  });
  await store('one', { dueMessage: null }, {});
  expect(await property('dueMessage')).toBeNull();
});

test('[HOOK8 HOOK12] a test waits as its webhook does', async () => {
  await set('w.testMs = timestamp(), w.nextMs = timestamp() + 60000');
  expect([await isDue(), await take('one')]).toEqual([false, null]);
  await set('w.nextMs = timestamp()');
  expect(await isDue()).toBe(true);
  expect(await take('one')).not.toBeNull();
});

test('[HOOK13] at most four webhooks of a user are run at once, in any services', async () => {
  const ids = [id, ...(await Promise.all(Array.from({ length: 7 }, create)))];
  const takeAll = () =>
    Promise.all(ids.map((one) => leaseWebhook(database, { id: one, runner: `runner of ${one}`, now: now() }, false)));
  const taken = (await takeAll()).flatMap((found) => found?.webhook.id ?? []);
  expect(taken).toHaveLength(4);
  expect((await takeAll()).filter((found) => found !== null)).toEqual([]);
  expect(await isDue()).toBe(false);
  const [first = ''] = taken;
  await releaseWebhook(database, { id: first, runner: `runner of ${first}` });
  expect((await takeAll()).filter((found) => found !== null)).toHaveLength(1);
});

/** Whether the webhook gets a lease, or is in the run queue. */
const begin = async (one: string) =>
  (await leaseWebhook(database, { id: one, runner: `runner of ${one}`, now: now() }, false)) !== null;
const end = (one: string) => releaseWebhook(database, { id: one, runner: `runner of ${one}` });
const nextAfter = async (one: string) => (await listNextRuns(database, { id: one, now: now() })).map((next) => next.id);

test('[HOOK13] a free run belongs to the webhook of the user that has waited longest', async () => {
  const ids = [id, ...(await Promise.all(Array.from({ length: 5 }, create)))] as [
    string,
    string,
    string,
    string,
    ...string[],
  ];
  const [first, second, third, fourth, ...waiting] = ids;
  for (const one of [first, second, third, fourth]) expect(await begin(one)).toBe(true);
  const [fifth = '', sixth = ''] = waiting;
  for (const [index, one] of waiting.entries()) {
    // The search begins a run of a webhook that has not waited yet, and leaves the others to the end of a run.
    const { ready } = await listReadyWebhooks(database, { state: 'active', after: '', limit: 250, now: now() });
    expect(
      ready
        .filter(({ userId }) => userId === user.id)
        .map((found) => found.id)
        .sort(),
    ).toEqual(waiting.slice(index).sort());
    expect(await begin(one)).toBe(false);
    expect(await nextAfter(one)).toEqual([]);
    await database.write('MATCH (w:Webhook {id: $one}) SET w.queuedMs = w.queuedMs - $ago', {
      one,
      ago: integer(10 - index),
    });
  }
  await end(first);
  expect(await nextAfter(first)).toEqual([fifth]);
  // Neither the one that has just ended nor a later one takes the run.
  expect([await begin(first), await begin(sixth)]).toEqual([false, false]);
  expect(await nextAfter(sixth)).toEqual([fifth]);
  expect(await begin(fifth)).toBe(true);
  expect(await nextAfter(fifth)).toEqual([]);
  await end(second);
  expect(await nextAfter(second)).toEqual([sixth]);
  // One that can't run any more leaves its run to the next one.
  await database.write("MATCH (w:Webhook {id: $sixth}) SET w.state = 'disabled'", { sixth });
  expect(await nextAfter(second)).toEqual([first]);
  expect([await begin(second), await begin(first)]).toEqual([false, true]);
});

test('[HOOK13] a slow webhook lets others of its user go first, for 30 seconds', async () => {
  const ids = await Promise.all(Array.from({ length: 5 }, create));
  const [last = '', ...others] = ids;
  for (const one of others) expect(await begin(one)).toBe(true);
  await set('w.isSlow = true');
  expect([await begin(id), await begin(last)]).toEqual([false, false]);
  await end(others[0] ?? '');
  expect(await listNextRuns(database, { id, now: now() })).toMatchObject([{ id: last, isSlow: false }]);
  await set('w.queuedMs = w.queuedMs - 30000');
  expect(await listNextRuns(database, { id, now: now() })).toMatchObject([{ id, isSlow: true }]);
  expect([await begin(last), await begin(id)]).toEqual([false, true]);
});

test('[HOOK13] slow webhooks in the run queue leave all runs but one to the others of their user', async () => {
  const ids = await Promise.all(Array.from({ length: 11 }, create));
  const [running, slow, fast] = [ids.slice(0, 4), ids.slice(4, 7), ids.slice(7)];
  for (const one of running) expect(await begin(one)).toBe(true);
  await database.write('MATCH (w:Webhook) WHERE w.id IN $slow SET w.isSlow = true', { slow });
  for (const one of slow) expect(await begin(one)).toBe(false);
  // Their runs wait in their queue for the slow webhooks of other users.
  await database.write(
    `UNWIND range(0, size($slow) - 1) AS place MATCH (w:Webhook {id: $slow[place]})
     SET w.queuedMs = w.queuedMs - 60000 + 1000 * place`,
    { slow },
  );
  for (const one of running) await end(one);
  const begun = [];
  for (const one of fast) begun.push(await begin(one));
  expect(begun).toEqual([true, true, true, false]);
  const [first = '', second = '', third = '', last = ''] = fast;
  // One run is for the slow ones.
  expect(await nextAfter(id)).toEqual([slow[0]]);
  expect(await begin(slow[0] ?? '')).toBe(true);
  // While one of them has it, they have no other one.
  await end(first);
  expect(await nextAfter(first)).toContain(last);
  expect([await begin(last), await begin(first)]).toEqual([true, false]);
  for (const one of [second, third]) await end(one);
  expect(await nextAfter(second)).toContain(first);
  expect([await begin(first), await begin(second)]).toEqual([true, true]);
});
