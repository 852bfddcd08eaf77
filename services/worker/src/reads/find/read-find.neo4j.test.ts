// Searches against a real Neo4j: their hits, the order of the hits, and the effect of changes.
import type { Database } from '@taskgraph/graph-store/driver/database';
import type { ActingUser } from '@taskgraph/wire/actor';
import { Level, LinkType } from '@taskgraph/wire/codes';
import { expect, test } from 'vitest';
import type { TestWorker } from '../../test/support/harness.ts';
import { newId } from '../../test/support/harness.ts';
import { eachWorkScene, type WorkScene } from '../../test/support/scenes.ts';
import { answerWhole, pagesOf, SECRET } from '../../test/support/whole-reads.ts';
import { createNodeIndexes } from './node-indexes.ts';

let database: Database;
let worker: TestWorker;
let [ada, bob]: ActingUser[] = [];
let { addNode, addLink, share } = {} as WorkScene;
eachWorkScene((scene) => {
  ({ database, worker, addNode, addLink, share } = scene);
  [ada, bob] = [scene.ada, scene.bob];
});

interface FindBody {
  readonly nodes: readonly { readonly id: string; readonly title: string; readonly [field: string]: unknown }[];
  readonly hasMore: boolean;
  readonly next: string | null;
  readonly truncated?: true;
}

const find = async (payload: object, actor = ada) =>
  (await worker.read(actor as ActingUser, 'node:find', payload)) as unknown as FindBody;
const titles = async (payload: object, actor = ada) => (await find(payload, actor)).nodes.map(({ title }) => title);
const refusal = async (payload: object, actor = ada) => {
  const reply = await worker.ask(actor as ActingUser, 'node:find', payload);
  return reply.ok ? '' : reply.error;
};
const update = (id: string, fields: object) => worker.run(ada as ActingUser, 'node:update', { id, ...fields });

test('[FIND4 FIND5] words match in the title first, then in tags, then in the description', async () => {
  await addNode({ title: 'other', description: 'ships on Monday' });
  await addNode({ title: 'tagged', tags: ['shipping'] });
  await addNode({ title: 'Ship it' });
  await addNode({ title: 'Gemüse für İstanbul' });
  await addNode({ title: 'unrelated' });
  expect(await titles({ text: 'ship' })).toEqual(['Ship it', 'tagged', 'other']);
  expect(await titles({ text: 'GEMUSE istanbul' })).toEqual(['Gemüse für İstanbul']);
  expect(await titles({ text: 'hip' })).toEqual([]);
});

test('[FIND6] later searches consider changed, added, removed, trashed and restored nodes', async () => {
  const [first, second] = [await addNode({ title: 'one' }), await addNode({ title: 'two' })];
  const all = { sort: 'title' };
  expect(await titles(all)).toEqual(['one', 'two']);
  await update(first, { title: 'three' });
  await addNode({ title: 'four' });
  expect(await titles(all)).toEqual(['four', 'three', 'two']);
  await worker.run(ada as ActingUser, 'node:trash', { id: second });
  expect(await titles(all)).toEqual(['four', 'three']);
  await worker.run(ada as ActingUser, 'node:restore', { id: second });
  expect(await titles(all)).toEqual(['four', 'three', 'two']);
});

test('[FIND1 FIND6 ACL7] a reader finds nodes that are shared with them, by their level, until the grant ends', async () => {
  const [root, other] = [await addNode({ title: 'root' }), await addNode({ title: 'other' })];
  await addNode({ title: 'child', target: root });
  expect(await titles({ sort: 'title' }, bob)).toEqual([]);
  await share(root, { level: Level.EDITOR });
  expect(await titles({ sort: 'title' }, bob)).toEqual(['child', 'root']);
  expect(await titles({ where: { level: [Level.EDITOR] }, sort: 'title' }, bob)).toEqual(['child', 'root']);
  expect(await titles({ where: { level: [Level.VIEWER] } }, bob)).toEqual([]);
  await share(root, { level: Level.VIEWER });
  expect(await titles({ where: { level: [Level.VIEWER] }, sort: 'title' }, bob)).toEqual(['child', 'root']);
  await addLink(other, root);
  expect(await titles({ sort: 'title' }, bob)).toEqual(['child', 'other', 'root']);
  await worker.run(ada as ActingUser, 'node:access:delete', { id: root, email: (bob as ActingUser).email });
  expect(await titles({ sort: 'title' }, bob)).toEqual([]);
});

test('[FIND1 GEN7 ACL6] a branch is searched by its root, even by a reader who hides the grant', async () => {
  const [root, beside] = [await addNode({ title: 'root' }), await addNode({ title: 'beside' })];
  await addNode({ title: 'child', target: root });
  expect(await titles({ root, sort: 'title' })).toEqual(['child', 'root']);
  expect([await refusal({ root }, bob), await refusal({ root: newId(0) }, bob)]).toEqual(['forbidden', 'not_found']);
  await share(root);
  await worker.run(bob as ActingUser, 'node:showing', { id: root, showing: false });
  expect(await titles({}, bob)).toEqual([]);
  expect(await titles({ root, sort: 'title' }, bob)).toEqual(['child', 'root']);
  expect(await titles({ root, where: { leaf: true } }, bob)).toEqual(['child']);
  expect(await refusal({ root: beside }, bob)).toBe('forbidden');
});

