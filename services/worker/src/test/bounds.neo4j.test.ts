// Truncated lists are marked: refusals, explanations and the trash, on a real database. Rules:
// ACL11, BLK4, TRS2, WHY2.
import type { Database } from '@taskgraph/graph-store/driver/database';
import type { ActingUser } from '@taskgraph/wire/actor';
import { Level } from '@taskgraph/wire/codes';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sowGraph } from './support/graph-fixture.ts';
import { makeUser, openTestDatabase, startTestWorker, type TestWorker } from './support/harness.ts';
import { findInconsistencies } from './support/integrity-checker.ts';

let database: Database;
let worker: TestWorker;
let ann: ActingUser;
let bob: ActingUser;
beforeAll(async () => {
  database = await openTestDatabase();
  worker = startTestWorker(database);
  [ann, bob] = await Promise.all([makeUser(database, 'ann'), makeUser(database, 'bob')]);
});
afterAll(async () => {
  expect(await findInconsistencies(database)).toEqual([]);
  await database.close();
});

async function run(operations: readonly object[]): Promise<string[]> {
  const reply = await worker.send(ann, 'batch:run', { operations });
  if (!reply.ok) throw new Error(reply.error);
  return (reply.body.results as { id: string }[]).map(({ id }) => id);
}

test('[BLK4] beyond the limit of inspected blockers, the rest counts as hidden', async () => {
  const children = (count: number) =>
    Array.from({ length: count }, () => ({ event: 'node:add', payload: { target: '$root' } }));
  const root = { event: 'node:add', payload: {}, as: 'root' };
  for (const [count, named] of [
    [100, 100],
    [101, 101],
  ] as const) {
    const [id] = await run([root, ...children(count)]);
    const { code, details } = await worker.refused(ann, 'node:update', { id, status: 1 });
    const blockers = details.blockers as object[];
    expect([code, blockers.length]).toEqual(['conflict.node_blocked', named]);
    expect(blockers.filter((blocker) => 'hidden' in blocker)).toHaveLength(count === 100 ? 0 : 1);
  }
});

test('[WHY2] node grants on a root do not displace grants that make a node below it visible', async () => {
  const graph = sowGraph(database);
  const [root, below] = [graph.node(ann), graph.node(ann)];
  graph.link(below, root);
  for (let count = 0; count < 210; count++) graph.grant(root, `a${count}-${root}@example.com`, 3, { branch: false });
  graph.grant(root, bob.email, 3);
  await graph.save();
  const { access, truncated } = await worker.read(ann, 'node:why', { id: below, all: true });
  expect([truncated, (access as { email: string }[]).map(({ email }) => email)]).toEqual([
    undefined,
    [ann.email, bob.email].sort(),
  ]);
  await graph.remove([]);
});

test('[TRS2 ACL11] the trash and history report a node with too many links to compute its restored access', async () => {
  const around = Array.from({ length: 32 }, (_, index) => [`in${index}`, `out${index}`]).flat();
  const ids = await run([
    { event: 'node:add', payload: {}, as: 'root' },
    { event: 'node:add', payload: { target: '$root' }, as: 'hub' },
    ...around.map((as) => ({ event: 'node:add', payload: {}, as })),
    ...around.map((as) => {
      const ends = as.startsWith('in') ? { source: `$${as}`, target: '$hub' } : { source: '$hub', target: `$${as}` };
      return { event: 'link:add', payload: { ...ends, type: 0 } };
    }),
  ]);
  const [root, hub] = ids;
  await worker.run(ann, 'node:access', { id: root, email: bob.email, level: Level.EDITOR });
  expect(await worker.read(bob, 'trash:page', {})).not.toHaveProperty('truncated');
  await worker.run(ann, 'node:trash', { id: hub });
  expect(await worker.read(bob, 'trash:page', {})).toMatchObject({ truncated: true });
  expect(await worker.read(bob, 'history:page', { scopeType: 'GRAPH', scopeId: root })).toMatchObject({
    truncated: true,
  });
  // Its owner still sees it.
  const own = await worker.read(ann, 'trash:page', {});
  expect([(own.nodes as { id: string }[]).map(({ id }) => id), own.truncated]).toEqual([[hub], undefined]);
});
