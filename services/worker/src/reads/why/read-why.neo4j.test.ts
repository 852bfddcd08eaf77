// Explanations from each reader's visible entities.
import type { Database } from '@taskgraph/graph-store/driver/database';
import type { ActingUser } from '@taskgraph/wire/actor';
import { Level } from '@taskgraph/wire/codes';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { makeUser, openTestDatabase, startTestWorker, type TestWorker } from '../../test/support/harness.ts';

let database: Database;
let worker: TestWorker;
let ann: ActingUser;
let bob: ActingUser;
let cy: ActingUser;
beforeAll(async () => {
  database = await openTestDatabase();
  worker = startTestWorker(database);
});
beforeEach(async () => {
  [ann, bob, cy] = [await makeUser(database, 'ann'), await makeUser(database, 'bob'), await makeUser(database, 'cy')];
});
afterAll(() => database.close());

async function add(user: ActingUser, payload: object): Promise<{ id: string; link: string }> {
  const { nodes, links } = await worker.run(user, 'node:add', payload);
  const made = (entries: typeof nodes | typeof links) => entries.find(({ before }) => !('id' in before))?.after.id;
  return { id: made(nodes) as string, link: made(links) as string };
}

const why = (user: ActingUser, id: string, all = false) => worker.read(user, 'node:why', { id, all });
const refused = (user: ActingUser, payload: object) => worker.ask(user, 'node:why', payload);
const share = (id: string, { email }: ActingUser, more: object = {}) =>
  worker.run(ann, 'node:access', { id, email, level: Level.VIEWER, ...more });

/** A house of Ann's: it waits for its roof, that for its walls, and these for the ground. */
async function plant() {
  const house = await add(ann, {});
  const roof = await add(ann, { target: house.id });
  const walls = await add(ann, { target: roof.id });
  const ground = await add(ann, { target: walls.id });
  return { house, roof, walls, ground };
}

test('[WHY1] an explanation of a Blocked node names its blockers, and the nodes to work on', async () => {
  const { house, roof, walls, ground } = await plant();
  expect(await why(ann, house.id)).toMatchObject({
    blockedBy: [{ id: roof.id, link: roof.link, status: 2 }],
    workable: [ground.id],
  });
  await worker.run(ann, 'node:update', { id: ground.id, status: 3 });
  expect(await why(ann, roof.id)).toEqual({
    blockedBy: [{ id: walls.id, link: walls.link, status: 0 }],
    workable: [walls.id],
    access: [{ level: 0, by: 'owner', root: roof.id, due: null, path: [roof.id] }],
  });
  await worker.run(ann, 'node:update', { id: roof.id, independent: true });
  expect(await why(ann, roof.id)).toMatchObject({ blockedBy: [], workable: [] });
});

test('[WHY1] a chain of hundreds in a row is walked to its end', async () => {
  const length = 700;
  const operations = Array.from({ length }, (_, index) => ({
    event: 'node:add',
    payload: index === 0 || index % 350 === 0 ? {} : { target: `$n${index - 1}` },
    as: `n${index}`,
  }));
  const results: { id: string }[] = [];
  for (let start = 0; start < length; start += 350) {
    const reply = await worker.send(ann, 'batch:run', { operations: operations.slice(start, start + 350) });
    if (!reply.ok) throw new Error(reply.error);
    results.push(...(reply.body.results as { id: string }[]));
  }
  const [first, last] = [results[0]?.id as string, results.at(-1)?.id as string];
  await worker.run(ann, 'link:add', { source: results[350]?.id, target: results[349]?.id });
  expect(await why(ann, first)).toMatchObject({ workable: [last] });
  await share(first, bob);
  expect((await why(bob, last)).access).toMatchObject([{ by: 'branch', root: first }]);
});

test('[WHY1 WHY2] a mesh is walked once, for any number of paths', async () => {
  const [wide, deep] = [4, 24];
  const name = (row: number, column: number) => `n${row}x${column}`;
  const columns = Array.from({ length: wide }, (_, column) => column);
  const rows = Array.from({ length: deep }, (_, row) => row);
  const nodes = rows.flatMap((row) =>
    columns.map((column) => ({ event: 'node:add', payload: {}, as: name(row, column) })),
  );
  const links = rows.slice(1).flatMap((row) =>
    columns.flatMap((from) =>
      columns.map((to) => ({
        event: 'link:add',
        payload: { source: `$${name(row, from)}`, target: `$${name(row - 1, to)}`, type: 0 },
      })),
    ),
  );
  const reply = await worker.send(ann, 'batch:run', { operations: [...nodes, ...links] });
  if (!reply.ok) throw new Error(reply.error);
  const ids = (reply.body.results as { id: string }[]).slice(0, nodes.length).map(({ id }) => id);
  const [first = '', last = ''] = [ids[0], ids.at(-1)];
  expect(await why(ann, first)).toMatchObject({ workable: ids.slice(-wide).sort() });
  await share(first, bob);
  const [way] = (await why(bob, last)).access as { path: string[] }[];
  expect([way?.path.length, way?.path.at(-1)]).toEqual([deep, first]);
});

