// The model's grants and publications follow the rules: short cases, derived by hand.
import { describe, expect, test } from 'vitest';
import { ann, bob, cat, commandWorld } from './command-world.ts';

describe('access', () => {
  test('[ACL2] [NODE3] a child inherits branch grants and no others', () => {
    const w = commandWorld();
    const parent = w.own(ann);
    w.grantTo(bob, parent, 2, true);
    w.grantTo(cat, parent, 2, false);
    const child = w.own(bob, { target: parent });
    expect(w.node(child).ownerId).toBe(ann.id);
    expect([w.level(bob, child), w.level(cat, child)]).toEqual([2, null]);
    expect(w.roots(bob, child)).toEqual([parent]);
    const second = w.own(cat, { target: parent });
    expect(w.grant(second, cat)).toMatchObject({ level: 2, branch: false, copyOf: parent });
  });

  test('[NODE3] a copy changes and ends with its original, until a user changes it', () => {
    const w = commandWorld();
    const parent = w.own(ann);
    w.grantTo(cat, parent, 2, false);
    const [first, second] = [w.own(cat, { target: parent }), w.own(cat, { target: parent })];
    w.done(ann, 'node:access:update', { id: second, email: cat.email, level: 3 });
    const diff = w.diff(ann, 'node:access:update', { id: parent, email: cat.email, level: 1 });
    expect(diff.access).toMatchObject([
      { op: 21, before: { id: parent, level: 2 }, after: { level: 1, version: 2 } },
      { op: 21, after: { id: first, level: 1 } },
    ]);
    w.done(ann, 'node:access:delete', { id: parent, email: cat.email });
    expect([w.grant(first, cat), w.grant(second, cat)?.level]).toEqual([undefined, 3]);
    w.done(ann, 'batch:undo', { batchId: 'b7' });
    expect([w.grant(parent, cat)?.version, w.grant(first, cat)?.level]).toEqual([3, 1]);
  });

  test("[ACL3] an editor cannot share another user's node by adding it below an own branch", () => {
    const w = commandWorld();
    const [node, branch] = [w.own(ann), w.own(bob)];
    w.grantTo(bob, node, 2, false);
    w.grantTo(cat, branch, 3, true, bob);
    const link = w.tie(bob, node, branch);
    expect(w.level(cat, node)).toBe(null);
    w.done(bob, 'link:trash', { id: link });
    w.grantTo(cat, branch, 2, true, bob);
    expect(w.say(ann, 'link:add', { source: node, target: branch })).toEqual({ ok: false, error: 'forbidden' });
  });

  test('[ACL3] a link that propagated does so again when its trasher restores it', () => {
    const w = commandWorld();
    const parent = w.own(ann);
    w.grantTo(bob, parent, 2, true);
    const child = w.done(ann, 'node:add', { target: parent });
    w.done(bob, 'link:trash', { id: `l${child}` });
    expect(w.level(bob, `n${child}`)).toBe(null);
    w.done(bob, 'link:restore', { id: `l${child}` });
    expect(w.level(bob, `n${child}`)).toBe(2);
  });

  test('[ACL4] an admin of one node alone grants no branches, and no grant is for the owner', () => {
    const w = commandWorld();
    const id = w.own(ann);
    w.grantTo(bob, id, 1, false);
    expect(w.say(bob, 'node:access', { id, email: cat.email })).toEqual({ ok: false, error: 'forbidden' });
    w.grantTo(cat, id, 3, false, bob);
    const owner = { ok: false, error: 'bad_request.owner_grant' };
    expect(w.say(bob, 'node:access', { id, email: ann.email, branch: false })).toEqual(owner);
    expect(w.say(ann, 'node:access:delete', { id, email: 'x@example.org' })).toEqual({ ok: false, error: 'not_found' });
  });

  test('[ACL10] a grantee revokes only their own grant, at any level, and a user who may grant restores it', () => {
    const w = commandWorld();
    const id = w.own(ann);
    w.grantTo(bob, id, 3, true);
    w.grantTo(cat, id, 3, false);
    expect(w.say(bob, 'node:access:delete', { id, email: cat.email })).toEqual({ ok: false, error: 'forbidden' });
    w.done(bob, 'node:access:delete', { id, email: bob.email });
    expect([w.level(bob, id), w.level(cat, id)]).toEqual([null, 3]);
    expect(w.say(bob, 'node:access:delete', { id, email: bob.email })).toEqual({ ok: false, error: 'forbidden' });
    expect(w.say(bob, 'batch:undo', { batchId: 'b5' })).toEqual({ ok: false, error: 'not_found' });
    w.done(ann, 'batch:undo', { batchId: 'b5' });
    expect(w.level(bob, id)).toBe(3);
  });

  test('[ACL5] `due` lies in the future, and access ends with it', () => {
    const w = commandWorld();
    const id = w.own(ann);
    const granted = { id, email: bob.email, branch: false };
    expect(w.say(ann, 'node:access', { ...granted, due: w.time(1) })).toEqual({ ok: false, error: 'invalid_due' });
    w.done(ann, 'node:access', { ...granted, due: w.time(4) });
    expect(w.level(bob, id)).toBe(3);
    w.own(ann);
    expect(w.level(bob, id)).toBe(null);
  });

  test('[ACL9] [PUB1] only admins see a token', () => {
    const w = commandWorld();
    const id = w.own(ann);
    w.grantTo(bob, id, 2, true);
    const [entry] = w.diff(ann, 'node:publish', { id }).nodes;
    expect(entry).toMatchObject({
      op: 6,
      after: { publicToken: 't3', publicBranch: true, publicDue: null, version: 2 },
    });
    w.done(ann, 'node:trash', { id });
    const [restored] = w.diff(bob, 'node:restore', { id }).nodes;
    expect(restored?.after).not.toHaveProperty('publicToken');
    expect(w.say(ann, 'node:publish', { id })).toEqual({ ok: false, error: 'conflict.already_public' });
  });
});
