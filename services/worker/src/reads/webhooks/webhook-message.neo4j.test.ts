// The contents of webhooks' messages, against a real Neo4j: events, ranges, access and resets.
import { countStatements } from '@taskgraph/graph-store/driver/counted-statements';
import { deleteOldEntries } from '@taskgraph/graph-store/maintenance/old-history';
import { findReplayStart } from '@taskgraph/graph-store/webhooks/replay-start';
import type { ActingUser } from '@taskgraph/wire/actor';
import { type WebhookContent, webhookContent } from '@taskgraph/wire/bus/gateway-reads';
import { Level, Status } from '@taskgraph/wire/codes';
import { branchFeed, userFeed } from '@taskgraph/wire/feeds';
import { WEBHOOK_BODIES, type WebhookBody } from '@taskgraph/wire/webhooks/webhook-bodies';
import { MOST_BATCHES_OF_MESSAGE, WEBHOOK_MESSAGE_BYTES } from '@taskgraph/wire/webhooks/webhook-fields';
import { expect, test } from 'vitest';
import { makeUser, newId, startTestWorker, type TestWorker } from '../../test/support/harness.ts';
import { eachWorkScene, type WorkScene } from '../../test/support/scenes.ts';
import { answerWhole, pagesOf, SECRET } from '../../test/support/whole-reads.ts';
import { signPosition } from '../position.ts';

let { database, worker, ada, bob, addNode, addLink, share } = {} as WorkScene;
eachWorkScene((scene) => {
  ({ database, worker, ada, bob, addNode, addLink, share } = scene);
});

const HOOK = newId(0);

interface Request {
  readonly from: string;
  readonly to?: string | null;
  readonly root?: string;
  readonly events?: readonly string[];
  readonly where?: object;
}

async function position(actor: ActingUser): Promise<string> {
  return (await worker.feeds(actor)).position;
}

async function message(
  actor: ActingUser,
  { from, to = null, root, events = [], where }: Request,
): Promise<WebhookContent> {
  const conditions = where === undefined ? null : JSON.stringify(where);
  const payload = { hook: HOOK, root: root ?? null, events, where: conditions, from, to };
  const { checkedMs, ...found } = webhookContent.parse(await worker.read(actor, 'webhook:message', payload));
  expect(checkedMs).toBeGreaterThanOrEqual(0);
  if (found.content !== null) {
    const body = { ...found.content, timestamp: new Date().toISOString() };
    expect(Buffer.byteLength(JSON.stringify(body))).toBeLessThanOrEqual(WEBHOOK_MESSAGE_BYTES);
    WEBHOOK_BODIES[found.content.type].parse(body);
  }
  return found;
}

const withoutTime = ({ checkedMs: _, ...found }: WebhookContent) => found;

type Data = WebhookBody<'graph.changed'>['data'];
const dataOf = ({ content }: WebhookContent) => content?.data as unknown as Data;
const told = (found: WebhookContent) =>
  found.content === null ? [] : dataOf(found).events.map(({ type, id }) => `${type} ${id}`);

test('[HOOK4 HOOK5 HOOK6] tells all changes in order, each with its batch, up to the present position', async () => {
  const from = await position(ada);
  expect(await message(ada, { from })).toEqual({ to: from, hasMore: false, content: null });
  const one = await addNode({ title: 'one' });
  const two = await addNode({ title: 'two' });
  const link = await addLink(one, two);
  await worker.run(ada, 'node:update', { id: one, title: 'new' });
  await worker.run(ada, 'node:update', { id: one, status: Status.COMPLETED });
  await worker.run(ada, 'link:trash', { id: link });
  const found = await message(ada, { from });
  expect(told(found)).toEqual([
    `node.added ${one}`,
    `node.added ${two}`,
    `link.added ${link}`,
    `node.blocked ${two}`,
    `node.changed ${one}`,
    `node.completed ${one}`,
    `node.unblocked ${two}`,
    `link.trashed ${link}`,
  ]);
  const { events, feeds, batches, hook } = dataOf(found);
  expect({ hook, feeds }).toEqual({ hook: HOOK, feeds: { [userFeed(ada.id)]: [0, 6] } });
  expect(batches).toHaveLength(6);
  expect(new Set(batches.map(({ actor }) => actor.email))).toEqual(new Set([ada.email]));
  expect(events.map(({ batchId }) => batches.findIndex((batch) => batch.batchId === batchId))).toEqual([
    0, 1, 2, 2, 3, 4, 4, 5,
  ]);
  expect(events[4]).toMatchObject({ before: { title: 'one', version: 1 }, after: { title: 'new', version: 2 } });
  expect(events[0]).toMatchObject({ before: null, after: { title: 'one' } });
  expect(found.to).toBe(await position(ada));
  expect(await message(ada, { from: found.to })).toMatchObject({ hasMore: false, content: null });
});

