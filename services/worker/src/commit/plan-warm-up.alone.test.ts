// A worker has its statements planned before it serves: without that, the first command after a
// start of the database waits for it.

import { planGroups } from '@taskgraph/graph-store/commit/plan-warm-up';
import type { Database } from '@taskgraph/graph-store/driver/database';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeUser, openTestDatabase, startTestWorker, warmUp } from '../test/support/harness.ts';

let database: Database;
beforeAll(async () => {
  database = await openTestDatabase();
  await warmUp(database);
});
afterAll(() => database.close());

test('after planGroups a command takes less than half as long as without plans, and the database is unchanged', async () => {
  const worker = startTestWorker(database);
  const user = await makeUser(database);
  const timed = async (prepare: () => Promise<void>) => {
    await database.read('CALL db.clearQueryCaches()', {});
    await prepare();
    const before = performance.now();
    await worker.run(user, 'node:add', {});
    return performance.now() - before;
  };
  const count = () => database.read('MATCH (any) RETURN count(any) AS all', {});
  const cold = await timed(async () => undefined);
  const planned = await timed(async () => {
    const before = await count();
    await planGroups(database);
    expect(await count()).toEqual(before);
  });
  expect(planned).toBeLessThan(cold / 2);
});
