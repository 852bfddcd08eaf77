// Plans of each reader's visible nodes.
import type { Database } from '@taskgraph/graph-store/driver/database';
import { MAXIMUM_PLANNED, type PlannedNode, readPlannedNodes } from '@taskgraph/graph-store/reads/plan/planned-nodes';
import type { ActingUser } from '@taskgraph/wire/actor';
import { Level } from '@taskgraph/wire/codes';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { makeUser, openTestDatabase, startTestWorker, type TestWorker } from '../test/support/harness.ts';

let database: Database;
let worker: TestWorker;
let ann: ActingUser;
let bob: ActingUser;
beforeAll(async () => {
  database = await openTestDatabase();
  worker = startTestWorker(database);
});
beforeEach(async () => {
  [ann, bob] = [await makeUser(database), await makeUser(database)];
});
afterAll(() => database.close());

async function add(user: ActingUser, payload: object): Promise<string> {
  const { nodes } = await worker.run(user, 'node:add', payload);
  return nodes.find(({ op }) => op === 0)?.after.id as string;
}

const plan = (user: ActingUser, payload: object = {}) => worker.read(user, 'graph:plan', payload);

/**
 * Ann's house: the walls wait for the ground, and the roof waits for the walls.
 */
async function plant() {
  const house = await add(ann, { title: 'house', volume: 0 });
  const roof = await add(ann, { title: 'roof', volume: 3, target: house });
  const walls = await add(ann, { title: 'walls', volume: 5, target: roof });
  const ground = await add(ann, { title: 'ground', volume: 2, target: walls });
  return { house, roof, walls, ground };
}

test('[PLAN1 PLAN2 PLAN3] a branch is planned along its primary links, a page at a time', async () => {
  const { house, roof, walls, ground } = await plant();
  const first = await plan(ann, { root: house, limit: 3 });
  expect(first).toMatchObject({
    makespan: 10,
    hasMore: true,
    next: walls,
    critical: [ground, walls, roof, house],
    ready: [ground],
    nodes: [
      { id: house, earliestStart: 10, slack: 0 },
      { id: roof, earliestStart: 7, earliestFinish: 10 },
      { id: walls, earliestStart: 2, latestFinish: 7 },
    ],
  });
  expect(await plan(ann, { root: house, limit: 3, after: walls })).toEqual({
    makespan: 10,
    hasMore: false,
    next: null,
    nodes: [{ id: ground, earliestStart: 0, earliestFinish: 2, latestStart: 0, latestFinish: 2, slack: 0 }],
  });
});

test('[PLAN1] without a root the plan has all nodes visible to the caller, including shared ones', async () => {
  const { house, ground } = await plant();
  const own = await add(bob, { volume: 20 });
  expect(await plan(bob)).toMatchObject({ makespan: 20, critical: [own] });
  await worker.run(ann, 'node:access', { id: house, email: bob.email, level: Level.EDITOR });
  expect(await plan(bob)).toMatchObject({ makespan: 20, ready: [own, ground] });
  await worker.run(bob, 'link:add', { source: own, target: house, type: 0 });
  expect(await plan(ann)).toMatchObject({ makespan: 20 });
});

test('[PLAN2] a plan reveals only the existence of a hidden blocker', async () => {
  const { house, walls, ground } = await plant();
  await worker.run(ann, 'node:access', { id: walls, email: bob.email, level: Level.VIEWER, branch: false });
  const page = await plan(bob);
  expect(page).toMatchObject({ makespan: 5, ready: [], nodes: [{ id: walls, hidden: true, earliestStart: 0 }] });
  expect(JSON.stringify(page)).not.toContain(ground);
  const reply = await worker.ask(bob, 'graph:plan', { root: house });
  expect(reply).toMatchObject({ ok: false, error: 'forbidden' });
});

test('[PLAN2] a node has `hidden` if a blocker is invisible, but not if it is visible outside the plan', async () => {
  const { house, roof } = await plant();
  const aside = await add(ann, {});
  const marked = async (user: ActingUser) => {
    const { nodes } = await plan(user, { root: house });
    return (nodes as { id: string; hidden?: true }[]).flatMap(({ id, hidden }) => (hidden ? [id] : []));
  };
  await worker.run(ann, 'node:access', { id: house, email: bob.email, level: Level.VIEWER });
  const cy = await makeUser(database);
  for (const id of [aside, roof]) {
    await worker.run(ann, 'node:access', { id, email: cy.email, level: Level.EDITOR, branch: false });
  }
  // A link that an editor adds does not propagate, so its source stays outside the branch.
  await worker.run(cy, 'link:add', { source: aside, target: roof, type: 0 });
  expect([await marked(ann), await marked(bob)]).toEqual([[], [roof]]);
  await worker.run(ann, 'node:access', { id: aside, email: bob.email, level: Level.VIEWER });
  expect(await marked(bob)).toEqual([]);
});

test("[PLAN1 LNK7] another user's private link delays nodes only in its owner's plan", async () => {
  const { house, roof, ground } = await plant();
  await worker.run(ann, 'node:access', { id: house, email: bob.email, level: Level.ADMIN });
  const aside = await add(ann, { volume: 50, target: house });
  const { links } = await worker.run(ann, 'link:add', { source: aside, target: roof, type: 0 });
  await worker.run(ann, 'link:update', { id: links[0]?.after.id, private: true });
  expect((await plan(ann, { root: house })).makespan).toBe(53);
  expect(await plan(bob, { root: house })).toMatchObject({ makespan: 50, ready: [aside, ground] });
});