test('[HOOK2 HOOK5] tells a reader of a branch what its feed tells, once, and no more of it', async () => {
  const root = await addNode({ title: 'root' });
  await share(root, { level: Level.EDITOR });
  const [from, hidden] = [await position(bob), await addNode({ title: 'hidden' })];
  const child = await addNode({ target: root, title: 'child' });
  await worker.run(ada, 'node:publish', { id: child });
  // It touches the feeds of both.
  await worker.run(bob, 'node:update', { id: child, title: 'from bob' });
  await worker.run(ada, 'node:update', { id: hidden, title: 'still hidden' });
  const found = await message(bob, { from });
  const nodes = told(found).filter((line) => line.startsWith('node'));
  expect(nodes).toEqual([
    `node.added ${child}`,
    `node.blocked ${root}`,
    `node.changed ${child}`,
    `node.changed ${child}`,
  ]);
  expect(JSON.stringify(found)).not.toContain('hidden');
  expect(JSON.stringify(found)).not.toContain('publicToken');
  expect(Object.keys(dataOf(found).feeds)).toEqual([branchFeed(root)]);
});

test('[HOOK2 HOOK7] messages that are built at the same time share statements, and each tells what its user sees', async () => {
  const [root, hidden] = [await addNode(), await addNode()];
  const cy = await makeUser(database, 'cy');
  await Promise.all([share(root), share(root, {}, cy), share(hidden, {}, cy)]);
  let statements = 0;
  const counted = startTestWorker(countStatements(database, () => statements++));
  const readers = [ada, bob, cy];
  const froms = await Promise.all(readers.map(position));
  const child = await addNode({ target: root, title: 'child' });
  await worker.run(ada, 'node:update', { id: hidden, title: 'hidden from bob' });
  await worker.run(ada, 'node:update', { id: child, title: 'for all' });
  const readAll = (ask: TestWorker) =>
    Promise.all(
      readers.map((reader, index) => {
        const payload = { hook: HOOK, root: null, events: [], where: null, from: froms[index], to: null };
        return ask.read(reader, 'webhook:message', payload);
      }),
    );
  const first = (await readAll(counted)) as unknown as WebhookContent[];
  statements = 0;
  const again = (await readAll(counted)) as unknown as WebhookContent[];
  const [, forBob, forCy] = again;
  // Each of them reads heads, grants, nodes, links and the last check, and no entries and batches.
  expect(statements).toBeLessThanOrEqual(15);
  const alone = await Promise.all(readers.map((reader, index) => message(reader, { from: froms[index] as string })));
  expect(again.map(withoutTime)).toEqual(alone);
  expect(first.map(withoutTime)).toEqual(alone);
  expect(told(forBob as WebhookContent)).toContain(`node.changed ${child}`);
  expect(JSON.stringify(forBob)).not.toContain(hidden);
  expect(JSON.stringify(forCy)).toContain('hidden from bob');
  // What the worker has cached tells nothing of it after the end of the access.
  await worker.run(ada, 'node:access:delete', { id: root, email: bob.email });
  const [, later] = (await readAll(counted)) as unknown as WebhookContent[];
  expect(told(later as WebhookContent)).toEqual([`access.lost ${root}`]);
  expect(JSON.stringify(later)).not.toContain('for all');
});

