import type { Database } from '@taskgraph/graph-store/driver/database';
import type { ActingUser } from '@taskgraph/wire/actor';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { makeUser, openTestDatabase, startTestWorker, type TestWorker } from '../test/support/harness.ts';
import { answerWhole, pagesOf } from '../test/support/whole-reads.ts';

let database: Database;
let worker: TestWorker;
let ann: ActingUser;
let bob: ActingUser;
beforeAll(async () => {
  database = await openTestDatabase();
  worker = startTestWorker(database);
});
beforeEach(async () => {
  [ann, bob] = [await makeUser(database, 'ann'), await makeUser(database, 'bob')];
});
afterAll(() => database.close());

/** A database that runs an action once, before the first matching statement. */
function interrupted(when: RegExp, happens: () => Promise<unknown>): Database {
  let pending: (() => Promise<unknown>) | null = happens;
  return {
    ...database,
    async read(cypher, parameters) {
      const now = when.test(cypher) ? pending : null;
      if (now !== null) pending = null;
      await now?.();
      return database.read(cypher, parameters);
    },
  };
}

function read(on: Database, actor: ActingUser | null, event: string, payload: Record<string, unknown>) {
  const message = { event, payload, actor, deadline: Date.now() + 60_000, traceId: 'test' };
  return answerWhole(message, { database: on, secret: 'a secret of this test', nowMs: Date.now, pages: pagesOf() });
}

async function shared(): Promise<string> {
  const id = (await worker.run(ann, 'node:add', { title: 'before' })).nodes[0]?.after.id as string;
  await worker.run(ann, 'node:access', { id, email: bob.email });
  return id;
}

test('[ACL7] a page that began before a revocation shows nothing written after it', async () => {
  const id = await shared();
  const on = interrupted(/properties\(n\)\]/, async () => {
    await worker.run(ann, 'node:access:delete', { id, email: bob.email });
    await worker.run(ann, 'node:update', { id, title: 'after' });
  });
  const reply = await read(on, bob, 'graph:get', {});
  expect(reply).toMatchObject({ ok: true, body: { nodes: [] } });
});

test('[PUB3] a page by a public token that was unpublished shows nothing written after that', async () => {
  const id = await shared();
  const published = await worker.run(ann, 'node:publish', { id });
  const root = published.nodes[0]?.after.publicToken;
  const on = interrupted(/properties\(n\)\]/, async () => {
    await worker.run(ann, 'node:unpublish', { id });
    await worker.run(ann, 'node:update', { id, title: 'after' });
  });
  expect(await read(on, null, 'branch:get', { root })).toMatchObject({ ok: false, error: 'not_found' });
});

test('a page restarts only after a change of access', async () => {
  await shared();
  let pages = 0;
  const on = {
    ...database,
    read: (cypher: string, parameters: never) => {
      if (/properties\(n\)\]/.test(cypher)) pages++;
      return database.read(cypher, parameters);
    },
  };
  expect(await read(on, bob, 'graph:get', {})).toMatchObject({ ok: true, body: { nodes: [{ title: 'before' }] } });
  expect(pages).toBe(1);
});

test('[ACL1 GEN7] a page of a branch shows no link of a node that became invisible during the read', async () => {
  // Bob reads below the top. He requests a branch there that others read too.
  const [top, carl] = [await shared(), await makeUser(database, 'carl')];
  const add = async (target: string) => (await worker.run(ann, 'node:add', { target })).nodes.map(({ after }) => after);
  const branch = (await add(top))[0]?.id as string;
  const [{ id: leaf }] = (await add(branch)) as unknown as [{ id: string }];
  await worker.run(ann, 'node:access', { id: branch, email: carl.email });
  const whole = await read(database, bob, 'branch:get', { root: branch });
  expect(whole).toMatchObject({ ok: true, body: { nodes: [{ id: branch }, { id: leaf }], links: [{ source: leaf }] } });
  const hook = await database.read('MATCH ({id: $branch})-[r:BLOCKS]->({id: $top}) RETURN r.id AS id', { branch, top });
  const on = interrupted(/collect\(\[p\.id, source/, () => worker.run(ann, 'link:trash', { id: hook[0]?.id }));
  const { body } = (await read(on, bob, 'branch:get', { root: branch })) as unknown as { body: { links: unknown[] } };
  expect(body?.links ?? []).toEqual([]);
});
