// The contents of webhooks' messages about due dates, against a real Neo4j, with a clock that tests set.
import { integer } from '@taskgraph/graph-store/driver/codec';
import type { Database } from '@taskgraph/graph-store/driver/database';
import type { ActingUser } from '@taskgraph/wire/actor';
import {
  type DuePosition,
  type DueSearchResult,
  dueSearchResult,
  type WebhookDueContent,
  webhookDueContent,
} from '@taskgraph/wire/bus/gateway-reads';
import { Level, Op, Status } from '@taskgraph/wire/codes';
import type { WireNode } from '@taskgraph/wire/entities';
import { WEBHOOK_BODIES, type WebhookBody } from '@taskgraph/wire/webhooks/webhook-bodies';
import { MOST_DUE_OF_MESSAGE, WEBHOOK_MESSAGE_BYTES } from '@taskgraph/wire/webhooks/webhook-fields';
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { makeUser, newId, openTestDatabase, startTestWorker, type TestWorker } from '../../test/support/harness.ts';
import { createDueHistory } from './due-history.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const HOOK = newId(0);

let database: Database;
let worker: TestWorker;
let ada: ActingUser;
let bob: ActingUser;
/** Of the worker's clock, which stands still in some tests. */
let aheadMs: number;
let clockMs: () => number;
let from: DuePosition;
beforeAll(async () => {
  database = await openTestDatabase();
  worker = startTestWorker(database, { nowMs: () => clockMs() + aheadMs, horizon: async () => inMs(aheadMs) });
});
beforeEach(async () => {
  [aheadMs, clockMs] = [0, Date.now];
  [ada, bob] = [await makeUser(database, 'ada'), await makeUser(database, 'bob')];
  from = { time: inMs(0), id: '' };
});
afterAll(() => database.close());

const inMs = (ms: number) => new Date(clockMs() + ms).toISOString();

async function add(payload: object = {}, actor = ada): Promise<string> {
  const { nodes } = await worker.run(actor, 'node:add', payload);
  return nodes.find(({ op }) => op === Op.NODE_ADD)?.after.id as string;
}
const share = (id: string, payload: object = {}) =>
  worker.run(ada, 'node:access', { id, email: bob.email, ...payload });

interface Request {
  readonly from?: DuePosition;
  readonly root?: string;
  readonly where?: object;
}

/** A message with the nodes that its search has found. */
interface FoundMessage extends Pick<DueSearchResult, 'to' | 'nodes' | 'state' | 'next'>, WebhookDueContent {
  /** How many reads the search took. */
  readonly reads: number;
}

const filterOf = ({ root, where }: Request) => ({
  hook: HOOK,
  root: root ?? null,
  where: where === undefined ? null : JSON.stringify(where),
});

/** The content of a message about these nodes. */
async function attempt(
  actor: ActingUser,
  nodes: readonly DuePosition[],
  request: Request = {},
): Promise<WebhookDueContent> {
  const payload = { ...filterOf(request), nodes };
  const found = webhookDueContent.parse(await worker.read(actor, 'webhook:due', payload));
  if (found.content !== null) {
    const body = { ...found.content, timestamp: new Date().toISOString() };
    expect(Buffer.byteLength(JSON.stringify(body))).toBeLessThanOrEqual(WEBHOOK_MESSAGE_BYTES);
    WEBHOOK_BODIES['graph.due'].parse(body);
  }
  return found;
}

/** The next message, as jobs build it. */
async function ask(actor: ActingUser, request: Request = {}): Promise<FoundMessage> {
  const nodes: DuePosition[] = [];
  let progress: { from: DuePosition; until: string | null; bytes: number } = {
    from: request.from ?? from,
    until: null,
    bytes: 0,
  };
  for (let reads = 1; ; reads++) {
    const payload = { ...filterOf(request), ...progress, count: nodes.length };
    const found = dueSearchResult.parse(await worker.read(actor, 'webhook:due-search', payload));
    nodes.push(...found.nodes);
    const { to, until, bytes, state, next } = found;
    if (state !== 'continued') return { to, nodes, state, next, reads, ...(await attempt(actor, nodes, request)) };
    progress = { from: to, until, bytes };
  }
}

