// Old history is deleted without storing anything for it: entries first. Rules: HIS8, EVT2.
import { integer } from '@taskgraph/graph-store/driver/codec';
import { type Database, openDatabase } from '@taskgraph/graph-store/driver/database';
import { migrate } from '@taskgraph/graph-store/migration/migrations';
import { SYSTEM_ID } from '@taskgraph/wire/actor';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { deleteHistory } from './maintenance.ts';

const FEED = 'user:of old history';
/** Before all history of other tests. */
const [OLD, BEFORE] = ['1999-01-01T00:00:00.000Z', '2000-01-01T00:00:00.000Z'];
const BATCHES = 3;

let database: Database;
beforeAll(async () => {
  const { NEO4J_URL: url = '', NEO4J_USER: user = '', NEO4J_PASSWORD: password = '' } = process.env;
  database = openDatabase({ url, user, password });
  await migrate(database, () => undefined);
});
afterAll(async () => {
  await database.write('MATCH (f:Feed {id: $feed}) DELETE f', { feed: FEED });
  await database.close();
});

async function countEntries(): Promise<number> {
  const [row] = await database.read('MATCH (e:Entry|Batch {feed: $feed}) RETURN count(e) AS count', { feed: FEED });
  return row?.count as number;
}

async function countBatches(): Promise<number> {
  const [row] = await database.read('MATCH (b:Batch) WHERE b.ts = $ts RETURN count(b) AS count', { ts: OLD });
  return row?.count as number;
}

test('[HIS8 EVT2] merged entries are gone before the first batch is deleted, so none becomes a node', async () => {
  await database.write(
    `CREATE (:Feed {id: $feed, first: 1, seq: $batches})
     WITH 1 AS one UNWIND range(1, $batches) AS seq
     CREATE (:Batch {id: 'old ' + toString(seq), key: 'old ' + toString(seq), ts: $ts, actorId: $actor, changes: '[]',
       feed: $feed, seq: seq, nodes: []})`,
    { feed: FEED, ts: OLD, actor: SYSTEM_ID, batches: integer(BATCHES) },
  );
  expect([await countEntries(), await countBatches()]).toEqual([BATCHES, BATCHES]);
  /** The feed's entries before each statement that deletes batches. */
  const entries: number[] = [];
  const begin: Database['begin'] = (timeoutMs) => {
    const transaction = database.begin(timeoutMs);
    return {
      ...transaction,
      async run(...statement) {
        entries.push(await countEntries());
        return transaction.run(...statement);
      },
    };
  };
  await deleteHistory({ ...database, begin }, BEFORE, new AbortController().signal);
  expect(entries.length).toBeGreaterThan(0);
  expect(new Set(entries)).toEqual(new Set([0]));
  expect([await countEntries(), await countBatches()]).toEqual([0, 0]);
});
