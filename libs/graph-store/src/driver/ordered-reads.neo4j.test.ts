// The state that successive statements see while a transaction is applied.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestDatabase } from '../test/support/database.ts';
import { type Database, type ReadOrder, withOrderedReads } from './database.ts';

const NAME = 'counted in order';
const COUNT = 5_000;
const WRITES = 30;

let database: Database;
beforeAll(async () => {
  database = await openTestDatabase();
  await database.write('CREATE (:Total {name: $name, value: 0})', { name: NAME });
  await database.write('UNWIND range(1, $count) AS at CREATE (:Part {name: $name, value: 0})', {
    name: NAME,
    count: COUNT,
  });
});
afterAll(async () => {
  await database.write('MATCH (n) WHERE (n:Total OR n:Part) AND n.name = $name DELETE n', { name: NAME });
  await database.close();
});

/** How often a reader of the total and then the parts finds an outdated part. */
async function countBehind(open: () => Database): Promise<number> {
  let behind = 0;
  let isWriting = true;
  const read = async () => {
    while (isWriting) {
      const on = open();
      const [total] = await on.read('MATCH (t:Total {name: $name}) RETURN t.value AS value', { name: NAME });
      const [parts] = await on.read('MATCH (p:Part {name: $name}) RETURN min(p.value) AS value', { name: NAME });
      if ((parts?.value as number) < (total?.value as number)) behind++;
    }
  };
  const write = async () => {
    const set = 'MATCH (n) WHERE (n:Total OR n:Part) AND n.name = $name SET n.value = n.value + 1';
    for (let times = 0; times < WRITES; times++) await database.write(set, { name: NAME }, 30_000);
    isWriting = false;
  };
  await Promise.all([write(), read(), read(), read()]);
  return behind;
}

test('[EVT3] an ordered statement sees every transaction of which an earlier one saw a part', async () => {
  expect(await countBehind(() => withOrderedReads(database))).toBe(0);
}, 120_000);

test('concurrent statements both count for the next one', async () => {
  const orders: string[][] = [];
  const noting: Database = {
    ...database,
    async read(cypher, parameters, order) {
      const rows = await database.read(cypher, parameters, order);
      orders.push([...(order as ReadOrder).seen]);
      return rows;
    },
  };
  const ordered = withOrderedReads(noting);
  const one = () => ordered.read('RETURN 1 AS one', {});
  await one();
  await database.write('MATCH (t:Total {name: $name}) SET t.value = t.value + 1', { name: NAME });
  await Promise.all([one(), one()]);
  await one();
  expect(orders.map(({ length }) => length)).toEqual([1, 1, expect.toBeOneOf([1, 2]), 1]);
  expect(orders[3]).not.toEqual(orders[0]);
});
