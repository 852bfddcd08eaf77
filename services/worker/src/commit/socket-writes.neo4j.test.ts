// How often a worker writes to its database's socket for a group (libs/graph-store/src/driver/bolt-cork.ts).
import { countSocketWrites } from '@taskgraph/graph-store/test/support/socket-writes';
import { expect, test } from 'vitest';
import { makeUser, openTestDatabase, startTestWorker } from '../test/support/harness.ts';

/** The most messages of a group: to lock, load and write, and the commit. */
const TURNS_OF_A_GROUP = 4;

test('a group writes to the socket once for each turn of its transaction, whatever the size of its statements', async () => {
  const database = await openTestDatabase();
  const worker = startTestWorker(database);
  const user = await makeUser(database);
  await worker.run(user, 'node:add', {});
  const groupsBefore = worker.groupSizes.length;
  const counts = countSocketWrites(Number(new URL(process.env.NEO4J_URL ?? '').port));
  const description = 'x'.repeat(2_000);
  await Promise.all(Array.from({ length: 24 }, () => worker.run(user, 'node:add', { description })));
  counts.stop();
  const groups = worker.groupSizes.length - groupsBefore;
  expect(counts.bytes).toBeGreaterThan(24 * description.length);
  expect(counts.chunks).toBeGreaterThan(groups * TURNS_OF_A_GROUP);
  expect(counts.writes).toBeLessThanOrEqual(groups * TURNS_OF_A_GROUP);
  await database.close();
});
