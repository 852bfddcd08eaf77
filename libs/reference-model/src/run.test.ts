// The model's nodes, links and trash follow the rules: short cases, derived by hand.
import { describe, expect, test } from 'vitest';
import { ann, bob, commandWorld, type Payload } from './command-world.ts';

describe('nodes and statuses', () => {
  test('[NODE1] a node starts with defaults and version 1, and its owner sees all its fields', () => {
    const w = commandWorld();
    const [entry] = w.diff(ann, 'node:add', {}).nodes;
    expect(entry).toMatchObject({
      op: 0,
      before: {},
      after: { id: 'n1', title: '', status: 0, version: 1, access: 0 },
    });
  });

  test('[BLK2] [BLK9] [LNK1] a child blocks its parent until it is completed', () => {
    const w = commandWorld();
    const parent = w.own(ann, { status: 1 });
    const added = w.diff(ann, 'node:add', { target: parent });
    expect(added.nodes.map((entry) => entry.op)).toEqual([0, 2]);
    expect(added.links).toMatchObject([{ op: 10, after: { source: 'n2', target: parent, type: 0, wasBlocker: true } }]);
    expect(w.node(parent).status).toBe(2);
    const completed = w.diff(ann, 'node:update', { id: 'n2', status: 3 });
    expect(completed.nodes).toMatchObject([
      { op: 2, before: { id: 'n2', version: 1, status: 0 }, after: { version: 2, status: 3 } },
      { op: 2, before: { id: parent, version: 2, status: 2 }, after: { version: 3, status: 1 } },
    ]);
  });

  test('[BLK3] unblocking a former Completed gives 1, and an undo gives 3', () => {
    const w = commandWorld();
    const [parent, child] = [w.own(ann, { status: 3 }), w.own(ann)];
    const link = w.tie(ann, child, parent);
    expect(w.node(parent).status).toBe(2);
    w.done(ann, 'batch:undo', { batchId: 'b3' });
    expect(w.node(parent).status).toBe(3);
    w.done(ann, 'batch:redo', { batchId: 'b3' });
    w.done(ann, 'link:trash', { id: link });
    expect(w.node(parent).status).toBe(1);
  });

  test('[BLK4] Blocked cannot be set or left by hand', () => {
    const w = commandWorld();
    const [parent, child] = [w.own(ann), w.own(ann)];
    const link = w.tie(ann, child, parent);
    expect(w.say(ann, 'node:update', { id: 'none', status: 2 })).toEqual({
      ok: false,
      error: 'bad_request.status_blocked',
    });
    const blockers = [{ id: child, link }];
    const refused = { ok: false, error: 'conflict.node_blocked', details: { blockers } };
    expect(w.say(ann, 'node:update', { id: parent, status: 1 })).toEqual(refused);
  });

  test('[BLK5] a Completed node that gains a blocker blocks its own targets too', () => {
    const w = commandWorld();
    const [a, b, c] = [w.own(ann), w.own(ann, { status: 3 }), w.own(ann, { status: 3 })];
    w.tie(ann, b, c);
    expect(w.node(c).status).toBe(3);
    const diff = w.diff(ann, 'link:add', { source: a, target: b });
    expect(diff.nodes.map((entry) => (entry.after as Payload).id)).toEqual([b, c]);
    expect(diff.links.map((entry) => [entry.op, (entry.after as Payload).id])).toEqual([
      [10, 'l5'],
      [11, 'l4'],
    ]);
  });

  test('[BLK6] [BLK7] a node is unblocked by its last blocker or by independence', () => {
    const w = commandWorld();
    const parent = w.own(ann);
    const [first, second] = [w.own(ann, { target: parent }), w.own(ann, { target: parent })];
    w.done(ann, 'node:trash', { id: first });
    expect(w.node(parent).status).toBe(2);
    w.done(ann, 'node:update', { id: parent, independent: true });
    expect(w.node(parent).status).toBe(0);
    w.done(ann, 'node:update', { id: parent, independent: false });
    expect(w.node(parent).status).toBe(2);
    w.done(ann, 'node:trash', { id: second });
    expect(w.node(parent).status).toBe(0);
  });

  test('[GEN9] an update that changes nothing stores no batch', () => {
    const w = commandWorld();
    const id = w.own(ann, { title: 'a' });
    expect(w.say(ann, 'node:update', { id })).toEqual({ ok: false, error: 'bad_request.no_fields' });
    expect(w.diff(ann, 'node:update', { id, title: 'a' })).toMatchObject({ batchId: null, nodes: [] });
    expect(w.node(id).version).toBe(1);
  });

  test('[GEN3] [GEN7] [GEN10] 404, 403 and a stale version, in this order', () => {
    const w = commandWorld();
    const id = w.own(ann);
    expect(w.say(bob, 'node:update', { id: 'none', title: 'b' })).toEqual({ ok: false, error: 'not_found' });
    expect(w.say(bob, 'node:update', { id, title: 'b', version: 7 })).toEqual({ ok: false, error: 'forbidden' });
    const stale = { ok: false, error: 'version_conflict', details: { version: 1 } };
    expect(w.say(ann, 'node:update', { id, title: 'b', version: 7 })).toEqual(stale);
  });
});

