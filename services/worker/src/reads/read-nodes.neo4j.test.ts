// Nodes by their ids, as their readers get them.
import type { Database } from '@taskgraph/graph-store/driver/database';
import type { ActingUser } from '@taskgraph/wire/actor';
import { Level } from '@taskgraph/wire/codes';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { makeUser, openTestDatabase, startTestWorker, type TestWorker } from '../test/support/harness.ts';

const UNKNOWN = '01890000-0000-7123-8000-000000000002';

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
afterAll(() => database.close());

interface Body {
  readonly nodes: readonly { readonly id: string; readonly [field: string]: unknown }[];
  readonly links?: readonly { readonly id: string }[];
  readonly missing: readonly { readonly id: string; readonly error: string }[];
  readonly truncated?: true;
  readonly unread?: readonly string[];
}

async function add(user: ActingUser, payload: object): Promise<{ id: string; link: string }> {
  const { nodes, links } = await worker.run(user, 'node:add', payload);
  const added = (entries: typeof nodes | typeof links) => entries.find(({ before }) => !('id' in before))?.after.id;
  return { id: added(nodes) as string, link: added(links) as string };
}
const get = async (user: ActingUser, payload: object) =>
  (await worker.read(user, 'node:get', payload)) as unknown as Body;
const refused = (user: ActingUser, payload: object) => worker.ask(user, 'node:get', payload);
const share = (id: string, { email }: ActingUser, more: object = {}) =>
  worker.run(ann, 'node:access', { id, email, level: Level.VIEWER, ...more });
const idsOf = (entities: Body['links'] | Body['nodes']) => entities?.map(({ id }) => id);

test('[NGET1] nodes are returned in the order of the call, each once and as in a page of the graph', async () => {
  const root = await add(ann, { title: 'root', tags: ['a'] });
  const child = await add(ann, { target: root.id });
  const graph = (await worker.read(ann, 'graph:get', {})) as unknown as Body & { position: string };
  const { nodes, missing, ...rest } = await get(ann, { ids: [child.id, root.id, child.id] });
  expect(idsOf(nodes)).toEqual([child.id, root.id]);
  expect(nodes).toEqual(idsOf(nodes)?.map((id) => graph.nodes.find((node) => node.id === id)));
  expect([missing, 'links' in rest]).toEqual([[], false]);
  expect(rest).toMatchObject({ feeds: { [`user:${ann.id}`]: 2 }, position: graph.position });
});

test('[NGET1 LNK9] the links on the nodes are those whose other ends the reader sees', async () => {
  const root = await add(ann, {});
  const [seen, hidden, beside] = [await add(ann, {}), await add(ann, {}), await add(ann, {})];
  const link = async (source: string, target: string, more: object = {}) =>
    (await worker.run(ann, 'link:add', { source, target, ...more })).links[0]?.after.id as string;
  const toSeen = await link(root.id, seen.id);
  const relation = await link(seen.id, beside.id, { type: 1 });
  await link(root.id, hidden.id);
  await link(beside.id, root.id, { private: true, type: 1 });
  for (const { id } of [root, seen, beside]) await share(id, bob);
  expect(idsOf((await get(bob, { id: root.id, links: true })).links)).toEqual([toSeen]);
  const both = await get(bob, { ids: [root.id, seen.id], links: true });
  expect(idsOf(both.links)).toEqual([toSeen, relation].sort());
  expect((await get(ann, { id: root.id, links: true })).links).toHaveLength(3);
});

test('[NGET1 ACL6] a link whose other end becomes visible again by a hidden grant is in the next answer', async () => {
  const [root, below, own] = [await add(ann, {}), await add(ann, {}), await add(bob, {})];
  const hang = () => worker.run(ann, 'link:add', { source: below.id, target: root.id });
  const hung = (await hang()).links[0]?.after.id as string;
  await share(root.id, bob, { branch: true });
  await worker.run(bob, 'node:showing', { id: root.id, showing: false });
  const link = (await worker.run(bob, 'link:add', { source: own.id, target: below.id })).links[0]?.after.id;
  const linksOfOwn = async () => idsOf((await get(bob, { id: own.id, links: true })).links);
  expect(await linksOfOwn()).toEqual([link]);
  await worker.run(ann, 'link:trash', { id: hung });
  for (let time = 0; time < 3; time++) expect(await linksOfOwn()).toEqual([]);
  await worker.run(ann, 'link:restore', { id: hung });
  expect(await linksOfOwn()).toEqual([link]);
});