/** The messages until nothing is left. */
async function askAll(actor: ActingUser): Promise<FoundMessage[]> {
  const messages: FoundMessage[] = [];
  for (let next = from; messages.length < 30; next = messages.at(-1)?.to as DuePosition) {
    const found = await ask(actor, { from: next });
    if (found.nodes.length > 0) messages.push(found);
    if (found.state === 'ended') break;
  }
  return messages;
}

type Data = WebhookBody<'graph.due'>['data'];
const dataOf = ({ content }: WebhookDueContent) => content?.data as unknown as Data;
const toldIn = (found: WebhookDueContent) => (found.content === null ? [] : dataOf(found).events.map(({ id }) => id));
const told = async (actor: ActingUser, request: Request = {}) => toldIn(await ask(actor, request));

test('[HOOK5] an open node is reported once, after its due date has passed, with its fields but the description', async () => {
  const dueMs = Math.ceil(clockMs() / MINUTE_MS) * MINUTE_MS + HOUR_MS;
  const dueDate = new Date(dueMs).toISOString();
  const id = await add({ title: 'Rent', description: 'long', dueDate });
  const before = await ask(ada);
  expect(before).toMatchObject({ state: 'ended', next: dueDate, content: null });
  clockMs = () => dueMs;
  expect(await told(ada)).toEqual([]);
  aheadMs = 1;
  const found = await ask(ada, { from: before.to });
  expect(dataOf(found)).toMatchObject({
    events: [{ type: 'node.due', id, after: { title: 'Rent', dueDate, status: Status.AVAILABLE } }],
  });
  expect(dataOf(found).events[0]?.after).not.toHaveProperty('description');
  expect(await ask(ada, { from: found.to })).toMatchObject({ state: 'ended', content: null });
});

test('[HOOK2 HOOK5] a search ends with a window of due dates, whenever it begins', async () => {
  const minuteMs = Math.ceil(clockMs() / MINUTE_MS) * MINUTE_MS + HOUR_MS;
  const first = await add({ dueDate: new Date(minuteMs).toISOString() });
  const second = await add({ dueDate: new Date(minuteMs + 1).toISOString() });
  for (const ms of [1, 30_000, MINUTE_MS]) {
    clockMs = () => minuteMs + ms;
    expect(await told(ada)).toEqual([first]);
  }
  clockMs = () => minuteMs + MINUTE_MS + 1;
  expect(await told(ada)).toEqual([first, second]);
});

test('[HOOK5] a completed, trashed or undated node is not reported, nor one whose date was moved away', async () => {
  const dueDate = inMs(HOUR_MS);
  const [completed, trashed, moved, undated] = await Promise.all([1, 2, 3, 4].map(() => add({ dueDate })));
  await worker.run(ada, 'node:update', { id: completed, status: Status.COMPLETED });
  await worker.run(ada, 'node:trash', { id: trashed });
  await worker.run(ada, 'node:update', { id: moved, dueDate: inMs(3 * HOUR_MS) });
  await worker.run(ada, 'node:update', { id: undated, dueDate: null });
  aheadMs = 2 * HOUR_MS;
  const found = await ask(ada);
  expect(toldIn(found)).toEqual([]);
  aheadMs = 4 * HOUR_MS;
  expect(await told(ada, { from: found.to })).toEqual([moved]);
});

