// Commands on what a worker remembers: how many statements they take, and what comes of them where it is stale.
import { countStatements } from '@taskgraph/graph-store/driver/counted-statements';
import type { Database } from '@taskgraph/graph-store/driver/database';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeUser, openTestDatabase, startTestWorker, warmUp } from '../../test/support/harness.ts';

let database: Database;
beforeAll(async () => {
  database = await openTestDatabase();
  await warmUp(database);
});
afterAll(() => database.close());

/** A worker, and how many statements each of its commands takes. */
function startCounting() {
  let statements = 0;
  const worker = startTestWorker(countStatements(database, () => void statements++));
  return {
    ...worker,
    async count(...command: Parameters<typeof worker.run>): Promise<number> {
      const before = statements;
      await worker.run(...command);
      return statements - before;
    },
  };
}

test('an owner at work on what is theirs costs one statement a command', async () => {
  const user = await makeUser(database);
  const { run, count } = startCounting();
  const add = async (payload: object) => (await run(user, 'node:add', payload)).nodes[0]?.after.id as string;
  const root = await add({});
  const parent = await add({ target: root });
  const [one, other] = [await add({ target: parent }), await add({ target: parent })];
  expect(await count(user, 'node:add', { target: parent })).toBe(1);
  expect(await count(user, 'node:update', { id: one, title: 'renamed' })).toBe(1);
  expect(await count(user, 'node:update', { id: one, status: 3 })).toBe(1);
  expect(await count(user, 'node:update', { id: one, status: 1 })).toBe(1);
  const link = (await run(user, 'link:add', { source: one, target: other })).links[0]?.after.id as string;
  const [third, fourth] = [await add({ target: parent }), await add({ target: parent })];
  expect(await count(user, 'link:add', { source: third, target: fourth })).toBe(1);
  expect(await count(user, 'link:update', { id: link, private: true })).toBe(1);
  expect(await count(user, 'link:trash', { id: link })).toBe(1);
});