describe('links', () => {
  test('[LNK4] a primary cycle is refused with its path', () => {
    const w = commandWorld();
    const [a, b, c] = [w.own(ann), w.own(ann), w.own(ann)];
    w.tie(ann, a, b);
    w.tie(ann, b, c);
    const refused = { ok: false, error: 'conflict.cycle', details: { path: [a, b, c] } };
    expect(w.say(ann, 'link:add', { source: c, target: a })).toEqual(refused);
    w.tie(ann, c, a, { type: 1 });
  });

  test("[LNK4] [LNK9] another user's private link is a null in the path, between two visible nodes", () => {
    const w = commandWorld();
    const [a, b] = [w.own(ann), w.own(ann)];
    for (const id of [a, b]) w.grantTo(bob, id, 2, false);
    w.tie(ann, a, b, { private: true });
    const refused = { ok: false, error: 'conflict.cycle', details: { path: [a, null, b] } };
    expect(w.say(bob, 'link:add', { source: b, target: a })).toEqual(refused);
  });

  test("[LNK5] [LNK9] another user's private link neither conflicts nor shows, but blocks", () => {
    const w = commandWorld();
    const [a, b] = [w.own(ann), w.own(ann)];
    w.grantTo(bob, a, 2, false);
    w.grantTo(bob, b, 2, false);
    const link = w.tie(ann, a, b, { private: true });
    expect(w.say(bob, 'link:trash', { id: link })).toEqual({ ok: false, error: 'not_found' });
    const refused = { ok: false, error: 'conflict.node_blocked', details: { blockers: [{ hidden: true }] } };
    expect(w.say(bob, 'node:update', { id: b, status: 1 })).toEqual(refused);
    w.tie(bob, a, b);
    const duplicate = { ok: false, error: 'conflict.duplicate_link' };
    expect(w.say(ann, 'link:update', { id: link, private: false })).toEqual(duplicate);
  });

  test('[LNK3] a viewer of the target makes a secondary and private link', () => {
    const w = commandWorld();
    const [a, b] = [w.own(bob), w.own(ann)];
    w.grantTo(bob, b, 3, false);
    const [entry] = w.diff(bob, 'link:add', { source: a, target: b }).links;
    expect(entry?.after).toMatchObject({ type: 1, private: true, wasBlocker: false });
  });

  test('[LNK6] a trashed link is restored in the requested direction', () => {
    const w = commandWorld();
    const [a, b] = [w.own(ann), w.own(ann)];
    const link = w.tie(ann, a, b);
    w.done(ann, 'link:trash', { id: link });
    const [entry] = w.diff(ann, 'link:add', { source: b, target: a }).links;
    expect(entry).toMatchObject({ op: 13, before: { id: link, source: a }, after: { id: link, source: b, target: a } });
    expect([w.node(a).status, w.node(b).status]).toEqual([2, 0]);
  });

  test('[LNK8] a swap unblocks one node and blocks the other', () => {
    const w = commandWorld();
    const [a, b] = [w.own(ann, { status: 1 }), w.own(ann, { status: 1 })];
    const link = w.tie(ann, a, b);
    const diff = w.diff(ann, 'link:swap', { id: link });
    expect(diff.links).toMatchObject([{ op: 15, before: { source: a, target: b }, after: { source: b, target: a } }]);
    expect([w.node(a).status, w.node(b).status]).toEqual([2, 1]);
  });
});

describe('trash', () => {
  test('[TRS1] [TRS3] a node is trashed with its links, and restored with those that are still possible', () => {
    const w = commandWorld();
    const [a, b, c] = [w.own(ann), w.own(ann), w.own(ann)];
    const [first, second] = [w.tie(ann, a, b), w.tie(ann, b, c)];
    w.done(ann, 'node:trash', { id: b });
    expect([w.link(first), w.link(second)]).toMatchObject([{ inTrash: true, lastBatchID: 'b6' }, { inTrash: true }]);
    w.done(ann, 'link:trash', { id: second });
    const diff = w.diff(ann, 'node:restore', { id: b });
    expect(diff.links).toMatchObject([{ op: 13, after: { id: first, inTrash: false } }]);
    expect(w.link(second).inTrash).toBe(true);
  });

  test('[TRS3] a link that would close a cycle stays in the trash, and is named', () => {
    const w = commandWorld();
    const [a, b, c] = [w.own(ann), w.own(ann), w.own(ann)];
    const link = w.tie(ann, a, b);
    w.tie(ann, b, c);
    w.done(ann, 'node:trash', { id: a });
    w.done(ann, 'node:restore', { id: a });
    w.done(ann, 'node:trash', { id: b });
    w.tie(ann, c, a);
    const diff = w.diff(ann, 'node:restore', { id: b });
    expect(diff).toMatchObject({ skipped: ['l5'] });
    expect([w.link(link).inTrash, w.link('l5').marked]).toEqual([false, false]);
  });

  test('[TRS4] [TRS5] a trashed node cannot be edited, and only its owner deletes it', () => {
    const w = commandWorld();
    const id = w.own(ann);
    w.grantTo(bob, id, 1, true);
    expect(w.say(bob, 'node:delete', { id })).toEqual({ ok: false, error: 'forbidden' });
    expect(w.say(ann, 'node:delete', { id })).toEqual({ ok: false, error: 'not_trashed_node' });
    w.done(ann, 'node:trash', { id });
    expect(w.say(ann, 'node:trash', { id })).toEqual({ ok: false, error: 'conflict.already_trashed' });
    expect(w.say(ann, 'node:update', { id, title: 'b' })).toEqual({ ok: false, error: 'conflict.in_trash' });
    const [entry] = w.diff(ann, 'node:delete', { id }).nodes;
    expect(entry).toMatchObject({ op: 5, before: { id, inTrash: true }, after: { id, deleted: true } });
    expect(w.grant(id, bob)).toBe(undefined);
  });
});