test('[HOOK2] a message with many feeds reads no more statements than one with a few', async () => {
  const roots: string[] = [];
  for (let count = 0; count < 12; count++) roots.push(await addNode({ title: `root ${count}` }));
  for (const id of roots) await share(id);
  const counts = new Map<number, number>();
  for (const feeds of [1, 8, 12]) {
    const from = await position(bob);
    for (const id of roots.slice(0, feeds)) await worker.run(ada, 'node:update', { id, title: `new ${feeds}` });
    let statements = 0;
    // A worker that has cached nothing.
    const counted = startTestWorker(countStatements(database, () => statements++));
    const payload = { hook: HOOK, root: null, events: [], where: null, from, to: null };
    const found = webhookContent.parse(await counted.read(bob, 'webhook:message', payload));
    expect(told(found)).toEqual(roots.slice(0, feeds).map((id) => `node.changed ${id}`));
    counts.set(feeds, statements);
  }
  expect(counts.get(8)).toBe(counts.get(1));
  // With more feeds, the first entries are read before the others, and entries are not cached.
  expect(counts.get(12)).toBeLessThanOrEqual((counts.get(1) ?? 0) + 3);
});

test('[HOOK7] the age of a content has the time for which the read waited for its turn before it', async () => {
  const from = await position(ada);
  await addNode();
  const payload = { hook: HOOK, root: null, events: [], where: null, from, to: null };
  const asked = { event: 'webhook:message', payload, actor: ada, deadline: Date.now() + 60_000, traceId: 'test' };
  const environment = { database, secret: SECRET, nowMs: Date.now, pages: pagesOf(undefined) };
  const reply = await answerWhole(asked, { ...environment, receivedAt: performance.now() - 5_000 });
  expect(reply).toMatchObject({ ok: true, body: { content: { type: 'graph.changed' } } });
  // So its access was checked that long after the receipt, and not before.
  expect(reply.ok && reply.body.checkedMs).toBeGreaterThanOrEqual(5_000);
});

test('[HOOK2 HOOK5] tells what joins and leaves a branch', async () => {
  const root = await addNode();
  await share(root);
  const node = await addNode({ title: 'moved' });
  const from = await position(bob);
  const link = await addLink(node, root);
  const joined = await message(bob, { from });
  expect(told(joined)).toContain(`node.joined ${node}`);
  await worker.run(ada, 'link:trash', { id: link });
  const left = await message(bob, { from: joined.to });
  expect(told(left)).toContain(`node.left ${node}`);
});

test('[HOOK7] a later attempt tells the same range, and less after access is lost', async () => {
  const root = await addNode();
  await share(root);
  const from = await position(bob);
  await worker.run(ada, 'node:update', { id: root, title: 'secret' });
  const first = await message(bob, { from });
  await worker.run(ada, 'node:update', { id: root, title: 'later' });
  expect(await message(bob, { from, to: first.to })).toEqual({ ...first, hasMore: true });
  await worker.run(ada, 'node:access:delete', { id: root, email: bob.email });
  const again = await message(bob, { from, to: first.to });
  expect(again).toMatchObject({ to: first.to, hasMore: true, content: null });
  const next = await message(bob, { from: first.to });
  expect(told(next)).toEqual([`access.lost ${root}`]);
  expect(JSON.stringify(next)).not.toContain('later');
});

test('[HOOK2 HOOK5] tells a gain of access, and nothing of a time without access', async () => {
  const root = await addNode();
  const from = await position(bob);
  await share(root);
  const gained = await message(bob, { from });
  expect(dataOf(gained).events).toMatchObject([
    { type: 'access.gained', id: root, feed: branchFeed(root), before: null, after: { level: Level.VIEWER } },
  ]);
  await worker.run(ada, 'node:access:delete', { id: root, email: bob.email });
  await share(root, {}, await makeUser(database, 'cy'));
  await worker.run(ada, 'node:update', { id: root, title: 'meanwhile' });
  await share(root, { level: Level.EDITOR });
  const again = await message(bob, { from: gained.to });
  expect(told(again)).toEqual([`access.lost ${root}`, `access.gained ${root}`]);
  expect(await message(bob, { from: again.to })).toMatchObject({ hasMore: false, content: null });
});

