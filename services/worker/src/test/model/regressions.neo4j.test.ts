// What the model once found in the service stays found: each script is judged step by step, with all that readers see after each.
import type { Database } from '@taskgraph/graph-store/driver/database';
import type { ModelUser } from '@taskgraph/testkit/model/state';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { openTestDatabase, startTestWorker, warmUp } from '../support/harness.ts';
import { makeFour } from './cast.ts';
import { Judge } from './comparison.ts';
import { KEPT, type Line } from './regressions.ts';

let database: Database;
beforeAll(async () => {
  database = await openTestDatabase();
  await warmUp(database);
});
afterAll(() => database.close());

async function follow(lines: readonly Line[]): Promise<void> {
  const users = await makeFour(database);
  let clock = Date.now();
  const worker = startTestWorker(database, { nowMs: () => clock });
  const judge = new Judge(users);
  for (const [by, event, named, key = null] of lines) {
    const actor = users.find(({ username }) => username === by) as ModelUser;
    const payload = Object.fromEntries(Object.entries(named).map(([field, value]) => [field, idOf(value, judge)]));
    clock++;
    judge.wait(new Date(clock).toISOString());
    await judge.perform(worker, { actor, event, payload, key });
    await judge.look(worker, database, clock);
  }
}

/** The id behind a name such as `n1`, or the e-mail behind one such as `@bob`. */
function idOf(value: unknown, { state, users, ghosts }: Judge): unknown {
  if (typeof value !== 'string') return value;
  if (value.startsWith('@')) return users.find(({ username }) => username === value.slice(1))?.email;
  const [, kind, number] = /^([nlb])(\d+)$/.exec(value) ?? [];
  if (kind === undefined) return value;
  const lists = { n: state.nodes, l: state.links, b: state.batches };
  return lists[kind as keyof typeof lists][Number(number) - 1]?.id ?? ghosts[0];
}

describe('[ACL7 BLK3 BLK5 BLK9 EVT2 HIS2 HIS7 LNK3 LNK7 TRS2 TRS3 TRS5] never again', () => {
  test.each(Object.keys(KEPT))('%s', async (name) => follow(KEPT[name] as readonly Line[]));
});
