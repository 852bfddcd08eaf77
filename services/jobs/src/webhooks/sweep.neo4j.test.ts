// The search for due webhooks on a real database, parts of which are made to fail.
import { randomUUID } from 'node:crypto';
import { ensureUser } from '@taskgraph/graph-store/accounts/users';
import { type Database, openDatabase, type Row } from '@taskgraph/graph-store/driver/database';
import { migrate } from '@taskgraph/graph-store/migration/migrations';
import { createLog } from '@taskgraph/runtime/telemetry/log';
import { userFeed } from '@taskgraph/wire/feeds';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { createWebhookSweep } from './sweep.ts';

const log = createLog({ name: 'test', level: 'silent' });
/** More than enough for all webhooks of other tests in this database. */
const MOST_SWEEPS = 200;

let database: Database;
let prefix: string;
let found: string[];
let users: string[];
/** Of the clock of sweeps. */
let aheadMs: number;
/** The parameters of reads that fail. */
let isBroken: (parameters: Row) => boolean;

beforeAll(async () => {
  const { NEO4J_URL: url = '', NEO4J_USER: user = '', NEO4J_PASSWORD: password = '' } = process.env;
  database = openDatabase({ url, user, password });
  await migrate(database, () => undefined);
});
beforeEach(() => {
  prefix = randomUUID();
  [found, users, aheadMs] = [[], [], 0];
  isBroken = () => false;
});
afterEach(async () => {
  await database.write('UNWIND $users AS id MATCH (w:Webhook {userId: id}) DETACH DELETE w', { users });
});
afterAll(() => database.close());

async function addUser(): Promise<string> {
  const [id, now] = [randomUUID(), new Date().toISOString()];
  await ensureUser(database, { id, email: `${id}@example.com`, username: 'ann', now });
  users.push(id);
  return id;
}

/** An active webhook whose last check found an empty feed. */
async function addHook(user: string, name: string, fields = ''): Promise<string> {
  const id = `${prefix}-${name}`;
  await database.write(
    `MATCH (u:User {id: $user}) CREATE (u)-[:HAS_WEBHOOK]->(w:Webhook {id: $id, userId: $user, state: 'active', version: 1,
      name: 'n', url: 'https://example.com', events: [], secret: 's', position: 'p', headsSum: '0:0:0'})
     SET w.lease = 0 ${fields}`,
    { user, id },
  );
  return id;
}

/** Other tests use this database too, so only webhooks of this one are found and marked. */
function open(page?: number) {
  const isOwn = (id: string) => id.startsWith(prefix);
  const scoped: Database = {
    ...database,
    read: async (cypher, parameters) => {
      if (isBroken(parameters)) throw new Error('a broken part');
      return database.read(cypher, parameters);
    },
    write: (cypher, parameters) =>
      database.write(cypher, { ...parameters, ids: (parameters.ids as string[]).filter(isOwn) }),
  };
  return createWebhookSweep({
    database: scoped,
    add: async (due) => void found.push(...due.map(({ id }) => id).filter(isOwn)),
    log,
    nowMs: () => Date.now() + aheadMs,
    stopping: new AbortController().signal,
    ...(page === undefined ? {} : { page }),
  });
}

test('[HOOK10 HOOK14] a page that fails stops no later page and no other state, and counts as lag', async () => {
  const user = await addUser();
  const ids: string[] = [];
  for (const name of ['1', '2', '3']) ids.push(await addHook(user, name, ", w.message = '{}'"));
  ids.push(await addHook(user, '4', ", w.state = 'disabled', w.testMs = timestamp()"));
  const [first, second, ...rest] = ids;
  // Without the time it is the statement that only finds the next page.
  isBroken = ({ state, after, now }) => state === 'active' && after === first && now !== undefined;
  const sweep = open(1);
  let failures = 0;
  const others = [first, ...rest];
  for (
    let sweeps = 0;
    sweeps < MOST_SWEEPS && (failures === 0 || !others.every((id) => found.includes(id as string)));
    sweeps++
  ) {
    await sweep.run().catch(() => failures++);
    // The first of them is examined again when all have been.
  }
  expect(failures).toBeGreaterThan(0);
  expect(new Set(found)).toEqual(new Set(others));
  await expect
    .poll(async () => {
      await sweep.run().catch(() => undefined);
      return sweep.lagSeconds();
    })
    .toBeGreaterThan(0);
  isBroken = () => false;
  for (let sweeps = 0; sweeps < MOST_SWEEPS && !found.includes(second as string); sweeps++) await sweep.run();
  expect(found).toContain(second);
});

test('[HOOK10 HOOK14] feeds of one user that cannot be read stop no webhook of another, and count as lag', async () => {
  const [ann, bob] = [await addUser(), await addUser()];
  const ids = [await addHook(ann, 'of ann'), await addHook(bob, 'of bob')];
  // The last checks were of other grants, so only the heads of the grants show a change.
  for (const id of ids) await database.write("MATCH (w:Webhook {id: $id}) SET w.headsSum = '0:7:1'", { id });
  isBroken = ({ users: checked }) => Array.isArray(checked) && checked.includes(ann);
  const sweep = open();
  await expect(sweep.run()).rejects.toThrow('1 parts of the search');
  expect(found).toEqual([]);
  // A failed check is repeated after ten seconds, with one statement for each of its users.
  aheadMs = 11_000;
  await expect(sweep.run()).rejects.toThrow('1 parts of the search');
  expect(found).toEqual([ids[1]]);
  expect(sweep.lagSeconds()).toBeGreaterThanOrEqual(10);
  isBroken = () => false;
  aheadMs = 22_000;
  await sweep.run();
  expect(found).toContain(ids[0]);
});

test('[HOOK10] a sweep reads heads of grants only for webhooks that nothing else shows to be due', async () => {
  const [ann, bob, cy] = [await addUser(), await addUser(), await addUser()];
  const ids = [
    await addHook(ann, 'of ann', ", w.message = '{}'"),
    await addHook(bob, 'of bob', ', w.headsSum = null'),
    await addHook(cy, 'of cy'),
  ];
  await database.write('MATCH (f:Feed {id: $feed}) SET f.seq = 1', { feed: userFeed(bob) });
  const checked: string[] = [];
  isBroken = (parameters) => {
    checked.push(...((parameters.users ?? []) as string[]));
    return false;
  };
  const sweep = open();
  await sweep.run();
  expect(found).toEqual(ids.slice(0, 2));
  expect(checked.filter((id) => users.includes(id))).toEqual([cy]);
  // Found again, since no run has read anything.
  await sweep.run();
  expect(found).toEqual([...ids.slice(0, 2), ...ids.slice(0, 2)]);
});

test('[HOOK14] a webhook that waits for a fault of the installation is no lag', async () => {
  const due = ', w.dueSinceMs = timestamp() - 3600000';
  const id = await addHook(await addUser(), 'of ann', `${due}, w.faultSinceMs = timestamp() - 3600000`);
  const sweep = open();
  for (let sweeps = 0; sweeps < MOST_SWEEPS && !found.includes(id); sweeps++) await sweep.run();
  expect(found).toEqual([id]);
  expect(sweep.lagSeconds()).toBeLessThan(3_600);
  // The same webhook without the fault.
  await database.write('MATCH (w:Webhook {id: $id}) SET w.faultSinceMs = null', { id });
  for (let sweeps = 0; sweeps < MOST_SWEEPS && found.length < 2; sweeps++) await sweep.run();
  expect(sweep.lagSeconds()).toBeGreaterThanOrEqual(3_600);
});
