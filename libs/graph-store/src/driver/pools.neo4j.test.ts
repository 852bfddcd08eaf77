// Connection pools: which operations exhaust one, and the effect on others.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { testDatabaseOptions } from '../test/support/database.ts';
import { type Database, openDatabase } from './database.ts';
import { failureOf } from './failures.ts';
import { retry } from './retry.ts';

let reads: Database;
let groups: Database;
beforeAll(async () => {
  reads = openDatabase({ ...testDatabaseOptions(), poolSize: 1, connectionWaitMs: 200 });
  groups = openDatabase({ ...testDatabaseOptions(), poolSize: 1, connectionWaitMs: 200 });
  // A connection still to be opened counts as waiting, and a busy server takes longer than this to
  // accept it.
  await Promise.all([reads, groups].map((database) => retry(() => database.verify())));
});
afterAll(async () => {
  await Promise.all([reads.close(), groups.close()]);
});

test('a transaction without a connection in time is not a bug, another pool is unaffected, and a retry succeeds', async () => {
  const long = reads.begin();
  await long.run('RETURN 1', {});
  const error = await reads.read('RETURN 1 AS one', {}).catch((failure: unknown) => failure);
  expect(failureOf(error)).toBe('crowded');
  const waiting = groups.begin();
  expect(await waiting.run('RETURN 1 AS one', {})).toEqual([{ one: 1 }]);
  await waiting.rollback();
  let tries = 0;
  const answer = retry(() => {
    tries++;
    return reads.read('RETURN 1 AS one', {});
  });
  await expect.poll(() => tries, { timeout: 60_000 }).toBe(2);
  await long.rollback();
  expect(await answer).toEqual([{ one: 1 }]);
});