test('[HOOK5] a date that is set into the past, and a node that was closed when it passed, is not reported', async () => {
  const dueDate = inMs(HOUR_MS);
  const [late, closed, postponed, inTrash, edited] = await Promise.all([
    add({ dueDate: inMs(3 * HOUR_MS) }),
    add({ dueDate }),
    add({ dueDate }),
    add({ dueDate }),
    add({ dueDate }),
  ]);
  await worker.run(ada, 'node:update', { id: closed, status: Status.COMPLETED });
  await worker.run(ada, 'node:trash', { id: inTrash });
  aheadMs = 2 * HOUR_MS;
  // The first change of each field since the date tells what it was then.
  await worker.run(ada, 'node:update', { id: late, dueDate });
  await worker.run(ada, 'node:update', { id: closed, status: Status.AVAILABLE });
  await worker.run(ada, 'node:restore', { id: inTrash });
  await worker.run(ada, 'node:update', { id: postponed, dueDate: inMs(5 * HOUR_MS) });
  await worker.run(ada, 'node:update', { id: postponed, dueDate });
  await worker.run(ada, 'node:update', { id: edited, title: 'later', status: Status.COMPLETED });
  await worker.run(ada, 'node:update', { id: edited, status: Status.AVAILABLE });
  await add({ dueDate });
  expect((await told(ada)).sort()).toEqual([postponed, edited].sort());
});

test('[HOOK2 HOOK5] only nodes that the user sees, in the branch and with the conditions of the webhook', async () => {
  const dueDate = inMs(HOUR_MS);
  const root = await add({ title: 'root' });
  const [inside, hidden] = [await add({ target: root, dueDate, tags: ['x'] }), await add({ title: 'hidden', dueDate })];
  const [own, alone] = [await add({ dueDate, tags: ['x'] }, bob), await add({ dueDate })];
  await share(root, { level: Level.EDITOR });
  await share(alone, { branch: false });
  aheadMs = 2 * HOUR_MS;
  const found = await ask(bob);
  expect(toldIn(found).sort()).toEqual([inside, own, alone].sort());
  expect(JSON.stringify(found)).not.toContain(hidden);
  const shown = dataOf(found).events.find(({ id }) => id === inside);
  expect(shown?.after).toMatchObject({ access: Level.EDITOR });
  expect(shown?.after).not.toHaveProperty('publicToken');
  expect(await told(bob, { root })).toEqual([inside]);
  expect((await told(bob, { where: { tag: ['x'] } })).sort()).toEqual([inside, own].sort());
  expect(await told(bob, { root, where: { tag: ['y'] } })).toEqual([]);
  expect(await told(bob, { root: hidden })).toEqual([]);
});

test('[HOOK7] a later attempt of the same range contains less after access is lost, and nothing outside of it', async () => {
  const root = await add();
  await share(root);
  const shared = await add({ target: root, dueDate: inMs(HOUR_MS) });
  const own = await add({ dueDate: inMs(HOUR_MS) }, bob);
  await add({ dueDate: inMs(3 * HOUR_MS) }, bob);
  aheadMs = 2 * HOUR_MS;
  const first = await ask(bob);
  expect(toldIn(first).sort()).toEqual([shared, own].sort());
  aheadMs = 4 * HOUR_MS;
  await worker.run(ada, 'node:access:delete', { id: root, email: bob.email });
  expect(toldIn(await attempt(bob, first.nodes))).toEqual([own]);
  await share(root);
  expect(toldIn(await attempt(bob, first.nodes))).toEqual(toldIn(first));
  await worker.run(ada, 'node:access:delete', { id: root, email: bob.email });
  await worker.run(bob, 'node:update', { id: own, status: Status.COMPLETED });
  expect(await attempt(bob, first.nodes)).toMatchObject({ content: null });
});

