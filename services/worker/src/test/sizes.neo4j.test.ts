// Large branches, deep chains, wide fans and long cycles are shared, revoked, moved and trashed as
// a whole, or refused as a whole.
import type { Database } from '@taskgraph/graph-store/driver/database';
import type { ActingUser } from '@taskgraph/wire/actor';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { makeUser, openTestDatabase, startTestWorker, type TestWorker } from './support/harness.ts';
import { findInconsistencies } from './support/integrity-checker.ts';
import { chain, cycle, type Fixture, fan, fanOut, ladder, type Shape, sow, tree } from './support/large-graphs.ts';

/** Nodes of one shape. The promised size, `MANY_NODES=10000`, is too slow for every run. */
const MANY = Number(process.env.MANY_NODES ?? 1_000);
/** Nodes of a branch, more than one diff lists. */
const BRANCH = Number(process.env.MANY_NODES ?? 2_000) * 2;
const TIMEOUT_MS = 120_000;

let database: Database;
let worker: TestWorker;
let ann: ActingUser;
let bob: ActingUser;
beforeAll(async () => {
  database = await openTestDatabase();
  worker = startTestWorker(database);
});
beforeEach(async () => {
  [ann, bob] = [await makeUser(database, 'ann'), await makeUser(database, 'bob')];
});
afterAll(async () => {
  expect(await findInconsistencies(database)).toEqual([]);
  await database.close();
}, TIMEOUT_MS);

const at = (ids: readonly string[], index: number) => ids.at(index) as string;
const give = (id: string) => worker.run(ann, 'node:access', { id, email: bob.email, level: 2 });
const take = (id: string) => worker.run(ann, 'node:access:delete', { id, email: bob.email });

/** The number of nodes in the branch of a root. */
async function membersOf(root: string): Promise<number> {
  const [row] = await database.read('MATCH ()-[m:IN]->() WHERE m.feed = $feed RETURN count(m) AS count', {
    feed: `root:${root}`,
  });
  return row?.count as number;
}

/** Whether bob may edit a node: he tries. */
async function edits(id: string): Promise<boolean> {
  const reply = await worker.send(bob, 'node:update', { id, title: `${Math.random()}` });
  return reply.ok;
}

describe('a branch of many nodes', () => {
  let fixture: Fixture;
  beforeEach(async () => {
    fixture = await sow(database, ann, tree(BRANCH, 10));
  }, TIMEOUT_MS);

  test(
    '[ACL2 ACL7] is granted, revoked, unlinked and linked again, each in one batch',
    async () => {
      const [root, leaf] = [at(fixture.nodes, 0), at(fixture.nodes, -1)];
      await give(root);
      expect(await membersOf(root)).toBe(BRANCH);
      expect(await edits(leaf)).toBe(true);
      await take(root);
      expect(await edits(leaf)).toBe(false);
      await give(root);
      const top = (await worker.run(ann, 'node:add', { title: 'top' })).nodes[0]?.after.id as string;
      await give(top);
      const hook = (await worker.run(ann, 'link:add', { source: root, target: top })).links[0]?.after.id as string;
      expect(await membersOf(top)).toBe(BRANCH + 1);
      worker.slices.length = 0;
      await worker.run(ann, 'link:trash', { id: hook });
      expect(await membersOf(top)).toBe(1);
      // Too many entities left to list them, so readers of the feed must read it again.
      expect(worker.slices.find(({ feed }) => feed === `root:${top}`)?.diff).toMatchObject({ reset: true });
      await worker.run(ann, 'link:restore', { id: hook });
      expect(await membersOf(top)).toBe(BRANCH + 1);
    },
    TIMEOUT_MS,
  );

  test(
    '[GEN3] beyond the configured bound it is refused as a whole, and nothing changes',
    async () => {
      const small = startTestWorker(database, { entities: 1_000 });
      const root = at(fixture.nodes, 0);
      const grant = { id: root, email: bob.email };
      expect((await small.refused(ann, 'node:access', grant)).code).toBe('bad_request.too_large');
      expect(await membersOf(root)).toBe(0);
      const [row] = await database.read('MATCH (n:Node {id: $root})<-[g:GRANT]-() RETURN count(g) AS grants', { root });
      expect(row?.grants).toBe(0);
      expect(await edits(root)).toBe(false);
      // A change accepted under a larger bound can be undone under the smaller one, which does not
      // walk the branch.
      await give(root);
      await small.run(ann, 'node:access:delete', grant);
      expect(await edits(at(fixture.nodes, -1))).toBe(false);
    },
    TIMEOUT_MS,
  );
});

test.each<[name: string, shape: Shape, below: number]>([
  ['a long chain', chain(MANY), MANY],
  ['a wide fan', fan(MANY), MANY],
  ['a long cycle of secondary links', cycle(MANY), MANY],
  // Its start is one of two, so that the other is not below it.
  ['a ladder of 2,000 nodes with 2^1,000 ways through it', ladder(1_000), 1_999],
])(
  '[ACL2 TRS1 BLK5] %s is shared, and its start is trashed and restored',
  async (_name, shape, below) => {
    const { nodes } = await sow(database, ann, shape);
    const root = at(nodes, 0);
    await give(root);
    expect(await membersOf(root)).toBe(below);
    expect(await edits(at(nodes, -1))).toBe(true);
    await worker.run(ann, 'node:trash', { id: root });
    expect(await membersOf(root)).toBe(1);
    await worker.run(ann, 'node:restore', { id: root });
    expect(await membersOf(root)).toBe(below);
  },
  TIMEOUT_MS,
);

test(
  '[BLK5] completing and reopening a node that blocks many nodes, and the end of a long chain',
  async () => {
    const wide = await sow(database, ann, fanOut(MANY));
    const source = at(wide.nodes, -1);
    const done = await worker.run(ann, 'node:update', { id: source, status: 3 });
    expect(done.nodes).toHaveLength(MANY);
    const deep = await sow(database, ann, { ...chain(MANY), completed: true });
    const reopened = await worker.run(ann, 'node:update', { id: at(deep.nodes, -1), status: 1 });
    expect(reopened.nodes).toHaveLength(MANY);
  },
  TIMEOUT_MS,
);
