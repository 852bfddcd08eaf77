// Batches by id, of any length and with repeated ids.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Database } from '../../driver/database.ts';
import { openTestDatabase } from '../../test/support/database.ts';
import { loadBatches } from './history-batches.ts';

const OWNER = 'owner of long batches';
/** More characters than are loaded together with others. */
const LONG = 2_100_000;

let database: Database;
beforeAll(async () => {
  database = await openTestDatabase();
  const batches = Object.entries({ short: 10, long: LONG }).map(([name, characters]) => ({
    id: `${name} batch`,
    changes: JSON.stringify(['x'.repeat(characters)]),
  }));
  const create = `UNWIND $batches AS batch
    CREATE (:Batch {id: batch.id, key: batch.id, actorId: $owner, changes: batch.changes})`;
  await database.write(create, { batches, owner: OWNER });
});
afterAll(async () => {
  await database.write('MATCH (b:Batch {actorId: $owner}) DELETE b', { owner: OWNER });
  await database.close();
});

test('[HIS7] a batch that is named twice appears once, and the walk continues after it', async () => {
  const found: string[] = [];
  const ids = ['long batch', 'long batch', 'short batch', 'long batch', 'short batch'];
  for await (const portion of loadBatches(database, ids, async () => undefined))
    found.push(...portion.map(({ batch }) => batch.id));
  expect(found).toEqual(['long batch', 'short batch']);
});
