// Scripts that once showed a difference between model and service. Each step is compared, and at
// the end the views of all readers.
import type { Database } from '@taskgraph/graph-store/driver/database';
import { commandOf, REGRESSIONS, type ScriptLine } from '@taskgraph/reference-model/random/regressions';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { openTestDatabase, startTestWorker, warmUp } from '../support/harness.ts';
import { wholeHistory } from './checked-reads.ts';
import { WorkerComparison } from './comparison.ts';
import { makeFour } from './users.ts';

let database: Database;
beforeAll(async () => {
  database = await openTestDatabase();
  await warmUp(database);
});
afterAll(() => database.close());

async function follow(lines: readonly ScriptLine[]): Promise<void> {
  const users = await makeFour(database);
  let clock = Date.now();
  const worker = startTestWorker(database, { nowMs: () => clock, horizon: wholeHistory });
  const comparison = new WorkerComparison(users);
  for (const line of lines) {
    clock++;
    comparison.wait(new Date(clock).toISOString());
    await comparison.perform(worker, commandOf(line, comparison));
  }
  await comparison.look(worker, database, clock);
}

describe('[ACL7 BLK3 BLK5 BLK9 EVT2 HIS2 HIS7 LNK3 LNK7 TRS2 TRS3 TRS5] each regression script matches the model', () => {
  test.each(Object.keys(REGRESSIONS))('%s', async (name) => follow(REGRESSIONS[name] as readonly ScriptLine[]));
});
