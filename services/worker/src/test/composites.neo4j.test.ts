// Composites on a real Neo4j: the data of hundreds of operations is loaded in a few rounds,
// including data about entities that they create.
import type { Database } from '@taskgraph/graph-store/driver/database';
import type { ActingUser } from '@taskgraph/wire/actor';
import { Status } from '@taskgraph/wire/codes';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeUser, openTestDatabase, startTestWorker, type TestWorker } from './support/harness.ts';
import { findInconsistencies } from './support/integrity-checker.ts';
import { chain, fan, sow } from './support/large-graphs.ts';

const MOST = 500;

let database: Database;
let worker: TestWorker;
let ann: ActingUser;
let bob: ActingUser;
beforeAll(async () => {
  database = await openTestDatabase();
  worker = startTestWorker(database);
  ann = await makeUser(database, 'ann');
  bob = await makeUser(database, 'bob');
});
afterAll(async () => {
  expect(await findInconsistencies(database)).toEqual([]);
  await database.close();
});

interface Operation {
  readonly event: string;
  readonly payload: object;
  readonly as?: string;
}

async function run(operations: readonly Operation[], by = ann) {
  const reply = await worker.send(by, 'batch:run', { operations });
  if (!reply.ok) throw new Error(`refused: ${JSON.stringify(reply)}`);
  const { diff, results } = reply.body as { diff: { batchId: string }; results: { id?: string; link?: string }[] };
  return {
    batchId: diff.batchId,
    ids: results.map(({ id }) => id ?? ''),
    links: results.map(({ link }) => link ?? ''),
  };
}

const count = async (ids: readonly string[], condition: string) => {
  const cypher = `MATCH (n:Node) WHERE n.id IN $ids AND ${condition} RETURN count(n) AS count`;
  return (await database.read(cypher, { ids: [...ids] }))[0]?.count;
};
const times = <T>(length: number, make: (at: number) => T) => Array.from({ length }, (_, at) => make(at));

test('[BAT2 BAT7] a chain of 500 nodes, each the child of the previous one, is created and undone as one batch', async () => {
  const operations = times(MOST, (at) => {
    const payload = { title: `node ${at}`, ...(at === 0 ? {} : { target: `$n${at - 1}` }) };
    return { event: 'node:add', payload, as: `n${at}` };
  });
  const { batchId, ids } = await run(operations);
  expect(await count(ids, 'n.status = 2')).toBe(MOST - 1);
  await worker.run(ann, 'batch:undo', { batchId });
  expect(await count(ids, 'n.inTrash')).toBe(MOST);
  await worker.run(ann, 'batch:redo', { batchId });
  expect(await count(ids, 'NOT n.inTrash AND n.status = 2')).toBe(MOST - 1);
});

test('[BAT3 LNK4] 499 links between existing nodes are checked for cycles with the earlier ones', async () => {
  const { nodes } = await sow(database, ann, { ...chain(MOST), links: [] });
  const links = times(MOST - 1, (at) => ({
    event: 'link:add',
    payload: { source: nodes[at], target: nodes[at + 1] },
  }));
  const back = { event: 'link:add', payload: { source: nodes[MOST - 1], target: nodes[0] } };
  const refused = await worker.refused(ann, 'batch:run', { operations: [...links, back] });
  expect(refused).toMatchObject({ code: 'conflict.cycle', details: { index: MOST - 1 } });
  expect(await count(nodes, 'n.status = 2')).toBe(0);
  await run([...links, { event: 'node:update', payload: { id: nodes[0], status: Status.COMPLETED } }]);
  expect(await count(nodes, 'n.status = 2')).toBe(MOST - 2);
});

test('[BAT3 NODE3 ACL10] an editor of one node creates children of children, and loses them with the grant', async () => {
  const root = (await run([{ event: 'node:add', payload: {} }])).ids[0] as string;
  await worker.run(ann, 'node:access', { id: root, email: bob.email, level: 2, branch: false });
  const { ids } = await run(
    [
      { event: 'node:add', payload: { target: root }, as: 'child' },
      { event: 'node:add', payload: { target: '$child' }, as: 'below' },
      { event: 'node:add', payload: {}, as: 'own' },
      { event: 'link:add', payload: { source: '$own', target: '$below' }, as: 'link' },
      { event: 'node:update', payload: { id: '$own', status: Status.COMPLETED } },
      { event: 'node:update', payload: { id: '$below', title: 'done by bob' } },
    ],
    bob,
  );
  const [child, below, own] = ids as [string, string, string];
  expect(await count([child, below], `n.ownerId = '${ann.id}'`)).toBe(2);
  await worker.run(ann, 'node:access:delete', { id: root, email: bob.email });
  expect(await worker.refused(bob, 'node:update', { id: below, title: 'x' })).toMatchObject({ code: 'forbidden' });
  expect(await count([own], 'n.status = 3')).toBe(1);
});

test('[BAT7 BLK5] operations that each cascade over thousands of nodes are executed as one batch, and undone as one', async () => {
  const fans = await Promise.all(times(3, () => sow(database, ann, fan(1_001))));
  const roots = fans.map(({ nodes }) => nodes[0] as string);
  const trash = roots.map((id) => ({ event: 'node:trash', payload: { id } }));
  const share = roots.map((id) => ({ event: 'node:access', payload: { id, email: bob.email, branch: true } }));
  const { batchId } = await run([...share, ...trash]);
  const all = fans.flatMap(({ nodes }) => nodes);
  expect(await count(all, 'n.inTrash')).toBe(3);
  await worker.run(ann, 'batch:undo', { batchId });
  expect(await count(all, 'n.inTrash')).toBe(0);
  expect(await worker.refused(bob, 'node:update', { id: roots[0], title: 'x' })).toMatchObject({ code: 'forbidden' });
});

test('[BAT6 GEN8] one key covers the batch: repeated it returns the same ids, and with other operations it is refused', async () => {
  const operations = [
    { event: 'node:add', payload: { title: 'once' }, as: 'n' },
    { event: 'node:add', payload: { target: '$n' } },
  ];
  const send = (all: readonly Operation[], key = 'one') => worker.send(ann, 'batch:run', { operations: all }, { key });
  const [first, again] = [await send(operations), await send(operations)];
  expect(again).toEqual(first);
  expect(await send(operations.slice(1), 'two')).toMatchObject({ ok: false, error: 'bad_request.unknown_name' });
  expect(await send(operations.slice(0, 1))).toMatchObject({ ok: false, error: 'conflict.idempotency_key' });
  const { results } = (first as unknown as { body: { results: { id: string }[] } }).body;
  await worker.run(ann, 'node:trash', { id: results[1]?.id });
  await worker.run(ann, 'node:delete', { id: results[1]?.id });
  const told = (await send(operations)) as unknown as { body: { results: object[]; diff: { nodes: object[] } } };
  expect(told.body.results).toEqual([{ id: results[0]?.id }, { id: results[1]?.id, link: expect.any(String) }]);
  expect(JSON.stringify(told.body.diff.nodes)).toContain('"deleted":true');
});
