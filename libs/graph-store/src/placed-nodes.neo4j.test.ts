// What a page of nodes costs the server: it reads a text to know how long it is, so that it must not weigh what the page has no room for.
import neo4j from 'neo4j-driver';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestDatabase, testDatabaseOptions } from './database.testing.ts';
import type { Database } from './database.ts';
import { ownScope } from './own-scope.ts';
import { openRoom } from './page-room.ts';
import { readPlacedNodes } from './placed-nodes.ts';

const OWNER = 'owner of heavy nodes';
const NODES = 300;
const CHARACTERS = 5_000;
const ids = Array.from({ length: NODES }, (_, index) => `heavy ${String(index).padStart(3, '0')}`);
/** Fifteen nodes of two-byte characters, of which a page has to guess what they take. */
const PAGE_BYTES = 15 * (2 * CHARACTERS + 700);

let database: Database;
beforeAll(async () => {
  database = await openTestDatabase();
  await database.write(
    `UNWIND $ids AS id CREATE (:Node {id: id, ownerId: $owner, inTrash: false, title: '', description: $text, tags: [], assignee: []})`,
    { ids, owner: OWNER, text: 'é'.repeat(CHARACTERS) },
  );
});
afterAll(async () => {
  await database.write('MATCH (n:Node {ownerId: $owner}) DELETE n', { owner: OWNER });
  await database.close();
});

/** The same database, and how many hits on its store and nodes in full all statements of a read take. */
function counting() {
  const { url, user, password } = testDatabaseOptions();
  const counts = { hits: 0, whole: 0, statements: 0 };
  const counted: Database = {
    ...database,
    async read(cypher, parameters) {
      const driver = neo4j.driver(url, neo4j.auth.basic(user, password));
      const session = driver.session();
      const { summary } = await session.run(`PROFILE ${cypher}`, parameters);
      await driver.close();
      const hitsOf = (plan: { dbHits: number; children: unknown[] }): number =>
        Number(plan.dbHits) + plan.children.reduce((sum: number, each) => sum + hitsOf(each as typeof plan), 0);
      counts.hits += hitsOf(summary.profile as never);
      const rows = await database.read(cypher, parameters);
      counts.whole += rows.filter(({ node }) => node !== null).length;
      counts.statements++;
      return rows;
    },
  };
  return { counted, counts };
}

/** What a node costs that is passed over: the index, its id and state; and one that is given whole besides. */
const [PASSED_HITS, WHOLE_HITS] = [8, 60];

test.each([
  [
    'by the order of the index',
    (on: Database) => ownScope(on, OWNER).nodes({ after: '', skip: 0, limit: 1_000 }, openRoom(PAGE_BYTES)),
  ],
  ['by their ids', (on: Database) => readPlacedNodes(on, ids, openRoom(PAGE_BYTES))],
] as const)('[GEN11] a page of nodes %s weighs no more of them than it gives, but for a few', async (_how, read) => {
  const { counted, counts } = counting();
  const { nodes, passed } = await read(counted);
  expect([nodes.map(({ node }) => node.id), passed]).toEqual([ids.slice(0, 15), 15]);
  expect(counts.whole).toBeLessThanOrEqual(18);
  expect(counts.statements).toBeLessThanOrEqual(4);
  expect(counts.hits).toBeLessThan(counts.statements * NODES * PASSED_HITS + counts.whole * WHOLE_HITS);
});
