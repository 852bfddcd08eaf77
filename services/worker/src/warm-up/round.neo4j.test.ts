// A round of the warm-up leaves nothing in the database but plans.
import type { Database } from '@taskgraph/graph-store/driver/database';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestDatabase } from '../test/support/harness.ts';
import { runRound } from './round.ts';

let database: Database;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.close());

const nowMs = Date.now;

/** Entities of scratch users, whose domain no other test uses. */
const SCRATCH = `MATCH (any:User|Principal) WHERE any.email ENDS WITH '@warm-up.invalid' RETURN any.email AS email
UNION ALL MATCH (n:Node {title: 'warm-up'}) RETURN n.id AS email`;

test('a whole round leaves no user and no node, and its statements see its own', async () => {
  let seen = 0;
  const statements: string[] = [];
  const watched: Database = {
    ...database,
    begin(timeoutMs) {
      const transaction = database.begin(timeoutMs);
      return {
        ...transaction,
        commit: () => Promise.reject(new Error('a round must not commit')),
        async run(cypher, parameters) {
          statements.push(cypher);
          const rows = await transaction.run(cypher, parameters);
          seen += rows.length;
          return rows;
        },
      };
    },
  };
  expect(await runRound({ database: watched, nowMs, mayContinue: () => true })).toBe(true);
  expect(seen).toBeGreaterThan(20);
  expect(await database.read(SCRATCH, {})).toEqual([]);
});
