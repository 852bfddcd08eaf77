// node:access:list against a real Neo4j.
import type { Database } from '@taskgraph/graph-store/driver/database';
import type { ActingUser } from '@taskgraph/wire/actor';
import { Level } from '@taskgraph/wire/codes';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type GraphFixture, sowGraph } from '../test/support/graph-fixture.ts';
import { makeUser, newId, openTestDatabase } from '../test/support/harness.ts';
import { asking, type ReadSetup } from '../test/support/whole-reads.ts';

let database: Database;
let reads: ReadSetup;
let graph: GraphFixture;
let [ann, bob, cy, dee, eve]: ActingUser[] = [];
let [root, child, crowded] = ['', '', ''];
const DUE = '2027-01-01T00:00:00.000Z';

beforeAll(async () => {
  database = await openTestDatabase();
  reads = asking(database);
  graph = sowGraph(database);
  [ann, bob, cy, dee, eve] = await Promise.all(
    ['ann', 'bob', 'cy', 'dee', 'eve'].map((name) => makeUser(database, name)),
  );
  root = graph.node(ann as ActingUser);
  child = graph.node(ann as ActingUser);
  crowded = graph.node(ann as ActingUser);
  graph.link(child, root);
  graph.grant(root, (bob as ActingUser).email, Level.ADMIN);
  graph.grant(root, (cy as ActingUser).email, Level.EDITOR, { branch: false, due: DUE });
  graph.grant(root, (dee as ActingUser).email, Level.VIEWER, { due: '2026-01-01T00:00:00.000Z' });
  graph.grant(child, (eve as ActingUser).email, Level.EDITOR);
  for (let index = 0; index < 1_001; index++) {
    graph.grant(crowded, `${String(index).padStart(4, '0')}-${crowded}@example.com`, Level.VIEWER);
  }
  await graph.save();
});
afterAll(async () => {
  await graph.remove([ann, bob, cy, dee, eve] as ActingUser[]);
  await database.close();
});

/** The answer to one reader, reduced to the fields of docs/interface.md. */
async function grantsFor(reader: ActingUser | undefined, id: string) {
  const { grants } = await reads.ask(reader as ActingUser, 'node:access:list', { id });
  return grants;
}

test('[ACL9 ACL5] admins and the owner see all unexpired grants, by e-mail', async () => {
  const all = [
    { id: root, email: bob?.email, level: 1, due: null, branch: true, version: 1 },
    { id: root, email: cy?.email, level: 2, due: DUE, branch: false, version: 1 },
  ];
  expect(await grantsFor(ann, root)).toEqual(all);
  expect(await grantsFor(bob, root)).toEqual(all);
});

test('[ACL9] other readers of the node get only their own grant', async () => {
  expect(await grantsFor(cy, root)).toMatchObject([{ email: cy?.email, level: 2 }]);
  expect(await grantsFor(eve, child)).toMatchObject([{ email: eve?.email }]);
});

test('[ACL9] an admin of the branch sees the grants on a node in it', async () => {
  expect(await grantsFor(bob, child)).toMatchObject([{ email: eve?.email }]);
});

test('[GEN7 ACL5] no access and an expired grant are forbidden, an unknown node is not found', async () => {
  for (const reader of [dee, eve] as ActingUser[]) {
    expect(await reads.refused(reader, 'node:access:list', { id: root })).toBe('forbidden');
  }
  expect(await reads.refused(cy as ActingUser, 'node:access:list', { id: child })).toBe('forbidden');
  expect(await reads.refused(ann as ActingUser, 'node:access:list', { id: newId(0) })).toBe('not_found');
  expect(await reads.refused(null, 'node:access:list', { id: root })).toBe('unauthorized');
  expect(await reads.refused(ann as ActingUser, 'node:access:list', { id: 'x' })).toBe('bad_request.invalid_uuid');
  expect(await reads.refused(ann as ActingUser, 'node:access:list', {})).toBe('bad_request.missing_id');
});

test('[ACL9] a list ends at a thousand grants, and reports that', async () => {
  const answer = await reads.ask(ann as ActingUser, 'node:access:list', { id: crowded });
  expect(answer).toMatchObject({ hasMore: true });
  expect((answer.grants as { email: string }[]).map(({ email }) => email)).toEqual(
    Array.from({ length: 1_000 }, (_, index) => `${String(index).padStart(4, '0')}-${crowded}@example.com`),
  );
});

test('[ACL9 GEN11] a list of more than a thousand grants continues after its last', async () => {
  const first = await reads.ask(ann as ActingUser, 'node:access:list', { id: crowded });
  expect(first.next).toBe(`0999-${crowded}@example.com`);
  const second = await reads.ask(ann as ActingUser, 'node:access:list', { id: crowded, after: first.next });
  expect(second).toMatchObject({ hasMore: false, grants: [{ email: `1000-${crowded}@example.com` }] });
  expect(second).not.toHaveProperty('next');
});