test('[HOOK6] has at most 250 batches, and then the following ones', async () => {
  const node = await addNode();
  const from = await position(ada);
  const update = (payload: object) => worker.run(ada, 'node:update', { id: node, ...payload });
  await update({ status: Status.COMPLETED });
  const titles = Array.from({ length: MOST_BATCHES_OF_MESSAGE }, (_, index) => `title ${index}`);
  await Promise.all(titles.map((title) => update({ title })));
  await update({ status: Status.AVAILABLE });
  // All of them would be too long for one message. Without an event, a range has as many as possible.
  const nothing = await message(ada, { from, events: ['node.reopened'] });
  expect(nothing).toMatchObject({ content: null, hasMore: true });
  const last = await message(ada, { from: nothing.to, events: ['node.reopened'] });
  expect([told(last), last.hasMore]).toEqual([[`node.reopened ${node}`], false]);
  const [[start]] = Object.values(dataOf(last).feeds) as [[number, number]];
  const events = ['node.completed', 'node.reopened'];
  const first = await message(ada, { from, events });
  expect([told(first), first.hasMore]).toEqual([[`node.completed ${node}`], true]);
  const [[since, head]] = Object.values(dataOf(first).feeds) as [[number, number]];
  expect(start - since).toBe(MOST_BATCHES_OF_MESSAGE);
  // A later attempt might have to include all batches.
  expect(head).toBeGreaterThan(since + 150);
  expect(head).toBeLessThan(start);
  const second = await message(ada, { from: first.to, events });
  expect([told(second), second.hasMore]).toEqual([[`node.reopened ${node}`], false]);
  const versions: unknown[] = [];
  for (let [next, hasMore] = [from, true]; hasMore; ) {
    const found = await message(ada, { from: next });
    versions.push(...dataOf(found).events.map(({ after }) => after?.version));
    [next, hasMore] = [found.to, found.hasMore];
  }
  expect(versions).toEqual(Array.from({ length: MOST_BATCHES_OF_MESSAGE + 2 }, (_, index) => index + 2));
});

test('[HOOK6 HOOK7] an attempt for which all changes of its range are new fits into a message', async () => {
  const user = { ...(await makeUser(database, 'e'.repeat(200))), username: 'ü'.repeat(100) };
  const [root, outside] = [await addNode({}, user), await addNode({}, user)];
  const inside = await addNode({ target: root }, user);
  const from = await position(user);
  const update = (id: string, title: string) => worker.run(user, 'node:update', { id, title });
  await update(inside, 'inside');
  const titles = Array.from({ length: MOST_BATCHES_OF_MESSAGE - 1 }, (_, index) => `title ${index}`);
  await Promise.all(titles.map((title) => update(outside, title)));
  const whole = await position(user);
  const branch = { root, events: ['node.changed'] };
  const first = await message(user, { from, ...branch });
  expect([told(first), first.hasMore]).toEqual([[`node.changed ${inside}`], true]);
  const [[since, head]] = Object.values(dataOf(first).feeds) as [[number, number]];
  await addLink(outside, root, {}, user);
  const again = await message(user, { from, to: first.to, ...branch });
  expect(again.to).toBe(first.to);
  expect(told(again)).toHaveLength(head - since);
  expect(dataOf(again)).not.toHaveProperty('truncated');
  expect(dataOf(again).batches.every(({ actor }) => actor.username === user.username)).toBe(true);
  // A range that an earlier release has fixed may be too long.
  const long = await message(user, { from, to: whole, ...branch });
  expect(dataOf(long)).toMatchObject({ thin: true, truncated: true });
  expect(long.to).toBe(whole);
  expect(told(long).length).toBeGreaterThan(head - since - 10);
});