test('[FIND2 LNK9] conditions on links see only links and nodes that the reader sees', async () => {
  const [goal, step, hidden, alone] = [
    await addNode({ title: 'goal' }),
    await addNode({ title: 'step' }),
    await addNode({ title: 'hidden' }),
    await addNode({ title: 'alone' }),
  ];
  for (const id of [goal, step, alone]) await share(id, { branch: false });
  await addLink(step, goal);
  await addLink(hidden, step);
  await addLink(hidden, alone, { type: LinkType.SECONDARY });
  const sort = 'title';
  expect(await titles({ where: { blocks: goal }, sort })).toEqual(['step']);
  expect(await titles({ where: { waitsFor: hidden }, sort })).toEqual(['step']);
  expect(await titles({ where: { leaf: true }, sort })).toEqual(['alone', 'hidden']);
  expect(await titles({ where: { top: true }, sort })).toEqual(['alone', 'goal']);
  expect(await titles({ where: { unlinked: true }, sort })).toEqual([]);
  expect(await titles({ where: { waitsFor: hidden }, sort }, bob)).toEqual([]);
  expect(await titles({ where: { leaf: true }, sort }, bob)).toEqual(['alone', 'step']);
  expect(await titles({ where: { unlinked: true }, sort }, bob)).toEqual(['alone']);
  expect(await titles({ where: { any: [{ unlinked: true }, { blocks: goal }] }, sort }, bob)).toEqual([
    'alone',
    'step',
  ]);
});

test('[FIND2] nodes are found by the ends of their ids and by their whole titles', async () => {
  const id = await addNode({ title: 'Café' });
  await addNode({ title: 'Café opens' });
  const end = id.slice(-6);
  expect(await titles({ where: { id: [end] } })).toEqual(['Café']);
  expect(await titles({ where: { id: [id.replaceAll('-', '')] } })).toEqual(['Café']);
  expect(await titles({ where: { title: ['cafe', 'none'] } })).toEqual(['Café']);
  expect(await titles({ where: { any: [{ id: ['00000000'] }, { title: ['CAFÉ OPENS'] }] } })).toEqual(['Café opens']);
  expect(await titles({ where: { id: [end] } }, bob)).toEqual([]);
  for (const wrong of ['abc', 'ABCD', id]) expect(await refusal({ where: { id: [wrong] } })).toContain('invalid_where');
});

test('[FIND3] missing values come last in both directions, and titles follow the language', async () => {
  for (const title of ['äpple', 'zebra', 'Apple', 'banana']) await addNode({ title });
  const due = await addNode({ title: 'due', dueDate: '2026-12-24' });
  const later = await addNode({ title: 'later', dueDate: '2026-12-25' });
  const byDue = async (order: string) => (await find({ sort: 'due', order })).nodes.slice(0, 2).map(({ id }) => id);
  expect([await byDue('asc'), await byDue('desc')]).toEqual([
    [due, later],
    [later, due],
  ]);
  expect(await titles({ sort: 'title' })).toEqual(['Apple', 'äpple', 'banana', 'due', 'later', 'zebra']);
  expect(await titles({ sort: 'title', locale: 'sv' })).toEqual(['Apple', 'banana', 'due', 'later', 'zebra', 'äpple']);
  expect(await titles({ where: { due: { from: '2026-12-25', to: '2026-12-25' } } })).toEqual(['later']);
});

test('[FIND3] pages are those of one search, and a cursor belongs to its user and its search', async () => {
  for (let index = 0; index < 7; index++) await addNode({ title: `t${index}` });
  const search = { sort: 'title', order: 'desc', limit: 3 };
  const first = await find(search);
  expect([first.nodes.map(({ title }) => title), first.hasMore]).toEqual([['t6', 't5', 't4'], true]);
  // Renaming a node behind the walk must not make the walk miss another node.
  await update(first.nodes[0]?.id as string, { title: 't60' });
  const second = await find({ ...search, after: first.next });
  const third = await find({ ...search, limit: 50, after: second.next });
  expect([...second.nodes, ...third.nodes].map(({ title }) => title)).toEqual(['t3', 't2', 't1', 't0']);
  expect([third.hasMore, third.next, 'truncated' in third]).toEqual([false, null, false]);
  const after = first.next;
  const wrong = 'bad_request.invalid_after';
  expect(await refusal({ ...search, after }, bob)).toBe(wrong);
  for (const other of [{ sort: 'edited' }, { order: 'asc' }, { text: 't' }, { where: { ready: true } }]) {
    expect(await refusal({ ...search, ...other, after })).toBe(wrong);
  }
  expect(await refusal({ ...search, after: `x${after}` })).toBe(wrong);
});

