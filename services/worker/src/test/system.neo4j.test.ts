// Commands of the system on a worker with a real Neo4j: exactly once, with the system as the actor
// in history, and not available to users.
import { systemCommands } from '@taskgraph/commands/commands';
import type { Database } from '@taskgraph/graph-store/driver/database';
import { type ActingUser, SYSTEM, SYSTEM_ID } from '@taskgraph/wire/actor';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeUser, newId, openTestDatabase, startTestWorker, type TestWorker, warmUp } from './support/harness.ts';
import { findInconsistencies } from './support/integrity-checker.ts';

const HOUR_MS = 3_600_000;
let database: Database;
let clock = Date.now();
let worker: TestWorker;
let ann: ActingUser;
let bob: ActingUser;

beforeAll(async () => {
  database = await openTestDatabase();
  await warmUp(database);
  worker = startTestWorker(database, { nowMs: () => clock });
  [ann, bob] = await Promise.all([makeUser(database, 'ann'), makeUser(database, 'bob')]);
});
afterAll(async () => {
  expect(await findInconsistencies(database)).toEqual([]);
  await database.close();
});

const ahead = (ms: number) => new Date(clock + ms).toISOString();

async function addNode(payload: object = {}): Promise<string> {
  return (await worker.run(ann, 'node:add', { title: 'a node', ...payload })).nodes[0]?.after.id as string;
}

async function batchesOf(event: string, entity: string): Promise<number> {
  const [row] = await database.read(
    `MATCH (t:Touch|Batch {entity: $entity})
     MATCH (b:Batch {id: coalesce(t.batch, t.id)}) WHERE b.event = $event OR b.details CONTAINS '"' + $event + '"'
     RETURN count(b) AS count`,
    { entity, event },
  );
  return row?.count as number;
}

async function epochOf(feed: string): Promise<number> {
  const [row] = await database.read('MATCH (f:Feed {id: $feed}) RETURN f.epoch AS epoch', { feed });
  return row?.epoch as number;
}

/** A node shared with bob and published, both until an hour from now. */
async function makeDue(): Promise<string> {
  const id = await addNode();
  await worker.run(ann, 'node:access', { id, email: bob.email, level: 2, due: ahead(HOUR_MS) });
  await worker.run(ann, 'node:publish', { id, due: ahead(HOUR_MS) });
  return id;
}

test('[ACL5 PUB5 GEN9] expired grants end in one batch, once for any number of repetitions and workers', async () => {
  const id = await makeDue();
  expect((await worker.run(SYSTEM, 'node:expire', { id })).batchId).toBeNull();
  expect(await batchesOf('node:expire', id)).toBe(0);
  clock += HOUR_MS;
  const other = startTestWorker(database, { nowMs: () => clock });
  await Promise.all(
    Array.from({ length: 12 }, (_, index) => [worker, other][index % 2]?.send(SYSTEM, 'node:expire', { id })),
  );
  expect(await batchesOf('node:expire', id)).toBe(1);
  const [row] = await database.read(
    'MATCH (n:Node {id: $id}) RETURN n.publicToken AS token, COUNT { (n)<-[:GRANT]-() } AS grants',
    { id },
  );
  expect(row).toEqual({ token: null, grants: 0 });
});

test('[HIS1 HIS4 HIS7] history shows the system as the actor; an expired grant is not restored', async () => {
  const id = await makeDue();
  clock += HOUR_MS;
  const { batchId } = await worker.run(SYSTEM, 'node:expire', { id });
  const page = await worker.read(ann, 'history:page', { scopeType: 'NODE', scopeId: id });
  const [newest, ...older] = page.batches as { batchId: string; actor: object; ts: string; ops: { type: number }[] }[];
  expect(newest).toMatchObject({ actor: { username: 'system', email: '' } });
  expect(newest?.ops.map(({ type }) => type)).toEqual([22, 6]);
  expect(older.every(({ ts }) => ts <= (newest?.ts ?? ''))).toBe(true);
  expect(await worker.refused(ann, 'batch:undo', { batchId })).toMatchObject({ code: 'conflict.expired' });
});

