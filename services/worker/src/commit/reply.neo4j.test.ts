// The answers to callers: undo's form, answers given again after access was lost or entities were
// deleted, and what never leaks.
import type { Database } from '@taskgraph/graph-store/driver/database';
import type { ActingUser } from '@taskgraph/wire/actor';
import type { ReplyMessage } from '@taskgraph/wire/bus/calls';
import { Level, Op } from '@taskgraph/wire/codes';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { makeUser, openTestDatabase, startTestWorker, type TestWorker } from '../test/support/harness.ts';
import { findInconsistencies } from '../test/support/integrity-checker.ts';

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
afterAll(async () => {
  expect(await findInconsistencies(database)).toEqual([]);
  await database.close();
});

async function addNode(payload: object = {}, actor = ann): Promise<string> {
  const diff = await worker.run(actor, 'node:add', payload);
  return diff.nodes.find(({ op }) => op === Op.NODE_ADD)?.after.id as string;
}

const body = (reply: ReplyMessage) => (reply.ok ? reply.body : {}) as Record<string, unknown>;

describe('[HIS6] undo and redo', () => {
  test('answer the new batch, the requested one, and flat snapshots; pushes have the common form', async () => {
    const id = await addNode({ title: 'old' });
    const { batchId } = await worker.run(ann, 'node:update', { id, title: 'new' });
    worker.slices.length = 0;
    const undone = body(await worker.send(ann, 'batch:undo', { batchId }));
    const [entry] = (undone.diff as { nodes: Record<string, unknown>[] }).nodes;
    expect(undone).toMatchObject({ undoOf: batchId, feeds: { [`user:${ann.id}`]: 3 } });
    expect(entry).toMatchObject({ id, title: 'old', version: 3, op: Op.NODE_UPDATE, before: { title: 'new' } });
    expect(entry?.after).toMatchObject({ id, title: 'old', version: 3 });
    expect(undone.diff).not.toHaveProperty('access');
    const [pushed] = worker.slices.flatMap(({ diff }) => diff.nodes as object[]);
    expect(Object.keys(pushed ?? {}).sort()).toEqual(['after', 'before', 'op']);
    const redone = body(await worker.send(ann, 'batch:redo', { batchId }));
    expect(redone).toMatchObject({ redoOf: batchId, diff: { nodes: [{ title: 'new', version: 4 }] } });
    expect(redone.batchId).not.toBe(undone.batchId);
  });

  test('show grants in `access` if there are any', async () => {
    const id = await addNode();
    const { batchId } = await worker.run(ann, 'node:access', { id, email: bob.email });
    const undone = body(await worker.send(ann, 'batch:undo', { batchId }));
    expect(undone.diff).toMatchObject({ nodes: [], links: [], access: [{ op: Op.GRANT_DELETE }] });
  });

  test('get the same answer when they are repeated', async () => {
    const id = await addNode({ title: 'old' });
    const { batchId } = await worker.run(ann, 'node:update', { id, title: 'new' });
    const [first, second] = [
      await worker.send(ann, 'batch:undo', { batchId }, { key: 'u' }),
      await worker.send(ann, 'batch:undo', { batchId }, { key: 'u' }),
    ];
    expect(second).toEqual(first);
  });

  test('two concurrent ones: one is executed', async () => {
    const id = await addNode({ title: 'old' });
    const { batchId } = await worker.run(ann, 'node:update', { id, title: 'new' });
    const workers = [worker, startTestWorker(database)];
    const replies = await Promise.all(
      Array.from({ length: 8 }, (_, at) => (workers[at % 2] as TestWorker).send(ann, 'batch:undo', { batchId })),
    );
    expect(replies.filter(({ ok }) => ok)).toHaveLength(1);
    expect(replies.filter((reply) => !reply.ok).map((reply) => !reply.ok && reply.error)).toEqual(
      Array.from({ length: 7 }, () => 'conflict.already_undone'),
    );
  });
});

