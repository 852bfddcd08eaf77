// The work of an undo on a real Neo4j, in statements and characters. A refused undo reads a bounded
// amount, regardless of later changes.
import type { Database } from '@taskgraph/graph-store/driver/database';
import { metered } from '@taskgraph/graph-store/test/support/database';
import type { ActingUser } from '@taskgraph/wire/actor';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeUser, openTestDatabase, startTestWorker, type TestWorker } from './support/harness.ts';
import { findInconsistencies } from './support/integrity-checker.ts';

/** Operations of a composite, half of which add a node, and half a link from it. */
const OPERATIONS = Number(process.env.UNDO_OPERATIONS ?? 500);

let database: Database;
let counts: ReturnType<typeof metered>['counts'];
let worker: TestWorker;
let ann: ActingUser;
beforeAll(async () => {
  database = await openTestDatabase();
  const counted = metered(database);
  counts = counted.counts;
  worker = startTestWorker(counted.database);
  ann = await makeUser(database, 'ann');
});
afterAll(async () => {
  expect(await findInconsistencies(database)).toEqual([]);
  await database.close();
});

/** Statements and read characters of some work: in total, and for a group's loads. */
async function costOf<T>(work: () => Promise<T>): Promise<{ result: T } & typeof counts> {
  const before = { ...counts };
  const result = await work();
  const since = (name: keyof typeof counts) => counts[name] - before[name];
  return { result, statements: since('statements'), characters: since('characters'), together: since('together') };
}

async function addNode(payload: object = {}): Promise<string> {
  return (await worker.run(ann, 'node:add', payload)).nodes[0]?.after.id as string;
}

/** Adds nodes, each with a link to one target, in one batch. */
async function fanIn(): Promise<{ target: string; batchId: string }> {
  const target = await addNode();
  const operations = Array.from({ length: OPERATIONS / 2 }, (_, at) => [
    { event: 'node:add', payload: {}, as: `n${at}` },
    { event: 'link:add', payload: { source: `$n${at}`, target } },
  ]).flat();
  const { batchId } = await worker.run(ann, 'batch:run', { operations });
  return { target, batchId: batchId as string };
}

/** Descriptions of the maximum length. */
const FIRST = 'x'.repeat(20_000);
const SECOND = 'y'.repeat(20_000);

test('[HIS9 HIS2] a refused undo of 500 conflicting operations, and its dry run, read no more than a successful one', async () => {
  const [done, refused] = [await fanIn(), await fanIn()];
  const trash = await worker.run(ann, 'node:trash', { id: refused.target });
  const undo = await costOf(() => worker.run(ann, 'batch:undo', { batchId: done.batchId }));
  for (const dryRun of [true, false]) {
    const refusal = await costOf(() => worker.refused(ann, 'batch:undo', { batchId: refused.batchId, dryRun }));
    expect(refusal.result.code).toBe('version_conflict');
    const { conflicts } = refusal.result.details as { conflicts: { field: string; batchId: string }[] };
    expect(conflicts).toHaveLength(OPERATIONS / 2);
    expect(new Set(conflicts.map(({ field, batchId }) => `${field} ${batchId}`))).toEqual(
      new Set([`inTrash ${trash.batchId}`]),
    );
    expect(refusal.characters).toBeLessThan(3 * undo.characters);
    expect(refusal.statements).toBeLessThanOrEqual(undo.statements + 2);
  }
});

test('[HIS9 HIS2] a refused undo on a node with a hundred later changes reads a bounded part of them, and names the newest one of the field', async () => {
  const id = await addNode({ title: 'a' });
  const first = await worker.run(ann, 'node:update', { id, title: 'b' });
  await worker.run(ann, 'node:update', { id, title: 'c' });
  const later = await worker.run(ann, 'node:update', { id, title: 'd' });
  for (let count = 0; count < 90; count++) await worker.run(ann, 'node:update', { id, x: count + 1 });
  const name = (batchId: string | null) => [expect.objectContaining({ entity: id, field: 'title', batchId })];
  const near = await worker.refused(ann, 'batch:undo', { batchId: first.batchId });
  expect(near.details.conflicts).toEqual(name(later.batchId));
  for (let count = 0; count < 100; count++) {
    await worker.run(ann, 'node:update', { id, description: count % 2 ? FIRST : SECOND });
  }
  const far = await costOf(() => worker.refused(ann, 'batch:undo', { batchId: first.batchId }));
  // Each later batch stores both descriptions: 4,000,000 characters in total.
  expect(far.characters).toBeLessThan(1_500_000);
  expect(far.result.details.conflicts).toEqual([{ entity: id, field: 'title', batchId: null }]);
});

