// Pages that are full by their bytes before they are by their count: they end early, and the next
// goes on. Rules: GEN11, EVT2, EVT3, TRS2.
import type { Database } from '@taskgraph/graph-store/driver/database';
import type { ActingUser } from '@taskgraph/wire/actor';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeUser, openTestDatabase, startTestWorker, type TestWorker } from '../test/support/harness.ts';
import { answerWhole, idsOf, type PageBody, pagesOf, SECRET } from '../test/support/whole-reads.ts';
import { createPageBudget } from './page-budget.ts';

/** A small page, which is quick to fill. */
const PAGE_BYTES = 64 * 1024;
/** The size of an answer without its entities: heads, a position, a cursor. */
const FRAME_BYTES = 4 * 1024;
/** Each of these characters takes six bytes in JSON. */
const ESCAPED = '\u0001';
/** Some 12 KB. */
const HEAVY = ESCAPED.repeat(2_000);
/** More than a whole page. */
const HUGE = ESCAPED.repeat(15_000);
const [CHILDREN, LONG] = [24, 30];

let database: Database;
let worker: TestWorker;
let ann: ActingUser;
let bob: ActingUser;
let root: string;
let token: string;
/** All of Ann's nodes and links, each by id. */
let nodes: string[];
let links: string[];
/** Of before there was anything. */
const since = new Map<ActingUser, unknown>();

beforeAll(async () => {
  database = await openTestDatabase();
  worker = startTestWorker(database, { pageBytes: PAGE_BYTES });
  [ann, bob] = [await makeUser(database, 'ann'), await makeUser(database, 'bob')];
  for (const user of [ann, bob]) since.set(user, (await worker.feeds(user)).position);
  root = (await worker.run(ann, 'node:add', { title: 'root', description: HUGE })).nodes[0]?.after.id as string;
  const made = await Promise.all(
    Array.from({ length: CHILDREN }, (_, index) => {
      // One of them is larger than a page, and some are small.
      const description = index === 9 ? HUGE : index % 3 === 0 ? '' : HEAVY;
      const tags = index % 3 === 1 ? [ESCAPED.repeat(100)] : [];
      return worker.run(ann, 'node:add', { target: root, description, tags });
    }),
  );
  nodes = [root, ...made.map((diff) => diff.nodes.find(({ op }) => op === 0)?.after.id as string)].sort();
  links = made.map((diff) => diff.links[0]?.after.id as string).sort();
  await worker.run(ann, 'node:access', { id: root, email: bob.email });
  token = (await worker.run(ann, 'node:publish', { id: root })).nodes[0]?.after.publicToken as string;
});
afterAll(() => database.close());

async function ask(actor: ActingUser | null, event: string, payload: object): Promise<PageBody> {
  const reply = await worker.ask(actor, event, payload);
  if (!reply.ok) throw new Error(`${event} was refused: ${JSON.stringify(reply)}`);
  return reply.body as unknown as PageBody;
}

/** All pages of a walk. `next` returns the request after a page. */
async function walk(
  actor: ActingUser | null,
  event: string,
  payload: object,
  next: (page: PageBody, seen: number) => object,
): Promise<PageBody[]> {
  const pages: PageBody[] = [];
  let seen = 0;
  for (let more: object | null = {}; more !== null; ) {
    const page: PageBody = await ask(actor, event, { ...payload, ...more });
    pages.push(page);
    seen += page.nodes.length + page.links.length;
    more = page.hasMore ? next(page, seen) : null;
  }
  return pages;
}

/** No page is longer than it may be, unless a single entity is. */
function expectBounded(pages: readonly PageBody[]): void {
  expect(pages.length).toBeGreaterThan(1);
  for (const page of pages) {
    if (page.nodes.length + page.links.length === 1) continue;
    expect(Buffer.byteLength(JSON.stringify(page))).toBeLessThan(PAGE_BYTES + FRAME_BYTES);
  }
}

const byNext = ({ next }: PageBody) => ({ after: next });
const byOffset = (_: PageBody, seen: number) => ({ offset: seen });

