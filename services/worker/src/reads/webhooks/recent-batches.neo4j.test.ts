// The shared reads of entries and batches, against a real Neo4j.
import { countStatements } from '@taskgraph/graph-store/driver/counted-statements';
import type { Database } from '@taskgraph/graph-store/driver/database';
import type { HistoryBatch } from '@taskgraph/graph-store/reads/history/history-batches';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newId, openTestDatabase } from '../../test/support/harness.ts';
import { createRecentBatches } from './recent-batches.ts';

/** Longer than a text that is read without a turn. */
const LONG = 4_100_000;
let database: Database;

beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.close());

async function storeBatch(characters: number): Promise<string> {
  const id = newId(0);
  const changes = `[${' '.repeat(characters)}]`;
  await database.write('CREATE (:Batch {id: $id, ts: $ts, changes: $changes})', {
    id,
    ts: new Date().toISOString(),
    changes,
  });
  return id;
}

async function read(batches: AsyncGenerator<HistoryBatch[]>): Promise<string[]> {
  const ids: string[] = [];
  for await (const portion of batches) ids.push(...portion.map(({ batch }) => batch.id));
  return ids;
}

test('[HOOK7 HOOK13] a read that waits for its turn delays no other read of the same batches', async () => {
  const recent = createRecentBatches();
  const [long, short] = [await storeBatch(LONG), await storeBatch(10)];
  let start: () => void = () => undefined;
  const turn = new Promise<void>((resolve) => {
    start = resolve;
  });
  let note: () => void = () => undefined;
  const isWaiting = new Promise<void>((resolve) => {
    note = resolve;
  });
  const waiting = read(
    recent.batches(database, [long, short], () => {
      note();
      return turn;
    }),
  );
  await isWaiting;
  expect(await read(recent.batches(database, [short], async () => undefined))).toEqual([short]);
  expect(await read(recent.batches(database, [long, short], async () => undefined))).toEqual([long, short]);
  start();
  expect(await waiting).toEqual([long, short]);
});

test('[HOOK13] reads of the same batches at the same time share a statement', async () => {
  const recent = createRecentBatches();
  const ids = [await storeBatch(10), await storeBatch(10)];
  let statements = 0;
  const counted = countStatements(database, () => {
    statements++;
  });
  const reads = Array.from({ length: 5 }, () => read(recent.batches(counted, ids, async () => undefined)));
  expect(await Promise.all(reads)).toEqual(reads.map(() => ids));
  expect(statements).toBe(1);
});