test('[NGET1] an answer contains at most 1,000 links, and is then marked as truncated', async () => {
  const root = await add(ann, {});
  for (let batch = 0; batch < 3; batch++) {
    const operations = Array.from({ length: 334 }, () => ({ event: 'node:add', payload: { target: root.id } }));
    await worker.run(ann, 'batch:run', { operations });
  }
  const { links, truncated } = await get(ann, { id: root.id, links: true });
  expect([links?.length, truncated]).toEqual([1_000, true]);
});

test('[NGET2 GEN7] an invisible single id is refused; of several, the invisible ones are missing', async () => {
  const root = await add(ann, {});
  expect(await refused(bob, { id: root.id })).toMatchObject({ ok: false, error: 'forbidden' });
  expect(await refused(bob, { id: UNKNOWN })).toMatchObject({ ok: false, error: 'not_found' });
  const own = await add(bob, {});
  const { nodes, missing } = await get(bob, { ids: [root.id, own.id, UNKNOWN] });
  expect(idsOf(nodes)).toEqual([own.id]);
  expect(missing).toEqual([
    { id: root.id, error: 'forbidden' },
    { id: UNKNOWN, error: 'not_found' },
  ]);
});

test('[NGET2 TRS2] a trashed node is shown, as in the trash, to readers who may restore it', async () => {
  const root = await add(ann, {});
  const child = await add(ann, { target: root.id, title: 'child', description: 'long' });
  await share(root.id, bob, { branch: true, level: Level.EDITOR });
  await share(child.id, await makeUser(database, 'cy'));
  await worker.run(ann, 'node:trash', { id: child.id });
  const [node] = (await get(bob, { id: child.id })).nodes;
  const trash = (await worker.read(bob, 'trash:page', {})) as unknown as Body;
  expect(node).toEqual(trash.nodes.find(({ id }) => id === child.id));
  expect(node).toMatchObject({ title: 'child', inTrash: true });
  expect(node).not.toHaveProperty('description');
  await worker.run(ann, 'node:access:update', { id: root.id, email: bob.email, level: Level.VIEWER });
  expect(await refused(bob, { id: child.id })).toMatchObject({ error: 'forbidden' });
});

test('[NGET2] a viewer of a trashed node gets not found', async () => {
  const root = await add(ann, {});
  await share(root.id, bob);
  await worker.run(ann, 'node:trash', { id: root.id });
  expect(await refused(bob, { id: root.id })).toMatchObject({ error: 'not_found' });
});

test('[NGET2] a node that becomes visible, or is deleted, changes the next answer', async () => {
  const [one, other] = [await add(ann, {}), await add(ann, {})];
  await share(one.id, bob);
  const ids = [one.id, other.id];
  expect(idsOf((await get(bob, { ids })).nodes)).toEqual([one.id]);
  await share(other.id, bob);
  expect(idsOf((await get(bob, { ids })).nodes)).toEqual(ids);
  await worker.run(ann, 'node:trash', { id: one.id });
  expect((await get(ann, { ids })).nodes).toMatchObject([{ inTrash: true }, { inTrash: false }]);
  await worker.run(ann, 'node:delete', { id: one.id });
  expect((await get(ann, { ids })).missing).toEqual([{ id: one.id, error: 'not_found' }]);
});

test('[NGET1 GEN11] titles of nodes in the trash count too', async () => {
  const small = startTestWorker(database, { pageBytes: 8_000 });
  const trashed = [];
  for (let index = 0; index < 4; index++) trashed.push(await add(ann, { title: '\u0001'.repeat(500) }));
  const ids = trashed.map(({ id }) => id);
  for (const id of ids) await worker.run(ann, 'node:trash', { id });
  const { nodes, unread, missing } = (await small.read(ann, 'node:get', { ids })) as unknown as Body;
  expect([idsOf(nodes), unread, missing]).toEqual([ids.slice(0, 2), ids.slice(2), []]);
});

test('[NGET1 GEN11] nodes that do not fit into the answer are named as unread', async () => {
  const small = startTestWorker(database, { pageBytes: 30_000 });
  const made = [];
  for (let index = 0; index < 4; index++) made.push(await add(ann, { description: 'x'.repeat(12_000) }));
  const ids = made.map(({ id }) => id);
  const first = (await small.read(ann, 'node:get', { ids })) as unknown as Body;
  expect([idsOf(first.nodes), first.unread, first.missing]).toEqual([ids.slice(0, 2), ids.slice(2), []]);
  const second = (await small.read(ann, 'node:get', { ids: first.unread })) as unknown as Body;
  expect([idsOf(second.nodes), 'unread' in second]).toEqual([ids.slice(2), false]);
});
