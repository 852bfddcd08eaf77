// Commands that come to much: they leave their group, and others are answered before them.

import { emptyWorld } from '@taskgraph/domain/state/world';
import { loadInto } from '@taskgraph/graph-store/commit/load';
import type { Database } from '@taskgraph/graph-store/driver/database';
import { LoadTooLarge } from '@taskgraph/graph-store/driver/failures';
import type { ActingUser } from '@taskgraph/wire/actor';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeUser, openTestDatabase, startTestWorker } from '../test/support/harness.ts';
import { findInconsistencies } from '../test/support/integrity-checker.ts';
import { fan, fanOut, sow } from '../test/support/large-graphs.ts';

/** Targets of one source. */
const TARGETS = 390;

let database: Database;
let [ada, bob]: ActingUser[] = [];
/** Blocks all targets. */
let hot: string;
beforeAll(async () => {
  database = await openTestDatabase();
  [ada, bob] = [await makeUser(database, 'ada'), await makeUser(database, 'bob')];
  hot = (await sow(database, ada as ActingUser, fanOut(TARGETS + 1))).nodes[TARGETS] as string;
});
afterAll(async () => {
  expect(await findInconsistencies(database)).toEqual([]);
  await database.close();
});

/**
 * Completes the source and opens it again: each time the count of every target moves, and its
 * status.
 */
const toggles = (times: number) => ({
  operations: Array.from({ length: times }, (_, at) => ({
    event: 'node:update',
    payload: { id: hot, status: at % 2 === 0 ? 3 : 0 },
  })),
  dryRun: true,
});

test('[LIM5] a batch of 15,620 changes leaves its group: a later small command is answered first', async () => {
  const worker = startTestWorker(database);
  const answered: string[] = [];
  const note = (name: string) => () => void answered.push(name);
  const heavy = worker.send(ada as ActingUser, 'batch:run', toggles(20));
  const small = worker.send(bob as ActingUser, 'node:add', {});
  void heavy.then(note('heavy'));
  void small.then(note('small'));
  expect(await heavy).toMatchObject({ ok: true, work: expect.any(Number), body: { dryRun: true } });
  expect(await small).toMatchObject({ ok: true });
  expect(answered).toEqual(['small', 'heavy']);
});

test('[LIM5 GEN8] batches that together fill one group are executed in several, in their order', async () => {
  const sizes: number[] = [];
  const worker = startTestWorker(database, { onGroup: ({ replies }) => void sizes.push(replies.size) });
  const answered: number[] = [];
  const sent = [1, 2, 3, 4, 5].map((name) =>
    worker.send(ada as ActingUser, 'batch:run', toggles(6)).then((reply) => {
      answered.push(name);
      return reply.ok;
    }),
  );
  expect(await Promise.all(sent)).toEqual(sent.map(() => true));
  expect(answered).toEqual([1, 2, 3, 4, 5]);
  expect(sizes).toEqual([2, 2, 1]);
});

test('[LIM5] a batch whose nodes have many links commits alone, and succeeds', async () => {
  const [node, centres] = [startTestWorker(database), [] as string[]];
  const eve = await makeUser(database, 'eve');
  for (let at = 0; at < 12; at++) centres.push((await sow(database, eve, fan(460))).nodes[0] as string);
  const operations = centres.map((id) => ({ event: 'node:trash', payload: { id } }));
  const answers = await Promise.all([
    node.send(eve, 'batch:run', { operations }),
    node.send(bob as ActingUser, 'node:add', {}),
  ]);
  expect(answers.map(({ ok }) => ok)).toEqual([true, true]);
  const rows = await database.read(
    'MATCH (n:Node {ownerId: $id}) WHERE n.inTrash = true RETURN count(n) AS count',
    eve,
  );
  expect(rows).toEqual([{ count: centres.length }]);
});

test('[LIM5] no kind of load returns more rows than its bound, for any number of starts', async () => {
  const dan = await makeUser(database, 'dan');
  const centres = [await sow(database, dan, fan(9)), await sow(database, dan, fan(9))].map(
    ({ nodes }) => nodes[0] as string,
  );
  const transaction = database.begin(10_000);
  const load = (rows: number) =>
    loadInto(transaction, emptyWorld(), { activeOn: centres }, { entities: 10, rows, large: false }, []);
  await expect(load(10)).rejects.toThrow(LoadTooLarge);
  expect((await load(16)).overflowing.size).toBe(0);
  await transaction.rollback();
});
