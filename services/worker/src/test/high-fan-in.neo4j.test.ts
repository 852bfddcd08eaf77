// Many links to one node, by many users, do not block any command: neither single links nor all
// together.
import type { Database } from '@taskgraph/graph-store/driver/database';
import type { ActingUser } from '@taskgraph/wire/actor';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sowGraph } from './support/graph-fixture.ts';
import { makeUser, openTestDatabase, startTestWorker, type TestWorker } from './support/harness.ts';
import { findInconsistencies } from './support/integrity-checker.ts';
import { fanOut, sow } from './support/large-graphs.ts';

/** More than a command's rounds for entities that its first round did not name. */
const MANY = 70;

let database: Database;
let worker: TestWorker;
let ann: ActingUser;
let bob: ActingUser;
let crowd: ActingUser[];
beforeAll(async () => {
  database = await openTestDatabase();
  worker = startTestWorker(database);
  ann = await makeUser(database, 'ann');
  bob = await makeUser(database, 'bob');
  crowd = await Promise.all(Array.from({ length: MANY }, () => makeUser(database, 'cy')));
});
afterAll(async () => {
  expect(await findInconsistencies(database)).toEqual([]);
  await database.close();
});

/** The number of a node's active links, visible or not. */
async function linksOn(id: string): Promise<unknown> {
  const [row] = await database.read('MATCH (n:Node {id: $id}) RETURN COUNT { (n)-[:BLOCKS|RELATES]-() } AS links', {
    id,
  });
  return row?.links;
}

async function addNode(by: ActingUser, payload: object = {}): Promise<string> {
  return (await worker.run(by, 'node:add', payload)).nodes[0]?.after.id as string;
}

test('[TRS1 TRS3] a shared node with many children is trashed and restored with all links', async () => {
  const top = await addNode(ann);
  const children = await Promise.all(crowd.map(() => addNode(ann, { target: top })));
  await worker.run(ann, 'node:access', { id: top, email: bob.email });
  expect((await worker.run(ann, 'node:trash', { id: top })).links).toHaveLength(MANY);
  expect((await worker.run(ann, 'node:restore', { id: top })).links).toHaveLength(MANY);
  const { nodes } = await worker.read(bob, 'graph:get', { limit: 1_000 });
  const seen = (nodes as { id: string }[]).map(({ id }) => id);
  expect(seen.sort()).toEqual([top, ...children].sort());
});

test('[TRS1 LNK9] a node on which each of many has a private link is trashed and restored', async () => {
  const graph = sowGraph(database);
  const centre = graph.node(ann);
  for (const one of crowd) {
    const own = graph.node(one);
    graph.link(own, centre, { private: true, conveys: false, ownerId: one.id });
    graph.grant(centre, one.email, 3, { branch: false });
  }
  await graph.save();
  worker.slices.length = 0;
  await worker.run(ann, 'node:trash', { id: centre });
  const told = worker.slices.filter(({ diff }) => (diff.links as object[]).length > 0).map(({ feed }) => feed);
  expect(told.sort()).toEqual(crowd.map(({ id }) => `user:${id}`).sort());
  await worker.run(ann, 'node:restore', { id: centre });
  const [row] = await database.read('MATCH (:Node {id: $centre})<-[r:RELATES]-() RETURN count(r) AS links', { centre });
  expect(row?.links).toBe(MANY);
  await graph.remove([]);
});

test('[ACL1 EVT1] a change of a node in the trees of many users reaches all of them', async () => {
  const graph = sowGraph(database);
  const id = graph.node(ann);
  for (const one of crowd.slice(0, 60)) graph.link(id, graph.node(one));
  await graph.save();
  worker.slices.length = 0;
  await worker.run(ann, 'node:update', { id, title: 'seen by all' });
  expect(worker.slices.map(({ feed }) => feed)).toHaveLength(61);
  await graph.remove([]);
});

test('[BLK5 ACL2] completing a node that blocks many separately shared nodes', async () => {
  const { nodes } = await sow(database, ann, fanOut(MANY + 1));
  const source = nodes.at(-1) as string;
  await Promise.all(
    nodes.slice(0, -1).map((id) => worker.run(ann, 'node:access', { id, email: bob.email, branch: false })),
  );
  worker.slices.length = 0;
  expect((await worker.run(ann, 'node:update', { id: source, status: 3 })).nodes).toHaveLength(MANY + 1);
  expect(worker.slices).toHaveLength(MANY + 1);
  expect((await worker.run(ann, 'node:update', { id: source, status: 0 })).nodes).toHaveLength(MANY + 1);
});