test('[HOOK6] is shortened to whole batches, and a batch that is too long goes alone with ids only', async () => {
  const long = 'x'.repeat(20_000);
  const from = await position(ada);
  for (let count = 0; count < 4; count++) await addNode({ description: long });
  const first = await message(ada, { from });
  expect(first).toMatchObject({ hasMore: true, content: { type: 'graph.changed' } });
  expect(dataOf(first).batches).toHaveLength(3);
  expect(dataOf(first)).not.toHaveProperty('thin');
  const second = await message(ada, { from: first.to });
  expect(dataOf(second).batches).toHaveLength(1);
  const operations = Array.from({ length: 5 }, () => ({ event: 'node:add', payload: { description: long } }));
  const { nodes } = await worker.run(ada, 'batch:run', { operations });
  await addNode();
  const thin = await message(ada, { from: second.to });
  expect(thin.hasMore).toBe(true);
  expect(dataOf(thin).thin).toBe(true);
  expect(told(thin)).toEqual(nodes.map(({ after }) => `node.added ${after.id}`));
  expect(dataOf(thin).events[0]).not.toHaveProperty('after');
  expect(dataOf(await message(ada, { from, to: first.to }))).toEqual(dataOf(first));
});

test('[HOOK5] filters by type, by branch and by conditions', async () => {
  const root = await addNode({ title: 'root' });
  const from = await position(ada);
  const inside = await addNode({ target: root, tags: ['x'] });
  const outside = await addNode({ tags: ['x'] });
  await worker.run(ada, 'node:update', { id: inside, tags: [] });
  await worker.run(ada, 'node:update', { id: outside, title: 'new' });
  const types = await message(ada, { from, events: ['node.added'] });
  expect(told(types)).toEqual([`node.added ${inside}`, `node.added ${outside}`]);
  const branch = await message(ada, { from, root, events: ['node.*'] });
  expect(told(branch)).toEqual([`node.added ${inside}`, `node.blocked ${root}`, `node.changed ${inside}`]);
  const where = await message(ada, { from, where: { tag: ['x'] }, events: ['node.*'] });
  expect(told(where)).toEqual([
    `node.added ${inside}`,
    `node.added ${outside}`,
    `node.left ${inside}`,
    `node.changed ${outside}`,
  ]);
  const nothing = await message(ada, { from, events: ['node.deleted'] });
  expect(nothing).toMatchObject({ hasMore: false, content: null, to: branch.to });
});

test('[HOOK2] a branch whose root is not visible has no events', async () => {
  const root = await addNode();
  const from = await position(bob);
  await addNode({}, bob);
  expect(await message(bob, { from, root })).toMatchObject({ content: null });
});

test('[HOOK8] is a reset where the position or the history is lost', async () => {
  await addNode();
  const from = await position(ada);
  await addNode();
  const reset = { content: { type: 'graph.reset', data: { hook: HOOK } }, to: await position(ada) };
  expect(await message(ada, { from: 'unreadable' })).toMatchObject(reset);
  expect(await message(ada, { from: await position(bob) })).toMatchObject(reset);
  await deleteOldEntries(database, userFeed(ada.id), new Date(Date.now() + 1_000).toISOString());
  const found = await message(ada, { from });
  expect(found).toMatchObject(reset);
  // The attempts after it tell the same.
  expect(await message(ada, { from, to: found.to })).toMatchObject(reset);
  await addNode();
  expect(await message(ada, { from: found.to })).toMatchObject({ content: { type: 'graph.changed' } });
});

test('[HOOK6 ACL4] a grant whose level or end changes hides no change of its branch', async () => {
  const root = await addNode();
  await share(root, { level: Level.EDITOR });
  const from = await position(bob);
  const update = (payload: object) => worker.run(ada, 'node:access:update', { id: root, email: bob.email, ...payload });
  await worker.run(ada, 'node:update', { id: root, title: 'one' });
  await update({ level: Level.VIEWER });
  await worker.run(ada, 'node:update', { id: root, title: 'two' });
  await update({ due: '2099-01-01T00:00:00.000Z' });
  await worker.run(ada, 'node:update', { id: root, title: 'three' });
  expect(told(await message(bob, { from }))).toEqual([
    `node.changed ${root}`,
    `access.level ${root}`,
    `node.changed ${root}`,
    `node.changed ${root}`,
  ]);
});

/** Changes of a node that only others see, and then a grant to bob, after many changes of his own. */
async function lateGrant() {
  const [root, cy] = [await addNode(), await makeUser(database, 'cy')];
  await share(root, {}, cy);
  const own = await addNode({}, bob);
  const since = new Date().toISOString();
  const from = await position(bob);
  const gone = await addNode({ target: root });
  await worker.run(ada, 'node:trash', { id: gone });
  const changes = Array.from({ length: 270 }, (_, index) => ({ id: own, title: `title ${index}` }));
  await Promise.all(changes.map((change) => worker.run(bob, 'node:update', change)));
  await share(root);
  await worker.run(ada, 'node:update', { id: root, title: 'visible' });
  return { root, from, since, gone };
}

