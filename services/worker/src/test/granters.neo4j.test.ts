// Many users grant to one user, and one user to many. Nobody exhausts another user's bounds, and
// locks do not wait for uninvolved readers.
import type { Database } from '@taskgraph/graph-store/driver/database';
import type { ActingUser } from '@taskgraph/wire/actor';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sowGraph } from './support/graph-fixture.ts';
import { makeUser, newId, openTestDatabase, startTestWorker, type TestWorker, warmUp } from './support/harness.ts';
import { findInconsistencies } from './support/integrity-checker.ts';

let database: Database;
let worker: TestWorker;
let ann: ActingUser;
let cy: ActingUser;
beforeAll(async () => {
  database = await openTestDatabase();
  await warmUp(database);
  worker = startTestWorker(database);
  [ann, cy] = await Promise.all([makeUser(database, 'ann'), makeUser(database, 'cy')]);
});
afterAll(async () => {
  expect(await findInconsistencies(database)).toEqual([]);
  await database.close();
});

async function addNode(by: ActingUser, payload: object = {}): Promise<string> {
  return (await worker.run(by, 'node:add', payload)).nodes[0]?.after.id as string;
}

test('[ACL10 NODE3] after an owner reaches the limit of grants to a user, in the last command of a group, others still grant', async () => {
  const bob = await makeUser(database, 'bob');
  const graph = sowGraph(database);
  const nodes = Array.from({ length: 1_998 }, () => graph.node(ann));
  for (const id of nodes) graph.grant(id, bob.email, 2, { branch: false });
  await graph.save();
  const more = await Promise.all(Array.from({ length: 6 }, () => addNode(ann)));
  const replies = await Promise.all(more.map((id) => worker.send(ann, 'node:access', { id, email: bob.email })));
  expect(replies.map((reply) => (reply.ok ? null : reply.error)).sort()).toEqual([
    ...Array.from({ length: 4 }, () => 'conflict.too_many_grants'),
    null,
    null,
  ]);
  // With a grant on the parent only, users cannot create entities that they would not see.
  const refused = await worker.refused(bob, 'node:add', { target: nodes[0] });
  expect(refused.code).toBe('conflict.too_many_grants');
  await worker.run(cy, 'node:access', { id: await addNode(cy), email: bob.email });
  // Bob leaves one, so one more fits.
  await worker.run(bob, 'node:access:delete', { id: nodes[1], email: bob.email });
  const { nodes: made } = await worker.run(bob, 'node:add', { target: nodes[0], title: 'seen' });
  const id = made.find(({ after }) => after.title === 'seen')?.after.id;
  expect((await worker.send(bob, 'node:update', { id, title: 'seen by its maker' })).ok).toBe(true);
  await graph.remove([]);
});

/** The ids of a reader's nodes, page by page, and the number of pages marked as truncated. */
async function readAll(reader: ActingUser): Promise<{ ids: string[]; truncated: number }> {
  const [ids, cut]: [string[], unknown[]] = [[], []];
  for (let after: string | null = ''; after !== null; ) {
    const page = await worker.read(reader, 'graph:get', { limit: 900, ...(after === '' ? {} : { after }) });
    ids.push(...(page.nodes as { id: string }[]).map(({ id }) => id));
    if (page.truncated === true) cut.push(page.truncated);
    after = page.next as string | null;
  }
  return { ids, truncated: cut.length };
}

test('[ACL11] a reader with the maximum of grants from one owner reads every node', async () => {
  const bob = await makeUser(database, 'bob');
  const graph = sowGraph(database);
  const nodes = Array.from({ length: 1_999 }, () => graph.node(ann));
  for (const id of nodes) graph.grant(id, bob.email, 2, { branch: false });
  await graph.save();
  const own = await addNode(bob);
  const [last, more] = [await addNode(ann), await addNode(ann)];
  await worker.run(ann, 'node:access', { id: last, email: bob.email });
  const refused = await worker.refused(ann, 'node:access', { id: more, email: bob.email });
  expect(refused.code).toBe('conflict.too_many_grants');
  expect(await readAll(bob)).toEqual({ ids: [own, last, ...nodes].sort(), truncated: 0 });
  const { feeds, truncated } = await worker.feeds(bob);
  expect([feeds.length, truncated]).toEqual([2_001, undefined]);
  await graph.remove([]);
});

test("[ACL10 ACL11] a reader with too many grants reads some of each owner's, and the answer reports the omission", async () => {
  const [bob, mallory] = await Promise.all([makeUser(database, 'bob'), makeUser(database, 'mallory')]);
  const graph = sowGraph(database);
  // Created before the others, which would come first in order of ids.
  for (let count = 0; count < 2_100; count++) graph.grant(graph.node(mallory), bob.email, 3, { branch: false });
  const welcome = [graph.node(ann), graph.node(cy)];
  for (const id of welcome) graph.grant(id, bob.email, 3);
  await graph.save();
  const { feeds, truncated } = await worker.feeds(bob);
  expect([feeds.length, truncated]).toEqual([2_001, true]);
  expect(feeds.map(({ feed }) => feed)).toEqual(expect.arrayContaining(welcome.map((id) => `root:${id}`)));
  const read = await readAll(bob);
  expect([read.ids.length, read.truncated]).toEqual([2_000, 3]);
  const { position } = await worker.read(bob, 'graph:get', { limit: 1 });
  for (const [event, payload] of [
    ['changes:get', { since: position }],
    ['graph:plan', {}],
  ] as const) {
    expect(await worker.read(bob, event, payload)).toMatchObject({ truncated: true });
  }
  // A node beyond the bound is still readable by its id.
  const unshown = [...graph.nodes.keys()].find((id) => !read.ids.includes(id));
  expect((await worker.read(bob, 'branch:get', { root: unshown })).nodes).toHaveLength(1);
  await graph.remove([]);
});