test('[FIND2 GEN4] conditions that are unknown, malformed or too many are refused', async () => {
  const ready = { ready: true };
  const sixteen = { any: Array.from({ length: 8 }, () => ({ ...ready, blocked: false })) };
  expect(await refusal({ where: sixteen })).toBe('');
  for (const where of [
    { ...sixteen, overdue: true },
    { any: Array.from({ length: 9 }, () => ready) },
    { any: [{ any: [ready] }] },
    { unknown: 1 },
    { status: 1 },
    { status: [4] },
    { due: 'some' },
    { due: { to: 'tomorrow' } },
    { tag: Array.from({ length: 65 }, () => 'a') },
  ]) {
    expect([where, await refusal({ where })]).toEqual([where, 'bad_request.invalid_where']);
  }
  expect(await refusal({ text: 'a b c d e f g h i j' })).toBe('');
  expect(await refusal({ text: 'a b c d e f g h i j k' })).toBe('bad_request.invalid_text');
  expect(await refusal({ locale: 'no_such locale' })).toBe('bad_request.invalid_locale');
});

test('[FIND3 GEN11 NGET3] a page of few fields is full, however long the descriptions are', async () => {
  const description = '漢'.repeat(20_000);
  const ids: string[] = [];
  // Each has 60 KB, so the bytes of a page would be used up by nine of them.
  for (let count = 0; count < 12; count++) ids.push(await addNode({ title: 'Long', description, tags: ['long'] }));
  const search = { where: { tag: ['long'] }, sort: 'created', order: 'desc', limit: 100 };
  const pageOf = async (payload: object) => {
    const environment = { database, secret: SECRET, nowMs: Date.now, pages: pagesOf(512 * 1024) };
    const fixed = { actor: ada as ActingUser, deadline: Number.MAX_SAFE_INTEGER, traceId: 'test' };
    const reply = await answerWhole({ event: 'node:find', payload: { ...search, ...payload }, ...fixed }, environment);
    if (!reply.ok) throw new Error(JSON.stringify(reply));
    return reply.body as unknown as FindBody;
  };
  const few = await pageOf({ fields: ['title', 'tags'] });
  expect([few.next, few.nodes.map(({ id }) => id).sort()]).toEqual([null, ids.toSorted()]);
  expect(Object.keys(few.nodes[0] ?? {}).sort()).toEqual(['id', 'tags', 'title', 'version']);
  const whole = await pageOf({});
  expect([whole.hasMore, whole.nodes[0]?.description]).toEqual([true, description]);
  expect((await pageOf({ fields: ['description'] })).hasMore).toBe(true);
  // A search for words judges descriptions again.
  expect((await pageOf({ text: '漢', fields: ['title'] })).nodes[0]).toMatchObject({ title: 'Long' });
});

test('[FIND7] a call whose time is up returns its hits so far, and the next continues with the other nodes', async () => {
  const reader = ada as ActingUser;
  const now = new Date().toISOString();
  const ids = Array.from({ length: 2_500 }, () => newId(0));
  await database.write(
    `MATCH (owner:User {id: $owner}) SET owner.rev = owner.rev + 1
     WITH owner UNWIND $ids AS id
     CREATE (:Node {id: id, ownerId: $owner, inTrash: false, title: id, description: '', status: 0, openBlockers: 0,
       type: 0, tags: [], priority: 0, independent: false, volume: 0, version: 1, assignee: [], publicBranch: false,
       x: 0.0, y: 0.0, z: 0.0, pinned: false, collapsed: false, createdTime: $now, lastEditedTime: $now})`,
    { ids, owner: reader.id, now },
  );
  let nowMs = Date.now();
  // Each reading of the clock exceeds the time of a call.
  const environment = {
    database,
    secret: SECRET,
    nowMs: () => (nowMs += 10_000),
    pages: pagesOf(),
    nodeIndexes: createNodeIndexes(100_000_000),
  };
  const ask = async (after: string | null) => {
    const payload = { limit: 400, sort: 'title', ...(after === null ? {} : { after }) };
    const message = { event: 'node:find', payload, actor: reader, deadline: Number.MAX_SAFE_INTEGER, traceId: 'test' };
    const reply = await answerWhole(message, environment);
    if (!reply.ok) throw new Error(JSON.stringify(reply));
    return reply.body as unknown as FindBody;
  };
  const pages = [await ask(null)];
  for (let page = pages[0]; page?.next; page = pages.at(-1)) pages.push(await ask(page.next));
  expect(pages[0]).toMatchObject({ hasMore: true, truncated: true });
  expect(pages.at(-1)).not.toHaveProperty('truncated');
  const found = pages.flatMap(({ nodes }) => nodes.map(({ id }) => id));
  expect(found).toHaveLength(ids.length);
  expect(new Set(found)).toEqual(new Set(ids));
});
