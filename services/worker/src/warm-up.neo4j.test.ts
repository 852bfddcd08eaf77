import type { Database } from '@taskgraph/graph-store/driver/database';
import { createLog } from '@taskgraph/runtime/telemetry/log';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestDatabase } from './test/support/harness.ts';
import { warmUpRound } from './warm-up.ts';

let database: Database;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.close());

test('a round executes its commands and reads, and leaves nothing', async () => {
  await warmUpRound(database, createLog({ name: 'test', level: 'silent' }), Date.now);
  const left = 'MATCH (any:User|Principal) WHERE any.email ENDS WITH $domain RETURN any LIMIT 1';
  expect(await database.read(left, { domain: '@warm-up.invalid' })).toEqual([]);
  expect(await database.read("MATCH (n:Node {title: 'warm-up'}) RETURN n LIMIT 1", {})).toEqual([]);
});