test.each([
  ['graph:get', 'the owner', byNext],
  ['graph:get', 'the owner', byOffset],
  ['graph:get', 'a guest', byNext],
  ['graph:get', 'a guest', byOffset],
  ['branch:get', 'the owner', byNext],
  ['branch:get', 'a guest', byOffset],
  ['branch:get', 'anybody', byNext],
] as const)(
  '[GEN11 EVT3] %s by %s: pages end early, and the next continues without gaps and duplicates',
  async (event, who, next) => {
    const actor = who === 'the owner' ? ann : who === 'a guest' ? bob : null;
    const payload = event === 'graph:get' ? {} : { root: who === 'anybody' ? token : root };
    const pages = await walk(actor, event, payload, next);
    expectBounded(pages);
    expect(idsOf(pages.flatMap((page) => page.nodes))).toEqual(nodes);
    expect(idsOf(pages.flatMap((page) => page.links))).toEqual(links);
    // A batch that is larger than a page fills one alone.
    const alone = pages.filter((page) => page.nodes.some(({ description }) => description === HUGE));
    expect(alone.map((page) => page.nodes.length)).toEqual([1, 1]);
  },
);

test('[GEN11 EVT3] the count still limits pages', async () => {
  const pages = await walk(ann, 'graph:get', { limit: 3 }, byNext);
  expectBounded(pages);
  expect(Math.max(...pages.map((page) => page.nodes.length + page.links.length))).toBe(3);
  expect(idsOf(pages.flatMap((page) => [...page.nodes, ...page.links]))).toEqual([...nodes, ...links]);
});

test('[GEN11] a walk fetches at most about twice the maximum of a page', async () => {
  let characters = 0;
  const counting: Database = {
    ...database,
    async read(cypher, parameters) {
      const rows = await database.read(cypher, parameters);
      characters += JSON.stringify(rows).length;
      return rows;
    },
  };
  const message = { event: 'graph:get', payload: { limit: 5_000 }, actor: ann, deadline: Date.now() + 60_000 };
  const environment = { database: counting, secret: SECRET, nowMs: Date.now, pages: pagesOf(PAGE_BYTES) };
  const reply = await answerWhole({ ...message, traceId: 'test' }, environment);
  expect(reply).toMatchObject({ ok: true, body: { hasMore: true } });
  expect(characters).toBeLessThan(6 * 2 * PAGE_BYTES);
  expect(characters).toBeLessThan(JSON.stringify(await ask(ann, 'graph:get', {})).length + 6 * PAGE_BYTES);
});

test.each(['the owner', 'a guest'])('[GEN11 EVT2] changes:get by %s: pages end early too', async (who) => {
  const actor = who === 'the owner' ? ann : bob;
  const pages = await walk(actor, 'changes:get', { since: since.get(actor) }, ({ next }) => ({ cursor: next }));
  expectBounded(pages);
  expect(idsOf(pages.flatMap((page) => page.nodes))).toEqual(nodes);
  expect(idsOf(pages.flatMap((page) => page.links)).sort()).toEqual(links);
  expect(new Set(pages.map(({ position }) => position)).size).toBe(1);
});

test('[GEN11 TRS2] the trash: an offset continues after the number of returned entries', async () => {
  const [carl, trashed] = [await makeUser(database, 'carl'), [] as string[]];
  for (let count = 0; count < LONG; count++) {
    const made = await worker.run(carl, 'node:add', { title: ESCAPED.repeat(500), description: HEAVY });
    const id = made.nodes[0]?.after.id as string;
    await worker.run(carl, 'node:trash', { id });
    trashed.unshift(id);
  }
  const pages = await walk(carl, 'trash:page', {}, byOffset);
  expectBounded(pages);
  expect(idsOf(pages.flatMap((page) => page.nodes)).sort()).toEqual(trashed.sort());
});

interface Batch {
  readonly batchId: string;
  readonly truncated?: true;
  readonly ops: readonly { readonly id: number; readonly entityId: string }[];
}

async function historyOf(actor: ActingUser, payload: object): Promise<{ batches: Batch[]; hasMore: boolean }> {
  return (await ask(actor, 'history:page', payload)) as never;
}