test('[PLAN4 PLAN5] a plan has dates, late nodes, and the cost of a delay', async () => {
  const { house, roof, ground } = await plant();
  const due = '2026-01-13T00:00:00.000Z';
  await worker.run(ann, 'node:update', { id: roof, dueDate: due });
  const dated = { root: house, start: '2026-01-03T00:00:00Z', unit: 'day' };
  const found = await plan(ann, { ...dated, slip: `${ground.toUpperCase()}:1` });
  expect(found).toMatchObject({ late: [], slip: { makespan: { before: 10, after: 11 } } });
  expect(found.nodes).toContainEqual(
    expect.objectContaining({
      id: ground,
      startDate: '2026-01-03T00:00:00.000Z',
      finishDate: '2026-01-05T00:00:00.000Z',
    }),
  );
  expect(found.slip).toMatchObject({
    late: { before: [], after: [{ id: roof, dueDate: due, finish: '2026-01-14T00:00:00.000Z' }] },
  });
  expect((found.slip as { nodes: unknown[] }).nodes).toHaveLength(4);
  await worker.run(ann, 'node:update', { id: ground, status: 1 });
  await worker.run(ann, 'node:update', { id: ground, status: 3 });
  const refused = (payload: object) => worker.ask(ann, 'graph:plan', payload);
  expect(await refused({ slip: { id: ground, by: 1 } })).toMatchObject({ error: 'conflict.not_open' });
  expect(await refused({ slip: { id: ann.id, by: 1 } })).toMatchObject({ error: 'not_found' });
  expect(await refused({ start: dated.start })).toMatchObject({ error: 'bad_request.missing_unit' });
  expect(await refused({ unit: 'day' })).toMatchObject({ error: 'bad_request.missing_start' });
  expect(await refused({ slip: 'ground:1' })).toMatchObject({ error: 'bad_request.invalid_slip' });
});

test('[PLAN6] a plan with too many nodes is refused', async () => {
  const ids = Array.from({ length: MAXIMUM_PLANNED + 1 }, (_, index) => String(index));
  expect(await readPlannedNodes(database, ids, ann.id)).toEqual({ most: MAXIMUM_PLANNED, of: 'nodes' });
});

test('[PLAN6 LIM5] a plan with too many links is refused after reading one link beyond the limit', async () => {
  const own = { ownerId: ann.id, feeds: [] };
  const target = await add(ann, {});
  for (let at = 0; at < 4; at++) await add(ann, { target });
  expect(await readPlannedNodes(database, own, ann.id, 3)).toEqual({ most: 3, of: 'links' });
  expect(await readPlannedNodes(database, own, ann.id, 4)).toHaveLength(5);
});

/**
 * In: owner, feed (ids), first, last (numbers). Out: nothing. Locks: new nodes. Cost: as many
 * nodes, each with a link and a row of the feed.
 */
const PLANT = `
MERGE (f:Feed {id: $feed})
WITH f UNWIND range($first, $last) AS at
WITH f, at, $feed + (100000 + at) AS id
CREATE (n:Node {id: id, ownerId: $owner, inTrash: false, sown: $feed, status: 0, volume: 1 + at % 9, independent: false, priority: -1})
CREATE (n)-[:IN {feed: f.id, id: id}]->(f), (n)-[:BLOCKS {id: id, private: false, ownerId: $owner}]->(n)`;
/**
 * Longer than the deadline of a command: a busy machine needs more time for this number of nodes.
 */
const UPROOT =
  'MATCH (n:Node {ownerId: $owner}) WHERE n.sown = $feed WITH n LIMIT toInteger($most) DETACH DELETE n RETURN 1 AS one';
const UPROOT_FEED = 'MATCH (f:Feed {id: $feed}) DETACH DELETE f';
const AT_ONCE = 1_000;
const LIMIT_MS = 60_000;

test('[PLAN6] the largest plan is complete, for an owner, a branch and a list, and one node more is refused', async () => {
  const feed = `${ann.id}-branch-`;
  const owner = ann.id;
  const plant = (first: number, last: number) => database.write(PLANT, { owner, feed, first, last }, LIMIT_MS);
  const idOf = (at: number) => `${feed}${100_000 + at}`;
  const scopes = (count: number) => [
    { ownerId: ann.id, feeds: [] },
    { ownerId: null, feeds: [feed] },
    Array.from({ length: count }, (_, index) => idOf(index)),
  ];
  try {
    for (let first = 0; first < MAXIMUM_PLANNED; first += AT_ONCE) await plant(first, first + AT_ONCE - 1);
    const expected = Array.from({ length: MAXIMUM_PLANNED }, (_, at) => ({
      id: idOf(at),
      status: 0,
      volume: 1 + (at % 9),
      independent: false,
      priority: -1,
      dueDate: null,
      blocks: [idOf(at)],
    }));
    for (const scope of scopes(MAXIMUM_PLANNED)) {
      const read = (await readPlannedNodes(database, scope, ann.id)) as PlannedNode[];
      expect(read.sort((one, other) => (one.id < other.id ? -1 : 1))).toEqual(expected);
    }
    await plant(MAXIMUM_PLANNED, MAXIMUM_PLANNED);
    for (const scope of scopes(MAXIMUM_PLANNED + 1))
      expect(await readPlannedNodes(database, scope, ann.id)).toMatchObject({ of: 'nodes' });
  } finally {
    while ((await database.write(UPROOT, { owner, feed, most: AT_ONCE }, LIMIT_MS)).length > 0);
    await database.write(UPROOT_FEED, { feed }, LIMIT_MS);
  }
});

test('[PLAN1] trashed nodes are not planned', async () => {
  const { house, ground } = await plant();
  await worker.run(ann, 'node:trash', { id: ground });
  expect(await plan(ann, { root: house })).toMatchObject({ makespan: 8 });
});
