// Plans of the read statements, and of changes of accounts and of sources of imports. The database caches
// them, and may have made them while it was empty.
import type { Driver } from 'neo4j-driver';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Database } from '../driver/database.ts';
import { openTestDatabase, openTestDriver } from '../test/support/database.ts';
import { ACCOUNT_CHANGES, READS, type Read, statementsOf } from '../test/support/every-read.ts';
import { operatorsOf } from '../test/support/plans.ts';

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

/** The operators of all statements of a read. */
async function operatorsOfRead(read: Read): Promise<string[]> {
  const readStatements = await statementsOf(database, read);
  expect(readStatements.length).toBeGreaterThan(0);
  const operators: string[] = [];
  for (const { cypher, parameters } of readStatements)
    operators.push(...(await operatorsOf(driver, cypher, parameters)));
  return operators.map((name) => name.split(' ')[0] as string);
}

test.each(Object.entries({ ...READS, ...ACCOUNT_CHANGES }))(
  '%s: every statement begins at an index',
  async (_what, read) => {
    const operators = await operatorsOfRead(read);
    expect(operators.filter((name) => /Scan|CartesianProduct/.test(name))).toEqual([]);
  },
);

test.each(['missed changes', 'changed nodes', 'changed links'])(
  '[EVT2] %s: merged entries are read before those that they become',
  async (what) => {
    for (const { cypher } of await statementsOf(database, READS[what] as Read)) {
      const [merged, separate] = [cypher.indexOf(':Batch(feed, seq)'), cypher.indexOf(':Entry(feed, seq)')];
      expect(merged).toBeGreaterThan(0);
      expect(separate).toBeGreaterThan(merged);
    }
  },
);

test.each(['walk', 'a chain of blockers', 'a way up'])(
  '[PUB3 WHY1 WHY2] %s: each node is visited once, for any number of paths',
  async (what) => {
    const operators = await operatorsOfRead(READS[what] as Read);
    const walking = operators.filter((name) => name.startsWith('VarLengthExpand'));
    expect(walking.length).toBeGreaterThan(0);
    for (const name of walking) expect(name).toContain('Pruning');
  },
);

test.each(['own nodes', 'own links'])('[EVT3] %s: a page stops at its end, in the order of the index', async (what) => {
  const operators = await operatorsOfRead(READS[what] as Read);
  // One Top merges the two types of links; any other sort or comparison would read everything.
  expect(operators.filter((name) => /Sort|Distinct/.test(name))).toEqual([]);
  expect(operators.filter((name) => name === 'Top')).toHaveLength(what === 'own links' ? 1 : 0);
});

test.each(['own trash', "an editor's trash"])(
  '[TRS2] %s: the reader’s own entities are read in the order of indexes',
  async (what) => {
    const operators = await operatorsOfRead(READS[what] as Read);
    expect(operators.filter((name) => name === 'PartialTop')).toHaveLength(3);
  },
);

test('[CLAIM3] ends of claims: a page stops at its end, in the order of the index', async () => {
  const operators = await operatorsOfRead(READS['ends of claims'] as Read);
  expect(operators.filter((name) => /Sort|Top/.test(name))).toEqual([]);
});

test('[HOOK10] due nodes: a page stops at its end, in the order of the index', async () => {
  const operators = await operatorsOfRead(READS['due nodes'] as Read);
  // One Top merges the three parts.
  expect(operators.filter((name) => /Sort|Top/.test(name))).toEqual(['Top']);
});