test('[GEN11 HIS7] history: an offset continues after the number of returned batches', async () => {
  const [dora, batches] = [await makeUser(database, 'dora'), [] as unknown[]];
  const id = (await worker.run(dora, 'node:add', {})).nodes[0]?.after.id as string;
  for (let count = 0; count < LONG; count++) {
    batches.unshift((await worker.run(dora, 'node:update', { id, description: HEAVY + count })).batchId);
  }
  const found: string[] = [];
  let pages = 0;
  for (let hasMore = true; hasMore; pages++) {
    const page = await historyOf(dora, { scopeType: 'NODE', scopeId: id, offset: found.length });
    expect(Buffer.byteLength(JSON.stringify(page))).toBeLessThan(PAGE_BYTES + FRAME_BYTES);
    found.push(...page.batches.map(({ batchId }) => batchId));
    hasMore = page.hasMore;
  }
  expect(pages).toBeGreaterThan(LONG / 4);
  expect(found.slice(0, -1)).toEqual(batches);
});

test('[GEN11 HIS7] history: a batch longer than a page is returned alone, shortened and marked', async () => {
  const { batchId } = await worker.run(ann, 'node:trash', { id: root });
  const page = await historyOf(ann, { limit: 1 });
  expect(page.batches).toMatchObject([{ batchId }]);
  expect(page.batches[0]).not.toHaveProperty('truncated');
  await worker.run(ann, 'node:restore', { id: root });
  const small = pagesOf(8 * 1024);
  const message = {
    event: 'history:page',
    payload: { limit: 1, offset: 1 },
    actor: ann,
    deadline: Date.now() + 60_000,
  };
  const reply = await answerWhole(
    { ...message, traceId: 'test' },
    { database, secret: SECRET, nowMs: Date.now, pages: small },
  );
  const [cut] = (reply as unknown as { body: { batches: Batch[] } }).body.batches;
  expect(cut).toMatchObject({ batchId, truncated: true });
  expect(cut?.ops.map(({ id }) => id)).toEqual(cut?.ops.map((_, index) => index + 1));
  expect(cut?.ops).toEqual(page.batches[0]?.ops.slice(0, cut?.ops.length));
  expect(Buffer.byteLength(JSON.stringify(cut))).toBeLessThan(8 * 1024);
});

test('[GEN11] pages are no longer than the caller’s connection allows', async () => {
  const message = { event: 'graph:get', payload: {}, actor: ann, deadline: Date.now() + 60_000, traceId: 'test' };
  const environment = { database, secret: SECRET, nowMs: Date.now, pages: pagesOf() };
  const whole = await answerWhole(message, environment);
  expect(whole).toMatchObject({ ok: true, body: { hasMore: false } });
  const shorter = await answerWhole({ ...message, pageBytes: PAGE_BYTES }, environment);
  expect(shorter).toMatchObject({ ok: true, body: { hasMore: true } });
  expect(JSON.stringify(whole).length).toBeGreaterThan(4 * PAGE_BYTES);
});

test('[GEN11] without memory for a page, a read is unavailable and reserves nothing', async () => {
  const pages = createPageBudget({ pageBytes: PAGE_BYTES, budgetBytes: 1, waitMs: 20 });
  const putBack = await pages.take();
  const message = { event: 'graph:get', payload: {}, actor: ann, deadline: Date.now() + 60_000, traceId: 'test' };
  const environment = { database, secret: SECRET, nowMs: Date.now, pages };
  expect(await answerWhole(message, environment)).toMatchObject({ ok: false, error: 'unavailable' });
  putBack?.();
  let sent = () => {};
  const answered = new Promise<void>((resolve) => {
    sent = resolve;
  });
  expect(await answerWhole(message, environment, answered)).toMatchObject({ ok: true });
  // Until it was sent, an answer is held.
  expect(pages.takenBytes()).toBe(3 * PAGE_BYTES);
  sent();
  await answered;
  expect(pages.takenBytes()).toBe(0);
});
