// A group that exceeds its time may have met a database without plans, so the statements are planned before the
// next attempt.
import { type Database, type OpenTransaction, PLANNING_LIMIT_MS } from '@taskgraph/graph-store/driver/database';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeUser, openTestDatabase, startTestWorker } from '../test/support/harness.ts';

let database: Database;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.close());

/** The database, whose first group exceeds its time; reports each transaction by its time limit. */
function withSlowGroup(onBegin: (timeoutMs: number | undefined) => void): Database {
  let isFirst = true;
  return {
    ...database,
    begin(timeoutMs): OpenTransaction {
      onBegin(timeoutMs);
      const transaction = database.begin(timeoutMs);
      if (!isFirst) return transaction;
      isFirst = false;
      // It does run out of time: the database ends it.
      const run = () => database.write('UNWIND range(1, 1000000000000) AS number RETURN count(number)', {}, 1);
      return { ...transaction, run };
    },
  };
}

test('after a group that exceeds its time, the statements are planned before it is tried again', async () => {
  const limits: (number | undefined)[] = [];
  const worker = startTestWorker(withSlowGroup((timeoutMs) => void limits.push(timeoutMs)));
  const user = await makeUser(database, 'ada');
  await worker.run(user, 'node:add', {});
  expect(limits.indexOf(PLANNING_LIMIT_MS)).toBe(1);
  expect(limits.length).toBeGreaterThan(2);
});
