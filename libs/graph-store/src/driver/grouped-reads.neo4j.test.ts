// Statements in groups, against a real Neo4j.
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { openTestDatabase } from '../test/support/database.ts';
import { type Database, type ReadOrder, type Row, withOrderedReads } from './database.ts';
import { withGroupedReads } from './grouped-reads.ts';

const FIND = 'UNWIND $ids AS id MATCH (n:Grouped {id: id}) RETURN id, n.value AS value, $now AS now';
const OTHERS = 'UNWIND $items AS item RETURN item.id AS id, item.value AS value';

let database: Database;
let grouped: Database;
/** The statements that reached the database. */
let sent: { readonly parameters: Row; readonly seen: readonly string[] }[];
beforeAll(async () => {
  database = await openTestDatabase();
  await database.write("UNWIND range(1, 9) AS value CREATE (:Grouped {id: 'n' + value, value: value})", {});
});
beforeEach(() => {
  sent = [];
  const noting: Database = {
    ...database,
    read(cypher, parameters, order) {
      sent.push({ parameters, seen: [...((order as ReadOrder | undefined)?.seen ?? [])] });
      return database.read(cypher, parameters, order);
    },
  };
  const statements = new Map([
    [FIND, { list: 'ids', most: 3 }],
    [OTHERS, { list: 'items', most: 3 }],
  ]);
  grouped = withGroupedReads(noting, statements);
});
afterAll(async () => {
  await database.write('MATCH (n:Grouped) DELETE n', {});
  await database.close();
});

const find = (ids: readonly string[], now = 'a') => grouped.read(FIND, { ids, now });
const valuesOf = (rows: readonly Row[]) => rows.map(({ value }) => value).sort();

test('statements that wait run as one, at the latest moment, and each gets its own rows', async () => {
  const lists = [['n1'], ['n2'], ['n3', 'n4'], ['n4', 'missing'], ['n5']];
  const found = await Promise.all(lists.map((ids, index) => find(ids, `${index}`)));
  expect(found.map(valuesOf)).toEqual([[1], [2], [3, 4], [4], [5]]);
  expect(sent.map(({ parameters }) => parameters)).toEqual([
    { ids: ['n1'], now: '0' },
    { ids: ['n2'], now: '1' },
    { ids: ['n3', 'n4', 'missing', 'n5'], now: '4' },
  ]);
});

test('a long list, and a statement of another kind, run alone', async () => {
  const lists = [['n1'], ['n2'], ['n1', 'n2', 'n3', 'n4'], ['n5']];
  expect((await Promise.all(lists.map((ids) => find(ids)))).map(valuesOf)).toEqual([[1], [2], [1, 2, 3, 4], [5]]);
  expect(sent).toHaveLength(4);
  expect(await grouped.read('RETURN 1 AS value', {})).toEqual([{ value: 1 }]);
});

test('calls with different items of one id are not mixed', async () => {
  const ask = (value: string) => grouped.read(OTHERS, { items: [{ id: 'x', value }] });
  const found = await Promise.all(['a', 'b', 'c', 'd'].map(ask));
  expect(found.map(valuesOf)).toEqual([['a'], ['b'], ['c'], ['d']]);
});

test('[EVT3] a group sees what the earlier statements of each order saw, and the next ones see what it saw', async () => {
  const orders = ['n6', 'n7', 'n8', 'n9'].map((id) => ({ id, on: withOrderedReads(grouped) }));
  for (const { on } of orders) {
    await database.write('MATCH (n:Grouped) SET n.writes = coalesce(n.writes, 0) + 1', {});
    await on.read('RETURN 1 AS one', {});
  }
  sent = [];
  const read = () => Promise.all(orders.map(({ id, on }) => on.read(FIND, { ids: [id], now: 'a' })));
  await read();
  const [first, second, both] = sent;
  expect([first, second, both].map((one) => one?.seen.length)).toEqual([1, 1, 2]);
  expect(new Set([...(first?.seen ?? []), ...(second?.seen ?? []), ...(both?.seen ?? [])]).size).toBe(4);
  await database.write('MATCH (n:Grouped) SET n.writes = n.writes + 1', {});
  sent = [];
  await read();
  // Each order has the mark of its group, and of nothing before.
  expect(sent.every(({ seen }) => seen.length >= 1)).toBe(true);
  expect(sent.at(-1)?.seen).toHaveLength(1);
});