test('[HOOK6] nodes with one due date are sent in several messages, each node once', async () => {
  const dueDate = inMs(HOUR_MS);
  const operations = Array.from({ length: 2 * MOST_DUE_OF_MESSAGE + 7 }, () => ({
    event: 'node:add',
    payload: { dueDate },
  }));
  const { nodes } = await worker.run(ada, 'batch:run', { operations });
  aheadMs = 2 * HOUR_MS;
  const messages = await askAll(ada);
  for (const found of messages) expect(toldIn(await attempt(ada, found.nodes))).toEqual(toldIn(found));
  expect(messages).toHaveLength(3);
  expect(Math.max(...messages.map((found) => toldIn(found).length))).toBeLessThanOrEqual(MOST_DUE_OF_MESSAGE);
  expect(messages.flatMap(toldIn)).toEqual(nodes.map(({ after }) => after.id).sort());
});

test('[HOOK6] a message ends before its fields are too long, and a later attempt with longer fields has ids only', async () => {
  const dueDate = inMs(HOUR_MS);
  const tags = Array.from({ length: 20 }, (_, index) => `${index}${'ü'.repeat(40)}`);
  const operations = Array.from({ length: 60 }, () => ({ event: 'node:add', payload: { dueDate, tags } }));
  const { nodes } = await worker.run(ada, 'batch:run', { operations });
  aheadMs = 2 * HOUR_MS;
  const first = await ask(ada);
  expect(toldIn(first).length).toBeGreaterThan(10);
  expect(first.state).toBe('full');
  expect(dataOf(first)).not.toHaveProperty('thin');
  const ids = nodes.map(({ after }) => after.id as string).sort();
  const thin = await attempt(
    ada,
    ids.map((id) => ({ time: dueDate, id })),
  );
  expect(dataOf(thin)).toMatchObject({ thin: true });
  expect(dataOf(thin).events[0]).not.toHaveProperty('after');
  expect(toldIn(thin)).toEqual(ids);
  expect((await askAll(ada)).flatMap(toldIn)).toEqual(ids);
});

test('[HOOK6 HOOK10] the next due date is that of an open node that the user sees, whatever the filter is', async () => {
  const [root, dueDate] = [await add({}, bob), inMs(2 * HOUR_MS)];
  await add({ dueDate: inMs(HOUR_MS) });
  const id = await add({ dueDate }, bob);
  expect(await ask(bob, { root, where: { tag: ['none'] } })).toMatchObject({ next: dueDate, content: null });
  await worker.run(bob, 'node:update', { id, status: Status.COMPLETED });
  const { next } = await ask(bob);
  expect(next === null || next > dueDate).toBe(true);
});

/** Lets nodes of another user be due, one a millisecond from this time on; they end with the test. */
async function withHidden(count: number, firstMs: number): Promise<{ readonly dates: string[] }> {
  const dates = Array.from({ length: count }, (_, index) => new Date(firstMs + index).toISOString());
  await database.write(
    `UNWIND $dates AS date
    CREATE (:Node {id: randomUUID(), dueDate: date, ownerId: 'hidden', inTrash: false, status: $status})`,
    { dates, status: integer(Status.AVAILABLE) },
  );
  onTestFinished(async () => {
    await database.write("MATCH (n:Node) WHERE n.dueDate >= '2000' AND n.ownerId = 'hidden' DETACH DELETE n", {});
  });
  return { dates };
}

test('[HOOK2 HOOK5 HOOK10] due dates of nodes that the user does not see end no message and are no next date', async () => {
  const firstMs = clockMs() + HOUR_MS;
  const [early, late] = [
    await add({ dueDate: new Date(firstMs - 1).toISOString() }, bob),
    await add({ dueDate: new Date(firstMs + 10_000).toISOString() }, bob),
  ];
  const { dates } = await withHidden(2_500, firstMs);
  const before = await ask(bob);
  expect(before.next).toBe(new Date(firstMs - 1).toISOString());
  aheadMs = HOUR_MS + 3 * MINUTE_MS;
  const messages = await askAll(bob);
  expect(messages.map(toldIn)).toEqual([[early, late]]);
  const shown = messages.map(({ content }) => JSON.stringify(content)).join();
  expect(dates.filter((date) => shown.includes(date))).toEqual([]);
  expect(Object.keys(dataOf(messages[0] as FoundMessage)).sort()).toEqual(['events', 'hook']);
  // Before the hidden dates: more of them than are examined, and nothing of this user.
  await worker.run(bob, 'node:update', { id: early, status: Status.COMPLETED });
  await worker.run(bob, 'node:update', { id: late, status: Status.COMPLETED });
  aheadMs = HOUR_MS / 2;
  const { to, next } = await ask(bob);
  expect(next).toBe(to.time);
});