test('[NODE3 ACL7 HIS4] a grant with many copies is revoked regardless of the bound, and restored with them', async () => {
  const small = startTestWorker(database, { entities: 10 });
  const top = await addNode(ann);
  await worker.run(ann, 'node:access', { id: top, email: bob.email, level: 2, branch: false });
  await Promise.all(crowd.map(() => addNode(bob, { target: top })));
  const grants = async () => {
    const [row] = await database.read(
      'MATCH (:Principal {email: $email})-[g:GRANT {copyOf: $top}]->() RETURN count(g) AS count',
      {
        email: bob.email,
        top,
      },
    );
    return row?.count;
  };
  expect(await grants()).toBe(MANY);
  const { batchId } = await small.run(ann, 'node:access:delete', { id: top, email: bob.email });
  expect(await grants()).toBe(0);
  const undone = await worker.send(ann, 'batch:undo', { batchId });
  expect(undone.ok).toBe(true);
  expect(await grants()).toBe(MANY);
});

test('[LNK9 ACL9] a link between two branches with many readers reaches the readers of both', async () => {
  const [here, there] = [await addNode(ann), await addNode(ann)];
  const readers = crowd.slice(0, 30);
  await Promise.all(
    [here, there].flatMap((id) => readers.map(({ email }) => worker.run(ann, 'node:access', { id, email, level: 2 }))),
  );
  const [one, other] = [await addNode(ann, { target: here }), await addNode(ann, { target: there })];
  worker.slices.length = 0;
  await worker.run(readers[0] as ActingUser, 'link:add', { source: one, target: other, type: 1 });
  expect(worker.slices.map(({ feed }) => feed).sort()).toEqual([ann, ...readers].map(({ id }) => `user:${id}`).sort());
});

test('[LNK2 TRS1] nodes that others linked and unlinked do not prevent trashing and restoring', async () => {
  const small = startTestWorker(database, { entities: 30 });
  const graph = sowGraph(database);
  const centre = graph.node(ann);
  // From each of many nodes: a present link, one trashed alone, and one trashed with its source,
  // which is still in the trash.
  for (const one of crowd) {
    const [here, alone, gone] = [graph.node(one), graph.node(one), graph.node(one)];
    graph.link(here, centre, { conveys: false });
    graph.trash(graph.link(alone, centre, { conveys: false }), one);
    graph.link(gone, centre, { conveys: false });
    graph.trash(gone, one);
  }
  await graph.save();
  await small.run(ann, 'node:trash', { id: centre });
  expect(await linksOn(centre)).toBe(0);
  await worker.run(ann, 'node:restore', { id: centre });
  expect(await linksOn(centre)).toBe(MANY);
  await graph.remove([]);
});

test("[LNK2 TRS3] links of a viewer that were trashed with their sources are not restored beyond the viewer's limit", async () => {
  const graph = sowGraph(database);
  const [centre, [viewer, friend]] = [graph.node(ann), crowd as [ActingUser, ActingUser]];
  graph.grant(centre, viewer.email, 3, { branch: false });
  const attach = (count: number) =>
    Array.from({ length: count }, () => {
      const source = graph.node(viewer);
      graph.grant(source, friend.email, 2);
      graph.link(source, centre, { conveys: false });
      return source;
    });
  const gone = attach(3);
  for (const id of gone) graph.trash(id, viewer);
  attach(62);
  await graph.save();
  // Whoever restores them, the bound of the link's owner applies.
  const counts = [];
  for (const [at, id] of gone.entries()) {
    await worker.run(at === 0 ? viewer : friend, 'node:restore', { id });
    counts.push(await linksOn(centre));
  }
  expect(counts).toEqual([63, 64, 64]);
  // All present links are restored with the node.
  await worker.run(ann, 'node:trash', { id: centre });
  await worker.run(ann, 'node:restore', { id: centre });
  expect(await linksOn(centre)).toBe(64);
  await graph.remove([]);
});

test('[LNK2 TRS1] thousands of links to large nodes of many owners are trashed with a node in one batch', async () => {
  const links = Number(process.env.MANY_NODES ?? 2_000);
  const graph = sowGraph(database);
  const centre = graph.node(ann);
  // The longest title, description, tags and assignees.
  const content = {
    title: 't'.repeat(500),
    description: 'd'.repeat(20_000),
    tags: Array.from({ length: 64 }, (_, at) => `${at}`.padEnd(100, 't')),
    assignee: Array.from({ length: 64 }, (_, at) => `${at}`.padEnd(255, 'a')),
  };
  for (const one of crowd) graph.grant(centre, one.email, 3, { branch: false });
  for (let at = 0; at < links; at++) {
    graph.link(graph.node(crowd[at % MANY] as ActingUser), centre, { conveys: false });
  }
  await graph.save();
  const sources = [...graph.nodes.keys()].filter((id) => id !== centre);
  for (let from = 0; from < links; from += 500) {
    const ids = sources.slice(from, from + 500);
    await database.write('UNWIND $ids AS id MATCH (n:Node {id: id}) SET n += $content', { ids, content });
  }
  const reply = await worker.send(ann, 'node:trash', { id: centre });
  expect(reply).toMatchObject({ ok: true });
  const [row] = await database.read('MATCH (:Node {id: $centre})<-[r:TRASHED]-() RETURN count(r) AS links', { centre });
  expect(row?.links).toBe(links);
  await graph.remove([]);
});
