// The server's cost of pages: it reads a text to measure it, so it must not measure nodes past the
// budget. Rule: GEN11.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Database } from '../driver/database.ts';
import { openTestDatabase, profiled } from '../test/support/database.ts';
import { loadBatches } from './history/history-batches.ts';
import { readNodesWithFeeds } from './nodes-with-feeds.ts';
import { ownScope } from './own-scope.ts';
import { createByteBudget } from './page-byte-limit.ts';

const OWNER = 'owner of heavy nodes';
const COUNT = 80;
const CHARACTERS = 5_000;
const ids = Array.from({ length: COUNT }, (_, index) => `heavy ${String(index).padStart(3, '0')}`);
/** Fifteen nodes of two-byte characters, whose size a page has to estimate. */
const PAGE_BYTES = 15 * (2 * CHARACTERS + 700);
const BATCH_CHARACTERS = 100_000;

let database: Database;
beforeAll(async () => {
  database = await openTestDatabase();
  const node = "ownerId: $owner, inTrash: false, title: '', description: $text, tags: [], assignee: []";
  const text = 'é'.repeat(CHARACTERS);
  await database.write(`UNWIND $ids AS id CREATE (:Node {id: id, ${node}})`, { ids, owner: OWNER, text });
  const changes = JSON.stringify(['x'.repeat(BATCH_CHARACTERS)]);
  const batches = 'UNWIND $ids AS id CREATE (:Batch {id: id, key: id, actorId: $owner, changes: $changes})';
  await database.write(batches, { ids, owner: OWNER, changes });
});
afterAll(async () => {
  await database.write('MATCH (n:Node {ownerId: $owner}) DELETE n', { owner: OWNER });
  await database.write('MATCH (b:Batch {actorId: $owner}) DELETE b', { owner: OWNER });
  await database.close();
});

/** The cost of each skipped node (index, id and state) and of each returned one. */
const [PASSED_HITS, GIVEN_HITS] = [8, 60];

test.each([
  ['by the index', (on: Database, budget = createByteBudget(PAGE_BYTES)) => ownScope(on, OWNER).nodes(WINDOW, budget)],
  ['by ids', (on: Database, budget = createByteBudget(PAGE_BYTES)) => readNodesWithFeeds(on, ids, budget)],
] as const)('[GEN11] a page of nodes %s measures only a few more nodes than it returns', async (_how, read) => {
  const { database: on, counts } = profiled(database);
  const { nodes, consumed } = await read(on);
  expect([nodes.map(({ node }) => node.id), consumed]).toEqual([ids.slice(0, 15), 15]);
  expect(counts.statements).toBeLessThanOrEqual(4);
  expect(counts.characters).toBeLessThan(20 * CHARACTERS + counts.statements * COUNT * 100);
  expect(counts.hits).toBeLessThan(counts.statements * COUNT * PASSED_HITS + 20 * GIVEN_HITS);
});

const WINDOW = { after: '', skip: 0, limit: 1_000 };

test('[GEN11 HIS7] history reads at most one chunk of changes more than it inspects', async () => {
  const { database: on, counts } = profiled(database);
  for await (const portion of loadBatches(on, ids, async () => undefined)) {
    expect(portion.map(({ batch }) => batch.id)).toEqual(ids.slice(0, 20));
    break;
  }
  expect(counts.statements).toBe(1);
  expect(counts.hits).toBeLessThan(COUNT * PASSED_HITS + 20 * GIVEN_HITS);
  const all: string[] = [];
  for await (const portion of loadBatches(database, ids, async () => undefined))
    all.push(...portion.map(({ batch }) => batch.id));
  expect(all).toEqual(ids);
});
