// Plans of the read statements on a database in use for some minutes. The server counts nodes at
// once but samples its indexes rarely. It takes them for empty until then, and would rather scan
// than look up; and plans are cached.
import { type NewBackends, startNewBackends } from '@taskgraph/testkit/stack/new-backends';
import neo4j, { type Driver } from 'neo4j-driver';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Database } from '../driver/database.ts';
import { openTestDatabase, openTestDriver } from '../test/support/database.ts';
import { ACCOUNT_CHANGES, READS, type StatementCall, statementsOf } from '../test/support/every-read.ts';
import { operatorsAnew } from '../test/support/plans.ts';

let backends: NewBackends;
let database: Database;
let driver: Driver;
let readStatements: StatementCall[];

beforeAll(async () => {
  backends = await startNewBackends();
  database = await openTestDatabase(backends.environment);
  driver = openTestDriver(backends.environment);
  const statements = new Map<string, StatementCall>();
  for (const read of Object.values({ ...READS, ...ACCOUNT_CHANGES }))
    for (const one of await statementsOf(database, read)) statements.set(one.cypher, one);
  readStatements = [...statements.values()];
});
afterAll(async () => {
  await driver?.close();
  await database?.close();
  await backends?.stop();
});

/** A user with a token, a node with readers, and related entities. */
const COME = `
UNWIND range($first, $last) AS number
WITH number, toString(number) AS id
CREATE (u:User {id: id, admin: false})-[:HAS_TOKEN]->(:Token {id: id, hash: id, kind: 'api'})
CREATE (u)-[:HAS_IMPORT]->(:ImportSource {id: id, name: id, group: number, deleted: id}), (:ImportRow {source: id, key: 't' + id, group: number, dropped: id})
CREATE (p:Principal {email: id, userId: id}), (own:Feed {id: 'user:' + id}), (feed:Feed {id: 'root:' + id})
CREATE (n:Node {id: id, ownerId: id, inTrash: false, status: 1, claimUntil: id, lastEditedTime: id})-[:IN {feed: 'root:' + id, id: id}]->(feed)
CREATE (m:Node {id: id + 'm', ownerId: id, inTrash: true, lastEditedTime: id})-[:IN {feed: 'root:' + id, id: id + 'm'}]->(feed)
CREATE (m)-[:BLOCKS {id: id, sourceOwnerId: id}]->(n), (m)-[:RELATES {id: id, sourceOwnerId: id}]->(n)
CREATE (m)-[:TRASHED {id: id, sourceOwnerId: id, targetOwnerId: id, ownerId: id, lastEditedTime: id}]->(n)
CREATE (:Batch {id: id, key: id, actorId: id, ts: id, entity: id, owner: id, feed: 'root:' + id, seq: number}), (:Touch {entity: id, ts: id, batch: id}), (:Entry {feed: 'root:' + id, seq: number})
WITH number, p, n WHERE number % 3 = 0
CREATE (p)-[:GRANT {key: n.id + '|' + p.email, email: p.email, ownerId: n.id, due: p.email, copyOf: ''}]->(n)`;

test.each([
  [1, 2],
  [3, 4],
])(
  'every read, and every change of a source, begins with an index look-up after users %i to %i were added',
  async (first, last) => {
    await database.write(COME, { first: neo4j.int(first), last: neo4j.int(last) });
    expect(readStatements.length).toBeGreaterThan(40);
    const scans: string[] = [];
    for (const { cypher, parameters } of readStatements) {
      const found = (await operatorsAnew(driver, cypher, parameters)).filter((name) =>
        /^\w*(Scan|HashJoin)/.test(name),
      );
      if (found.length > 0) scans.push(`${found.join(', ')}\n${cypher}`);
    }
    // A message of its own: an equality prints no more than the number of statements.
    expect(scans.length, scans.join('\n\n')).toBe(0);
  },
);