test('[HOOK2 HOOK6] the messages are the same with and without thousands of hidden nodes between their nodes', async () => {
  const firstMs = clockMs() + HOUR_MS;
  const operations = Array.from({ length: MOST_DUE_OF_MESSAGE + 20 }, (_, index) => ({
    event: 'node:add',
    payload: { dueDate: new Date(firstMs + 100 * index).toISOString() },
  }));
  const { nodes } = await worker.run(bob, 'batch:run', { operations });
  aheadMs = HOUR_MS + 3 * MINUTE_MS;
  const without = await askAll(bob);
  expect(without.map(({ reads }) => reads)).toEqual([1, 1]);
  expect(without.flatMap(toldIn)).toEqual(nodes.map(({ after }) => after.id));
  await withHidden(12_000, firstMs);
  const among = await askAll(bob);
  expect(among[0]?.reads).toBeGreaterThan(1);
  const shown = (messages: readonly FoundMessage[]) =>
    messages.map(({ nodes: found, content }) => ({ found, content }));
  expect(shown(among)).toEqual(shown(without));
});

test('[HOOK5] later changes that are too long to be read count as none, and do not hide those of other nodes', async () => {
  const dueDate = inMs(HOUR_MS);
  const [long, short] = [await add({ dueDate }), await add({ dueDate })];
  for (const id of [long, short]) await worker.run(ada, 'node:update', { id, status: Status.COMPLETED });
  aheadMs = 2 * HOUR_MS;
  for (const id of [long, short]) await worker.run(ada, 'node:update', { id, status: Status.AVAILABLE });
  expect(await told(ada)).toEqual([]);
  const padded = await database.write(
    `MATCH (b:Batch) WHERE b.ts > $dueDate AND b.changes CONTAINS $id
    SET b.changes = b.changes + reduce(text = ' ', _ IN range(1, 22) | text + text) RETURN b.id`,
    { dueDate, id: long },
  );
  expect(padded).toHaveLength(1);
  expect(await told(ada)).toEqual([long]);
});

test('[HOOK5] a read that reaches its number of changes ends before the next node, which a later one decides', async () => {
  const dueDate = inMs(HOUR_MS);
  const closed = await add({ dueDate });
  await worker.run(ada, 'node:update', { id: closed, status: Status.COMPLETED });
  aheadMs = 2 * HOUR_MS;
  await worker.run(ada, 'node:update', { id: closed, status: Status.AVAILABLE });
  const node = { id: closed, dueDate, lastEditedTime: inMs(aheadMs) } as WireNode;
  const busy = Array.from({ length: 10 }, () => ({ ...node, id: newId(0) }));
  const touch = 'UNWIND $ids AS id UNWIND range(1, 50) AS at CREATE (:Touch {entity: id, ts: $ts, batch: id + at})';
  await database.write(touch, { ids: busy.map(({ id }) => id), ts: inMs(aheadMs) });
  const create = () => createDueHistory({ database, acquireLongRead: async () => undefined });
  const [one, other] = [create(), create()];
  const unchanged = { ...node, id: newId(0), lastEditedTime: dueDate };
  expect(await one([...busy, unchanged, node])).toEqual({ decided: 11, due: [...busy, unchanged] });
  expect(await one([node])).toEqual({ decided: 0, due: [] });
  expect(await other([...busy.slice(1), node])).toEqual({ decided: 10, due: busy.slice(1) });
});
