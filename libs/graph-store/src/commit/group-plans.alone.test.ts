// Plans of a group's statements: made once and cached, on a database that may be empty, or has just
// grown beyond the server's statistics.
import { emptyWorld } from '@taskgraph/domain/state/world';
import type { Driver } from 'neo4j-driver';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Database, OpenTransaction } from '../driver/database.ts';
import { openTestDatabase, openTestDriver } from '../test/support/database.ts';
import { operatorsAnew } from '../test/support/plans.ts';
import { LOAD_STATEMENTS, type LoadStatement } from './load/statement.ts';
import { loadInto, planLoad } from './load.ts';
import { lockOwners, lockPrincipals } from './lock.ts';
import { writeGroup } from './write.ts';

let database: Database;
let driver: Driver;

beforeAll(async () => {
  database = await openTestDatabase();
  driver = openTestDriver();
});
afterAll(async () => {
  await database.close();
  await driver.close();
});

/** The largest statement contains the parts of all others. */
const LARGEST = LOAD_STATEMENTS.slice(-1);

/** All statements of a group, combined and single, with these loads. */
async function statementsOfGroups(loads: readonly LoadStatement[]): Promise<string[]> {
  const statements = new Set<string>();
  const transaction: OpenTransaction = {
    async run(cypher) {
      statements.add(cypher);
      // Every query returns an empty result.
      return [new Proxy({}, { get: () => [] })];
    },
    commit: async () => undefined,
    rollback: async () => undefined,
  };
  await lockOwners(transaction, { users: ['x'], nodes: ['x'], links: ['x'], emails: ['x'] });
  await lockPrincipals(transaction, ['x']);
  const readSet = { nodes: ['x'], below: ['x'], targetsOf: ['x'], closuresOf: ['x'], paths: [{ from: 'x', to: 'y' }] };
  const bounds = { entities: 10, rows: 100, large: true };
  for (const load of loads) await planLoad(transaction, load);
  await loadInto(transaction, emptyWorld(), readSet, bounds, []).catch(() => undefined);
  const plan = {
    changes: [],
    batches: [],
    feeds: new Map(),
    bumped: new Set<string>(),
    lastTs: new Map(),
    historyForm: 'merged' as const,
    nodeOf: (id: string) => ({ id, ownerId: 'x' }),
  };
  await writeGroup(transaction, plan);
  return [...statements];
}

/** The operators of a plan made now. */
const operatorsOf = (cypher: string) => operatorsAnew(driver, cypher, ANY);

const ANY = Object.fromEntries(
  ['in', 'bound', 'shown', 'emails', 'zero', 'starts', 'ids', 'from', 'to', 'without'].map((name) => [name, null]),
);

async function scans(loads = LARGEST): Promise<string[]> {
  const statements = await statementsOfGroups(loads);
  expect(statements.length).toBeGreaterThanOrEqual(7);
  const operators = await Promise.all(statements.map(operatorsOf));
  return operators.flat().filter((name) => /^\w*(Scan|Join)/.test(name));
}

test('every statement of a group begins at an index', async () => {
  expect(await scans([...LOAD_STATEMENTS])).toEqual([]);
});

/** Created faster than the server samples: its statistics still show small indexes. */
const GROWTHS: Readonly<Record<string, readonly string[]>> = {
  'nodes and links': [
    "CREATE (:Grown:Node {id: 'grown ' + number, ownerId: 'grown', inTrash: false})",
    `CREATE (a:Grown)-[:BLOCKS {id: 'grown ' + number}]->(b:Grown),
      (a)-[:RELATES {id: 'grown ' + number}]->(b), (a)-[:TRASHED {id: 'grown ' + number}]->(b)`,
  ],
  'rows, grants and history': [
    "CREATE (:Grown:Node {id: 'grown ' + number})-[:IN {feed: 'grown', id: 'grown ' + number}]->(:Grown:Feed {id: 'grown' + number})",
    "CREATE (:Grown)-[:GRANT {key: 'grown ' + number, copyOf: 'grown'}]->(:Grown)",
    "CREATE (:Grown:Batch {id: 'grown ' + number, key: 'grown ' + number, entity: 'grown'}), (:Grown:Touch {entity: 'grown'})",
  ],
};

test.each(Object.entries(GROWTHS))(
  'every statement begins at an index after the database grew by many %s',
  async (_what, growth) => {
    try {
      for (const create of growth) await database.write(`UNWIND range(1, 5000) AS number ${create}`, {});
      expect(await scans()).toEqual([]);
    } finally {
      await database.write('MATCH (n:Grown) DETACH DELETE n', {});
    }
  },
);

/** The dense end must not be expanded for each of its children. */
test('links between two nodes are searched from the end with fewer links', async () => {
  const [load] = (await statementsOfGroups(LARGEST)).filter((cypher) => cypher.includes('$in.between'));
  const expansions = (await operatorsOf(load ?? '')).filter((name) => /^Expand\(\w+\) \(a\)-\[r:.*\]-\(b\)/.test(name));
  expect(expansions).toEqual([expect.stringMatching(/^Expand\(Into\)/)]);
});