test('[HIS9 HIS2] the batch that trashed an entity is found from the entity by one look-up, whatever its size', async () => {
  const operations = Array.from({ length: 100 }, (_, at) => ({ event: 'node:add', payload: { title: `${at}` } }));
  const made = await worker.run(ann, 'batch:run', { operations });
  const ids = made.nodes.map(({ after }) => after.id);
  const trash = ids.map((id) => ({ event: 'node:trash', payload: { id } }));
  const heavy = ids
    .slice(0, 60)
    .map((id) => ({ event: 'node:update', payload: { id, description: 'z'.repeat(4_000) } }));
  const later = await worker.run(ann, 'batch:run', { operations: [...heavy, ...trash] });
  const { result, characters } = await costOf(() => worker.refused(ann, 'batch:undo', { batchId: made.batchId }));
  const { conflicts } = result.details as { conflicts: { field: string; batchId: string }[] };
  const trashed = conflicts.filter(({ field }) => field === 'inTrash');
  expect(trashed).toHaveLength(100);
  expect(trashed.every(({ batchId }) => batchId === later.batchId)).toBe(true);
  expect(conflicts.filter(({ field }) => field === 'description')).toHaveLength(60);
  expect(characters).toBeLessThan(2_500_000);
});

test('[HIS9 HIS2] two undos of one group each name the batches after their own', async () => {
  const [one, other] = [await addNode({ title: 'a' }), await addNode({ title: 'a' })];
  const { batchId } = await worker.run(ann, 'batch:run', {
    operations: [
      { event: 'node:update', payload: { id: one, description: 'b' } },
      { event: 'node:update', payload: { id: other, title: 'b' } },
    ],
  });
  const undone = await worker.run(ann, 'batch:undo', { batchId });
  const described = await worker.run(ann, 'node:update', { id: one, description: 'c' });
  const moved = await worker.run(ann, 'node:update', { id: one, x: 1 });
  const movedOn = await worker.run(ann, 'node:update', { id: one, x: 2 });
  const before = worker.groupSizes.length;
  // The first needs one load less, since it has only one node.
  const replies = await Promise.all(
    [moved.batchId, undone.batchId].map((id) => worker.send(ann, 'batch:undo', { batchId: id })),
  );
  expect(worker.groupSizes.slice(before)).toEqual([2]);
  expect(replies).toMatchObject([
    { details: { conflicts: [{ field: 'x', batchId: movedOn.batchId }] } },
    { details: { conflicts: [{ field: 'description', batchId: described.batchId }] } },
  ]);
});

test('[HIS9 HIS4] the batch that trashed a restored entity again is looked up without its changes', async () => {
  const operations = Array.from({ length: 40 }, () => ({ event: 'node:add', payload: {} }));
  const ids = (await worker.run(ann, 'batch:run', { operations })).nodes.map(({ after }) => after.id);
  const all = (event: string, payload: object = {}) =>
    worker.run(ann, 'batch:run', { operations: ids.map((id) => ({ event, payload: { id, ...payload } })) });
  const trashed = await all('node:trash');
  await all('node:restore');
  // One batch each, with a text of some length.
  const batches: (string | null)[] = [];
  for (const id of ids) {
    const operations = [
      { event: 'node:update', payload: { id, description: FIRST } },
      { event: 'node:update', payload: { id, description: SECOND } },
      { event: 'node:trash', payload: { id } },
    ];
    batches.push((await worker.run(ann, 'batch:run', { operations })).batchId);
  }
  const { result, characters } = await costOf(() => worker.refused(ann, 'batch:undo', { batchId: trashed.batchId }));
  const { conflicts } = result.details as { conflicts: { entity: string; field: string; batchId: string }[] };
  const byId = new Map(ids.map((id, at) => [id, batches[at]]));
  expect(conflicts).toHaveLength(40);
  for (const { entity, field, batchId } of conflicts)
    expect([field, batchId]).toEqual(['lastBatchID', byId.get(entity)]);
  // The nodes are 800,000 characters and are read once; the later batches are 2,400,000.
  expect(characters).toBeLessThan(1_200_000);
});

test('[HIS9 GEN8] a batch of more than a million characters is not loaded by groups: its undo and its repeated answer run alone', async () => {
  const id = await addNode({ description: 'before' });
  // Twice as long in JSON, and stored on both sides of each change.
  const texts = ['a', 'b'].map((end) => '"'.repeat(19_999) + end);
  const operations = Array.from({ length: 16 }, (_, at) => ({
    event: 'node:update',
    payload: { id, description: texts[at % 2] },
  }));
  const run = () => worker.send(ann, 'batch:run', { operations }, { key: 'long' });
  const first = await run();
  if (!first.ok) throw new Error(`refused: ${JSON.stringify(first)}`);
  const { batchId } = first.body.diff as { batchId: string };
  const again = await costOf(run);
  // The gateway has counted the command's work once.
  const { work: _work, ...answer } = first;
  expect(again.result).toEqual(answer);
  expect(again.characters).toBeGreaterThan(1_000_000);
  expect(again.together).toBeLessThan(100_000);
  const undone = await costOf(() => worker.run(ann, 'batch:undo', { batchId }));
  expect(undone.result.nodes.at(-1)?.after).toMatchObject({ id, description: 'before' });
  expect(undone.together).toBeLessThan(100_000);
  const twice = await costOf(() => worker.refused(ann, 'batch:undo', { batchId }));
  expect(twice.result.code).toBe('conflict.already_undone');
  expect(twice.together).toBeLessThan(100_000);
});