/**
 * In: email, owner (user id), ids. Out: nothing. Makes nodes of the owner, each granted to the
 * e-mail, with its feed.
 */
const GRANT_MANY = `
MATCH (p:Principal {email: $email})
UNWIND $ids AS id
CREATE (n:Node {id: id, ownerId: $owner, inTrash: false})
CREATE (p)-[:GRANT {
  key: n.id + '|' + $email, nodeId: n.id, email: $email, ownerId: $owner, branch: false, level: 3, showing: true, version: 1
}]->(n)
CREATE (f:Feed {id: 'node:' + n.id, ownerId: $owner, seq: 0, epoch: 1, grants: 1, public: false})
CREATE (n)-[:IN {feed: f.id, id: n.id}]->(f)`;

const TAKE_MANY = `
UNWIND $ids AS id
MATCH (n:Node {id: id}), (f:Feed {id: 'node:' + id})
DETACH DELETE n, f`;

test('[ACL10 ACL11] a reader with more grants than reads inspect still reads pages, and every node by its id', async () => {
  const bob = await makeUser(database, 'bob');
  const graph = sowGraph(database);
  const [root, below] = [graph.node(ann), graph.node(ann)];
  graph.link(below, root);
  graph.grant(root, bob.email, 1, { branch: true });
  await graph.save();
  const granted = Array.from({ length: 6 }, () => ({
    owner: newId(0),
    ids: Array.from({ length: 1_700 }, () => newId(0)),
  }));
  for (const each of granted) await database.write(GRANT_MANY, { email: bob.email, ...each });
  expect((await worker.feeds(bob)).truncated).toBe(true);
  expect(await worker.read(bob, 'trash:page', {})).toMatchObject({ truncated: true });
  const all = await worker.read(bob, 'history:page', { scopeType: 'GRAPH', scopeId: bob.id });
  expect(all).toMatchObject({ truncated: true });
  // The check skips the last nodes of each owner.
  for (const id of [below, granted[0]?.ids.at(-1)]) {
    expect(await worker.ask(bob, 'node:access:list', { id })).toMatchObject({ ok: true });
    expect(await worker.ask(bob, 'history:page', { scopeType: 'NODE', scopeId: id })).toMatchObject({ ok: true });
  }
  expect((await worker.read(bob, 'branch:get', { root: below })).nodes).toHaveLength(1);
  expect((await worker.read(bob, 'node:why', { id: below })).access).toMatchObject([{ by: 'branch', root }]);
  for (const { ids } of granted) await database.write(TAKE_MANY, { ids });
  await graph.remove([]);
}, 120_000);

/** A database that records locked users and entities. */
function watchLocks(): { readonly watched: Database; readonly users: Set<unknown>; readonly emails: Set<unknown> } {
  const [users, emails] = [new Set<unknown>(), new Set<unknown>()];
  const watched: Database = {
    ...database,
    begin(timeoutMs) {
      const transaction = database.begin(timeoutMs);
      return {
        ...transaction,
        async run(cypher, parameters, name) {
          const rows = await transaction.run(cypher, parameters, name);
          if (name === 'LOCK_OWNERS') for (const { id } of rows) users.add(id);
          if (name === 'LOCK_PRINCIPALS') for (const { email } of rows) emails.add(email);
          return rows;
        },
      };
    },
  };
  return { watched, users, emails };
}

test('[ACL9 EVT1] a link between two branches locks the readers of both, and no readers of only one', async () => {
  const crowd = await Promise.all(Array.from({ length: 12 }, () => makeUser(database, 'reader')));
  const graph = sowGraph(database);
  const [here, there] = [graph.node(ann), graph.node(cy)];
  const reads = (readers: readonly ActingUser[], id: string) => {
    for (const { email } of readers) graph.grant(id, email, 2);
  };
  const both = crowd[0] as ActingUser;
  reads(crowd.slice(0, 6), here);
  reads([both, ...crowd.slice(6)], there);
  // Of e-mails without a user, too, only possible readers of both are locked.
  for (const id of [here, there]) graph.grant(id, `nobody-${here}@example.com`, 3);
  graph.grant(here, `other-${here}@example.com`, 3);
  await graph.save();
  const { watched, users, emails } = watchLocks();
  const watching = startTestWorker(watched);
  await watching.run(both, 'link:add', { source: here, target: there, type: 1 });
  expect([...users].sort()).toEqual([ann, cy, both].map(({ id }) => id).sort());
  expect([...emails]).toEqual([`nobody-${here}@example.com`]);
  const told = watching.slices.filter(({ diff }) => (diff.links as object[]).length > 0).map(({ feed }) => feed);
  expect(told).toContain(`user:${both.id}`);
  expect(told.filter((feed) => crowd.slice(1).some(({ id }) => feed === `user:${id}`))).toEqual([]);
  await graph.remove(crowd);
});