describe('[GEN8] a repeated answer', () => {
  test("is limited to the caller's current access", async () => {
    const [root, secret] = [await addNode({ title: 'root' }), await addNode({ title: 'secret' })];
    await worker.run(ann, 'link:add', { source: secret, target: root, type: 1 });
    await worker.run(ann, 'node:access', { id: root, email: bob.email, level: 2 });
    const send = () => worker.send(bob, 'node:update', { id: secret, title: 'renamed' }, { key: 'k' });
    expect(body(await send())).toMatchObject({ diff: { nodes: [{ after: { title: 'renamed' } }] } });
    await worker.run(ann, 'node:access:delete', { id: root, email: bob.email });
    expect(body(await send())).toMatchObject({ diff: { nodes: [], links: [], access: [] }, feeds: {} });
  });

  test('[TRS5] shows only the id of an entity deleted since', async () => {
    const send = () => worker.send(ann, 'node:add', { title: 'secret' }, { key: 'made' });
    const first = body(await send()) as { diff: { nodes: { after: { id: string } }[] } };
    const id = first.diff.nodes[0]?.after.id;
    await worker.run(ann, 'node:trash', { id });
    await worker.run(ann, 'node:delete', { id });
    const again = await send();
    expect(JSON.stringify(again)).toContain(id);
    expect(JSON.stringify(again)).not.toContain('secret');
  });
});

describe('hidden entities of others never leak', () => {
  /**
   * Ann's branch, which bob edits, with a blocker that hangs outside of it and a private link to
   * it.
   */
  async function scene() {
    const [root, outside] = [await addNode({ title: 'root' }), await addNode({ title: 'outside-secret' })];
    const child = await addNode({ target: root, title: 'child' });
    await worker.run(ann, 'node:access', { id: root, email: bob.email, level: 2 });
    const link = (await worker.run(ann, 'link:add', { source: outside, target: child, private: true })).links[0];
    return { root, child, outside, link: link?.after.id as string };
  }

  test('[BLK4 LNK9] blockers in an error', async () => {
    const { child, outside, link } = await scene();
    const refused = await worker.refused(bob, 'node:update', { id: child, status: 3 });
    expect(refused).toEqual({ code: 'conflict.node_blocked', details: { blockers: [{ hidden: true }] } });
    expect(JSON.stringify(refused)).not.toMatch(new RegExp(`${outside}|${link}`));
  });

  test('[LNK4] a cycle’s path', async () => {
    const { root, outside } = await scene();
    const mine = await addNode({}, bob);
    await worker.run(bob, 'node:access', { id: mine, email: ann.email, level: 2 });
    await worker.run(ann, 'link:add', { source: mine, target: outside });
    const refused = await worker.refused(bob, 'link:add', { source: root, target: mine });
    expect(refused.code).toBe('conflict.cycle');
    const path = refused.details.path as (string | null)[];
    expect([path[0], path.at(-1)]).toEqual([mine, root]);
    expect(path[1]).toBeNull();
  });

  test('[LNK9 TRS1] trashing also trashes private links, and neither the answer nor a slice names them', async () => {
    const { child, link, outside } = await scene();
    worker.slices.length = 0;
    const reply = await worker.send(bob, 'node:trash', { id: child });
    expect(reply.ok).toBe(true);
    const heard = worker.slices.filter(({ feed }) => feed !== `user:${ann.id}`);
    expect(heard.length).toBeGreaterThan(0);
    for (const text of [reply, heard].map((told) => JSON.stringify(told)))
      expect(text).not.toMatch(new RegExp(`${link}|${outside}`));
    expect(JSON.stringify(worker.slices)).toContain(link);
  });

  test('[HIS7] a batch in history', async () => {
    const { child, link, outside } = await scene();
    const page = await worker.read(bob, 'history:page', { scopeType: 'NODE', scopeId: child });
    expect(JSON.stringify(page)).not.toMatch(new RegExp(`${link}|${outside}`));
    expect(JSON.stringify(await worker.read(ann, 'history:page', { scopeType: 'NODE', scopeId: child }))).toContain(
      link,
    );
  });

  test('[GEN7] another user’s private link is not found, and an invisible node is forbidden, without details of either', async () => {
    const { link, outside } = await scene();
    // Each is named by the id that the caller gave, and by nothing else.
    expect(await worker.refused(bob, 'link:trash', { id: link })).toEqual({ code: 'not_found', details: { id: link } });
    expect(await worker.refused(bob, 'node:update', { id: outside, title: 'x' })).toEqual({
      code: 'forbidden',
      details: { id: outside, needed: Level.EDITOR, level: null },
    });
  });
});
