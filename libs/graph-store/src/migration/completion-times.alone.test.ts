// The migration of times of completion, on history as an earlier release stored it.
import { Op, Status } from '@taskgraph/wire/codes';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Database } from '../driver/database.ts';
import { openTestDatabase } from '../test/support/database.ts';
import { fillCompletionTimes } from './completion-times.ts';

const OWNERS = ['completion-owner-1', 'completion-owner-2'];

let database: Database;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(async () => {
  await clear();
  await database.close();
});
beforeEach(async () => {
  await clear();
  await database.write('UNWIND $ids AS id CREATE (:User {id: id, email: id, rev: toInteger(1)})', { ids: OWNERS });
});

async function clear(): Promise<void> {
  await database.write('MATCH (u:User) WHERE u.id IN $owners DELETE u', { owners: OWNERS });
  for (const label of ['Node', 'Touch', 'Batch']) {
    await database.write(`MATCH (n:${label}) WHERE n.ofCompletionTest DELETE n`, {});
  }
}

const minute = (count: number) => new Date(Date.UTC(2026, 0, 1, 0, count)).toISOString();

/** A node with its number and fields. */
async function addNode(number: number, status: Status, fields: Record<string, unknown> = {}): Promise<string> {
  const id = `completion-node-${String(number).padStart(4, '0')}`;
  await database.write('CREATE (n:Node {id: $id}) SET n += $fields, n.status = toInteger($status), n.version = 1', {
    id,
    status,
    fields: { ownerId: OWNERS[number % 2], inTrash: false, ofCompletionTest: true, ...fields },
  });
  return id;
}

type Patch = Readonly<Record<string, unknown>> | null;
/** The state of a node before and after a change. */
type Step = readonly [node: string, before: Patch, after: Patch];

/** A batch of this minute. */
async function addBatch(at: number, ...steps: readonly Step[]): Promise<void> {
  const changes = steps.map(([id, before, after]) => ({ kind: 'node', op: Op.NODE_STATUS, id, before, after }));
  const id = `completion-batch-${String(at).padStart(4, '0')}`;
  await database.write(
    `CREATE (:Batch {id: $id, key: $id, ts: $ts, changes: $changes, ofCompletionTest: true})
     FOREACH (entity IN $touched | CREATE (:Touch {entity: entity, ts: $ts, batch: $id, ofCompletionTest: true}))`,
    { id, ts: minute(at), changes: JSON.stringify(changes), touched: [...new Set(steps.map(([node]) => node))] },
  );
}

const completes = (node: string): Step => [node, { status: 0, version: 1 }, { status: 3, version: 2 }];
const reopens = (node: string): Step => [node, { status: 3, version: 1 }, { status: 0, version: 2 }];
const renames = (node: string): Step => [node, { title: 'a' }, { title: 'b' }];

async function times(): Promise<Record<string, unknown>> {
  const rows = await database.read(
    'MATCH (n:Node) WHERE n.ofCompletionTest RETURN n.id AS id, n.completedTime AS time',
    {},
  );
  return Object.fromEntries(rows.map(({ id, time }) => [id, time]));
}

async function revisions(): Promise<unknown[]> {
  const rows = await database.read('MATCH (u:User) WHERE u.id IN $owners RETURN u.rev AS rev ORDER BY u.id', {
    owners: OWNERS,
  });
  return rows.map(({ rev }) => rev);
}

test('[BLK11] a Completed node gets the time of the newest change that completed it', async () => {
  const [once, twice, created, restored] = await Promise.all([1, 3, 5, 7].map((one) => addNode(one, Status.COMPLETED)));
  const nodes = [once, twice, created, restored] as [string, string, string, string];
  await addBatch(1, completes(nodes[0]), completes(nodes[1]), [nodes[2], null, { status: 3, title: 'new' }]);
  await addBatch(2, reopens(nodes[1]), completes(nodes[3]));
  await addBatch(3, completes(nodes[1]), renames(nodes[0]));
  await addBatch(4, renames(nodes[1]));
  // A restored node is stored whole, with a status that the batch did not set.
  await addBatch(5, [nodes[3], { inTrash: true }, { inTrash: false, status: 3 }]);
  await fillCompletionTimes(database);
  expect(await times()).toEqual({
    [nodes[0]]: minute(1),
    [nodes[1]]: minute(3),
    [nodes[2]]: minute(1),
    [nodes[3]]: minute(2),
  });
  expect(await revisions()).toEqual([1, 2]);
});

test('[BLK11] a time stays null if history lacks it or the node is not Completed, and a known one stays', async () => {
  const forgotten = await addNode(1, Status.COMPLETED);
  const reopened = await addNode(2, Status.AVAILABLE);
  const known = await addNode(3, Status.COMPLETED, { completedTime: minute(9) });
  const bare = await addNode(4, Status.COMPLETED);
  await addBatch(1, completes(reopened), completes(known));
  await addBatch(2, reopens(reopened), renames(forgotten), [bare, {}, {}]);
  // A batch of which only the touch is left.
  await database.write('CREATE (:Touch {entity: $entity, ts: $ts, batch: $id, ofCompletionTest: true})', {
    entity: forgotten,
    ts: minute(0),
    id: 'completion-batch-0000',
  });
  await fillCompletionTimes(database);
  expect(await times()).toEqual({ [forgotten]: null, [reopened]: null, [known]: minute(9), [bare]: null });
  expect(await revisions()).toEqual([1, 1]);
});

test('[BLK11] the search goes back over many later changes, and repeating it changes nothing', async () => {
  const node = await addNode(1, Status.COMPLETED);
  const other = await addNode(2, Status.COMPLETED);
  await addBatch(1, completes(node), completes(other));
  await addBatch(2, [other, { status: 1 }, { status: 3, completedTime: minute(1) }]);
  for (let at = 3; at < 60; at++) await addBatch(at, renames(node));
  await fillCompletionTimes(database);
  const first = [await times(), await revisions()];
  expect(first).toEqual([{ [node]: minute(1), [other]: minute(1) }, [2, 2]]);
  await Promise.all([fillCompletionTimes(database), fillCompletionTimes(database)]);
  expect([await times(), await revisions()]).toEqual(first);
});
