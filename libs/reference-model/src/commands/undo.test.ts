// The model's undo, redo and idempotency keys follow the rules: short cases, derived by hand.
import { describe, expect, test } from 'vitest';
import { ann, bob, commandWorld } from '../command-world.ts';

describe('undo and redo', () => {
  test('[HIS5] [HIS6] undoing an undo redoes', () => {
    const w = commandWorld();
    const id = w.own(ann, { title: 'a' });
    w.done(ann, 'node:update', { id, title: 'b' });
    const undone = w.say(ann, 'batch:undo', { batchId: 'b2' });
    const entry = { op: 1, id, title: 'a', version: 3, before: { title: 'b' }, after: { title: 'a' } };
    expect(undone).toMatchObject({
      ok: true,
      body: { batchId: 'b3', undoOf: 'b2', diff: { nodes: [entry], links: [] } },
    });
    expect(w.say(ann, 'batch:undo', { batchId: 'b2' })).toEqual({ ok: false, error: 'conflict.already_undone' });
    w.done(ann, 'batch:undo', { batchId: 'b3' });
    expect([w.node(id).title, w.batch('b2').undone, w.batch('b3').undone]).toEqual(['b', false, true]);
    expect(w.say(ann, 'batch:redo', { batchId: 'b2' })).toEqual({ ok: false, error: 'conflict.not_undone' });
  });

  test('[HIS2] a value that changed later conflicts, and the conflict names its batch', () => {
    const w = commandWorld();
    const id = w.own(ann, { title: 'a' });
    w.grantTo(bob, id, 2, false);
    w.done(ann, 'node:update', { id, title: 'b' });
    w.done(bob, 'node:update', { id, title: 'c' });
    const conflict = { entity: id, field: 'title', batchId: 'b4', actor: { username: 'bob', email: bob.email } };
    const refused = { ok: false, error: 'version_conflict', details: { conflicts: [conflict] } };
    expect(w.say(ann, 'batch:undo', { batchId: 'b3' })).toEqual(refused);
  });

  test('[HIS4] an undo of adding trashes the entity, with its links', () => {
    const w = commandWorld();
    const parent = w.own(ann);
    const child = w.own(ann, { target: parent });
    w.own(ann, { target: child });
    w.done(ann, 'batch:undo', { batchId: 'b2' });
    expect([w.node(child).inTrash, w.link('l3').inTrash, w.node(parent).status]).toEqual([true, true, 0]);
    w.done(ann, 'batch:redo', { batchId: 'b2' });
    expect([w.node(child).inTrash, w.link('l3').inTrash, w.node(parent).status]).toEqual([false, false, 2]);
  });

  test('[HIS4] unpublishing is undone with the same token', () => {
    const w = commandWorld();
    const id = w.own(ann);
    w.done(ann, 'node:publish', { id });
    w.done(ann, 'node:unpublish', { id });
    w.done(ann, 'batch:undo', { batchId: 'b3' });
    expect(w.node(id)).toMatchObject({ publicToken: 't2', publicBranch: true });
  });

  test('[HIS3] [HIS4] a reader who does not see a batch gets 404, and a permanent delete cannot be undone', () => {
    const w = commandWorld();
    const id = w.own(ann);
    expect(w.say(bob, 'batch:undo', { batchId: 'b1' })).toEqual({ ok: false, error: 'not_found' });
    w.grantTo(bob, id, 3, true);
    expect(w.say(bob, 'batch:undo', { batchId: 'b1' })).toEqual({ ok: false, error: 'forbidden' });
    w.done(ann, 'node:trash', { id });
    const deleted = w.done(ann, 'node:delete', { id });
    const refused = { ok: false, error: 'conflict.irreversible' };
    expect(w.say(ann, 'batch:undo', { batchId: `b${deleted}` })).toEqual(refused);
  });

  test('[GEN8] a repeated key gets the same answer, and another payload is refused', () => {
    const w = commandWorld();
    const first = w.say(ann, 'node:add', { title: 'a' }, 'key');
    expect(w.say(ann, 'node:add', { title: 'a' }, 'key')).toEqual(first);
    expect(w.say(ann, 'node:add', { title: 'b' }, 'key')).toEqual({ ok: false, error: 'conflict.idempotency_key' });
  });
});