test('[WHY1 WHY3] a chain reveals only the existence of invisible nodes', async () => {
  const { house, roof, walls, ground } = await plant();
  await share(house.id, bob, { branch: false });
  await share(walls.id, bob, { branch: false });
  const told = await why(bob, house.id);
  expect(told).toMatchObject({ blockedBy: [], workable: [], hidden: true });
  expect(JSON.stringify(told)).not.toMatch(new RegExp([roof, walls, ground].map(({ id }) => id).join('|')));
});

test('[WHY1 WHY3 LNK9] a private link of another user is not followed', async () => {
  const { house, roof, walls } = await plant();
  await share(house.id, bob);
  await worker.run(ann, 'link:update', { id: walls.link, private: true });
  expect(await why(bob, house.id)).toMatchObject({ blockedBy: [{ id: roof.id }], workable: [], hidden: true });
  expect(await why(ann, house.id)).not.toHaveProperty('hidden');
});

test("[WHY2] an explanation names all the caller's access paths to a node", async () => {
  const { house, roof, walls } = await plant();
  const due = '2199-01-01T00:00:00.000Z';
  await share(house.id, bob, { level: Level.EDITOR, due });
  await share(walls.id, bob, { branch: false });
  const own = await add(bob, {});
  await share(roof.id, bob, { level: Level.ADMIN });
  await worker.run(bob, 'link:add', { source: roof.id, target: own.id, type: 1 });
  expect((await why(bob, walls.id)).access).toEqual([
    { level: 1, by: 'branch', root: roof.id, due: null, path: [walls.id, roof.id] },
    { level: 2, by: 'branch', root: house.id, due, path: [walls.id, roof.id, house.id] },
    { level: 3, by: 'grant', root: walls.id, due: null, path: [walls.id] },
    { level: 3, by: 'tree', root: own.id, due: null, path: [walls.id, roof.id, own.id] },
  ]);
});

test('[WHY2 WHY3 ACL9] access paths of others are limited to grants that the caller can list', async () => {
  const { house, roof, walls } = await plant();
  await share(house.id, cy);
  await share(walls.id, bob, { level: Level.ADMIN });
  await share(walls.id, { ...cy, email: 'nobody-yet@example.com' }, { branch: false });
  const told = await why(bob, walls.id, true);
  expect(told.access).toMatchObject([
    { email: ann.email, by: 'owner', level: 0 },
    { email: bob.email, by: 'grant', level: 1 },
    { email: 'nobody-yet@example.com', by: 'grant', level: 3 },
  ]);
  expect(JSON.stringify(told)).not.toMatch(new RegExp(`${cy.email}|${house.id}|${roof.id}`));
  expect((await why(ann, walls.id, true)).access).toContainEqual({
    email: cy.email,
    by: 'branch',
    level: 3,
    due: null,
    root: house.id,
    path: [walls.id, roof.id, house.id],
  });
});

test('[WHY2 WHY3] invisible nodes between a node and a root with other access are not revealed', async () => {
  const { house, roof, walls, ground } = await plant();
  await share(house.id, bob, { level: Level.ADMIN, branch: false });
  await share(ground.id, bob, { level: Level.ADMIN, branch: false });
  await share(house.id, cy);
  const told = await why(bob, ground.id, true);
  expect(told.access).toContainEqual({
    email: cy.email,
    by: 'branch',
    level: 3,
    due: null,
    root: house.id,
    path: [ground.id, null, house.id],
  });
  expect(JSON.stringify(told)).not.toMatch(new RegExp([roof, walls].map(({ id }) => id).join('|')));
});

test('[WHY2 ACL9] a publication is named only to readers who see its token', async () => {
  const { house, roof } = await plant();
  await worker.run(ann, 'node:publish', { id: house.id });
  await share(house.id, bob, { level: Level.EDITOR });
  const publication = { level: 3, by: 'publication', root: house.id, due: null, path: [roof.id, house.id] };
  expect((await why(ann, roof.id)).access).toContainEqual(publication);
  expect((await why(ann, roof.id, true)).access).toContainEqual({ ...publication, email: null });
  expect((await why(bob, roof.id)).access).toMatchObject([{ by: 'branch' }]);
});

test('[WHY3 GEN7 TRS2] an invisible node is refused as in other reads', async () => {
  const { house, roof } = await plant();
  expect(await refused(ann, { id: ann.id })).toMatchObject({ ok: false, error: 'not_found' });
  expect(await refused(bob, { id: house.id })).toMatchObject({ ok: false, error: 'forbidden' });
  await share(house.id, bob, { level: Level.EDITOR });
  const reply = await refused(bob, { id: roof.id, all: true });
  expect(reply).toMatchObject({ error: 'forbidden', details: { needed: Level.ADMIN, level: Level.EDITOR } });
  await worker.run(ann, 'node:trash', { id: roof.id });
  expect(await refused(ann, { id: roof.id })).toMatchObject({ ok: false, error: 'not_found' });
});