test('[ACL7 EVT2] one step notifies the grantee and ends the subscription', async () => {
  const id = await makeDue();
  const epoch = await epochOf(`root:${id}`);
  clock += HOUR_MS;
  worker.slices.length = 0;
  await worker.run(SYSTEM, 'node:expire', { id });
  expect(await epochOf(`root:${id}`)).toBe(epoch + 1);
  const told = worker.slices.find(({ feed }) => feed === `user:${bob.id}`);
  expect(told?.access).toEqual([{ feed: `root:${id}`, change: 'lost', level: null }]);
  expect(told?.diff.actor).toEqual({ username: 'system', email: '' });
});

test('[ACL5] jobs receive each new due time once', async () => {
  worker.expirations.length = 0;
  const due = ahead(HOUR_MS);
  const id = await addNode();
  await worker.run(ann, 'node:access', { id, email: bob.email, due });
  await worker.run(ann, 'node:access', { id, email: bob.email, due, level: 1 });
  await worker.run(ann, 'node:publish', { id });
  expect(worker.expirations).toEqual([{ nodeId: id, due }]);
});

test('[TRS5 LNK10] the system deletes old trash, and no newer trash', async () => {
  const [old, fresh, third] = [await addNode(), await addNode(), await addNode()];
  const link = async (source: string, target: string) =>
    (await worker.run(ann, 'link:add', { source, target })).links[0]?.after.id as string;
  const [oldLink, withNode] = [await link(fresh, third), await link(old, third)];
  await worker.run(ann, 'link:trash', { id: oldLink });
  await worker.run(ann, 'node:trash', { id: old });
  clock += 2 * HOUR_MS;
  await worker.run(ann, 'node:trash', { id: fresh });
  const before = ahead(-HOUR_MS);
  const purge = (event: string, id: string) => worker.run(SYSTEM, event, { id, before });
  expect((await purge('node:purge', fresh)).batchId).toBeNull();
  expect((await purge('link:purge', withNode)).batchId).toBeNull();
  expect((await purge('link:purge', oldLink)).links).toHaveLength(0);
  const { batchId } = await purge('node:purge', old);
  const ids = [old, fresh, oldLink, withNode];
  const left = await database.read(
    'UNWIND $ids AS id OPTIONAL MATCH (n:Node {id: id}) OPTIONAL MATCH ()-[r:TRASHED {id: id}]->() RETURN n IS NOT NULL OR r IS NOT NULL AS there',
    { ids },
  );
  expect(left.map(({ there }) => there)).toEqual([false, true, false, false]);
  expect(await worker.refused(ann, 'batch:undo', { batchId })).toMatchObject({ code: 'conflict.irreversible' });
  expect(await worker.refused(SYSTEM, 'node:purge', { id: old, before })).toMatchObject({ code: 'not_found' });
});

test('[HIS1] only the system sends system commands, and it sends no others', async () => {
  const id = await makeDue();
  clock += HOUR_MS;
  for (const { name: event } of systemCommands) {
    const payload = event === 'node:expire' ? { id } : { id, before: ahead(0) };
    expect(await worker.refused(ann, event, payload)).toMatchObject({ code: 'bad_request.unknown_event' });
    const forged = { ...ann, id: SYSTEM_ID };
    expect(await worker.refused(forged, event, payload)).toMatchObject({ code: 'bad_request.unknown_event' });
  }
  expect(await worker.refused(SYSTEM, 'node:update', { id, title: 'x' })).toMatchObject({
    code: 'bad_request.unknown_event',
  });
  expect(await batchesOf('node:expire', id)).toBe(0);
});

test('system commands for one owner do not wait for another', async () => {
  const id = await makeDue();
  clock += HOUR_MS;
  const stranger = await makeUser(database, 'stranger');
  const transaction = database.begin(5_000);
  await transaction.run('MATCH (u:User {id: $id}) SET u.lock = true', { id: stranger.id });
  const nobody = newId(0);
  const outcomes = await Promise.all([
    worker.send(SYSTEM, 'node:expire', { id }),
    worker.send(SYSTEM, 'node:expire', { id: nobody }),
  ]);
  await transaction.rollback();
  expect(outcomes.map(({ ok }) => ok)).toEqual([true, false]);
  const found = await database.read('MATCH (u:User {id: $id}) RETURN u.id AS id', { id: SYSTEM_ID });
  expect(found).toEqual([]);
});