test('[HOOK2 HOOK12] nothing of a feed from before its gain is told, even if the gain comes messages later', async () => {
  const { root, from, gone } = await lateGrant();
  const feed = branchFeed(root);
  // As if an earlier replay had moved the position before the gain.
  const own = userFeed(bob.id);
  const heads = JSON.parse(Buffer.from(from.split('.')[0] as string, 'base64url').toString()) as {
    feeds: Record<string, number>;
  };
  const position = signPosition(SECRET, bob.id, { [own]: heads.feeds[own] as number, [feed]: 0 });
  const messages: WebhookContent[] = [];
  for (let [next, hasMore] = [position, true]; hasMore; ) {
    const found = await message(bob, { from: next, events: ['access.level', 'node.*', 'link.*'] });
    messages.push(found);
    [next, hasMore] = [found.to, found.hasMore];
  }
  expect(messages.length).toBeGreaterThan(1);
  const lines = messages.flatMap(told);
  expect(lines.filter((line) => line.includes(gone))).toEqual([]);
  expect(lines.at(-1)).toBe(`access.gained ${root}`);
  expect(messages.slice(0, -1).every((found) => dataOf(found).feeds[feed] === undefined)).toBe(true);
  await worker.run(ada, 'node:update', { id: root, title: 'later' });
  expect(told(await message(bob, { from: messages.at(-1)?.to as string }))).toEqual([`node.changed ${root}`]);
});

test('[HOOK2 HOOK12] a replay starts a shared feed in the past only if its user had it all the time', async () => {
  const { root, since } = await lateGrant();
  const feeds = (await worker.feeds(bob)).feeds;
  const headOf = (feed: string) => feeds.find((one) => one.feed === feed)?.seq as number;
  const late = await findReplayStart(database, feeds, since);
  expect(late).toMatchObject({ isCut: true, heads: { [branchFeed(root)]: headOf(branchFeed(root)) } });
  expect(late.heads[userFeed(bob.id)]).toBeLessThan(headOf(userFeed(bob.id)));
  const now = new Date().toISOString();
  await worker.run(ada, 'node:update', { id: root, title: 'since then' });
  const after = await findReplayStart(database, (await worker.feeds(bob)).feeds, now);
  expect(after).toMatchObject({ isCut: false, heads: { [branchFeed(root)]: headOf(branchFeed(root)) } });
});

test('[HOOK5 HOOK6] a filter also considers the last events of a very large batch', async () => {
  const [root, branch] = [await addNode(), await addNode()];
  await share(root);
  for (let round = 0; round < 3; round++) {
    const operations = Array.from({ length: 400 }, () => ({ event: 'node:add', payload: { target: branch } }));
    await worker.run(ada, 'batch:run', { operations });
  }
  const from = await position(bob);
  await addLink(branch, root);
  const found = await message(bob, { from, events: ['link.joined'] });
  expect(dataOf(found)).toMatchObject({ thin: true, truncated: true });
  expect(told(found).length).toBeGreaterThan(200);
  expect(told(found).every((line) => line.startsWith('link.joined'))).toBe(true);
});

test('[HOOK6] the changes of more feeds than one message names arrive in order', async () => {
  const nodes = await Promise.all(Array.from({ length: 230 }, () => addNode()));
  await Promise.all(nodes.map((id) => share(id, { branch: false })));
  const from = await position(bob);
  const order: string[] = [];
  for (const id of nodes) {
    await worker.run(ada, 'node:update', { id, title: 'changed' });
    order.push(`node.changed ${id}`);
  }
  const lines: string[] = [];
  for (let [next, hasMore] = [from, true]; hasMore; ) {
    const found = await message(bob, { from: next });
    lines.push(...told(found));
    [next, hasMore] = [found.to, found.hasMore];
  }
  expect(lines).toEqual(order);
});
