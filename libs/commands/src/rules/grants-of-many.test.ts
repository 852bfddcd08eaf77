// The number of an e-mail's grants by one owner, and how grantees leave them. Rules: ACL10, NODE3,
// HIS3.
import { Level, Op } from '@taskgraph/wire/codes';
import { branchFeed, userFeed } from '@taskgraph/wire/feeds';
import { describe, expect, test } from 'vitest';
import { ann, bob, createScenario, cy } from '../test/support/scenario.ts';

const scenario = () => createScenario();

describe("[ACL10] the limit on an e-mail's grants", () => {
  function full(fields: object = {}) {
    const scene = scenario();
    const [node, others] = [scene.node(), scene.node({ ownerId: cy.id })];
    scene.grant(node, bob, Level.EDITOR, fields);
    scene.claimGrants(ann, bob, 2_000);
    return { scene, node, others };
  }

  test('counts by the owner of the nodes, so no user exhausts the grants of others', () => {
    const { scene, others } = full();
    const another = scene.node();
    expect(scene.run('node:access', { id: another, email: bob.email }).error).toBe('conflict.too_many_grants');
    expect(scene.run('node:access', { id: another, email: cy.email }).error).toBeNull();
    expect(scene.run('node:access', { id: others, email: bob.email }, cy).error).toBeNull();
  });

  test('an existing grant is changed and ended at the limit', () => {
    const { scene, node } = full();
    expect(scene.run('node:access', { id: node, email: bob.email, level: 1 }).error).toBeNull();
    expect(scene.run('node:access:update', { id: node, email: bob.email, level: 2 }).error).toBeNull();
    expect(scene.run('node:access:delete', { id: node, email: bob.email }).error).toBeNull();
  });

  test('[NODE3] a node that its creator would not see is not created', () => {
    const { scene, node } = full();
    const { error, changes } = scene.run('node:add', { target: node }, bob);
    expect([error, changes]).toEqual(['conflict.too_many_grants', []]);
    scene.claimGrants(ann, bob, 1_999);
    const child = scene.run('node:add', { target: node }, bob).diff.nodes[0]?.after.id as string;
    expect(scene.level(child, bob)).toBe(Level.EDITOR);
  });

  test('[NODE3] a caller who sees the child without a copy creates it at the limit', () => {
    const { scene, node } = full({ branch: true });
    const child = scene.run('node:add', { target: node }, bob).diff.nodes[0]?.after.id as string;
    expect(scene.level(child, bob)).toBe(Level.EDITOR);
  });

  test('[HIS2 HIS4] restored grants count too; copies are restored up to the limit', () => {
    const scene = scenario();
    const parent = scene.node();
    scene.grant(parent, bob, Level.EDITOR);
    const child = scene.run('node:add', { target: parent }, bob).diff.nodes[0]?.after.id as string;
    const { batchId } = scene.run('node:access:delete', { id: parent, email: bob.email });
    scene.claimGrants(ann, bob, 2_000);
    expect(scene.run('batch:undo', { batchId }).error).toBe('conflict.too_many_grants');
    scene.claimGrants(ann, bob, 1_998);
    expect(scene.run('batch:undo', { batchId }).error).toBeNull();
    expect(scene.level(child, bob)).toBe(Level.EDITOR);
  });
});

describe('[ACL10] leaving', () => {
  test('needs no level, and is reported like any other loss', () => {
    for (const branch of [true, false]) {
      const scene = scenario();
      const node = scene.node();
      scene.grant(node, bob, Level.VIEWER, { branch });
      const left = scene.run('node:access:delete', { id: node, email: bob.email.toUpperCase() }, bob);
      expect(left.diff.access).toMatchObject([{ op: Op.GRANT_DELETE, before: { id: node, email: bob.email } }]);
      expect(left.slices.get(userFeed(bob.id))?.access).toMatchObject([{ change: 'lost' }]);
      expect([...left.slices.keys()].sort()).toEqual([ann, bob].map(({ id }) => userFeed(id)));
      expect(scene.level(node, bob)).toBeNull();
      if (branch) expect(scene.feeds.get(branchFeed(node))).toMatchObject({ grants: 0, epoch: 2 });
    }
  });

  test("applies to the caller's own grant, while it is current", () => {
    const scene = scenario();
    const [node, below] = [scene.node(), scene.node()];
    scene.link(below, node, { type: 1 });
    scene.grant(node, bob, Level.EDITOR, { branch: true });
    scene.grant(node, cy, Level.VIEWER);
    expect(scene.run('node:access:delete', { id: node, email: cy.email }, bob).error).toBe('forbidden');
    expect(scene.run('node:access:delete', { id: below, email: bob.email }, bob).error).toBe('not_found');
    expect(scene.run('node:access:delete', { id: below, email: cy.email }, cy).error).toBe('forbidden');
    const ended = scene.node();
    scene.grant(ended, bob, Level.VIEWER, { due: '2020-01-01T00:00:00.000Z' });
    expect(scene.run('node:access:delete', { id: ended, email: bob.email }, bob).error).toBe('forbidden');
    expect(scene.run('node:access:delete', { id: bob.id, email: bob.email }, bob).error).toBe('not_found');
    expect(scene.run('node:access:delete', { id: node, email: cy.email, version: 9 }, cy).error).toBe(
      'version_conflict',
    );
  });

  test('[TRS4] is possible in the trash, and ends the copies', () => {
    const scene = scenario();
    const parent = scene.node();
    scene.grant(parent, bob, Level.EDITOR);
    const child = scene.run('node:add', { target: parent }, bob).diff.nodes[0]?.after.id as string;
    scene.run('node:trash', { id: parent });
    expect(scene.run('node:access:delete', { id: parent, email: bob.email }, bob).error).toBeNull();
    expect([parent, child].map((id) => scene.level(id, bob))).toEqual([null, null]);
  });

  test('[HIS3] is undone by users who may grant, not by the user who left; a grantee may undo the batch of their own grant', () => {
    const scene = scenario();
    const node = scene.node();
    scene.grant(node, cy, Level.ADMIN, { branch: true });
    const granted = scene.run('node:access', { id: node, email: bob.email, level: 3 });
    const left = scene.run('node:access:delete', { id: node, email: bob.email }, bob);
    expect(scene.run('batch:undo', { batchId: left.batchId }, bob).error).toBe('not_found');
    expect(scene.run('batch:undo', { batchId: left.batchId }, cy).error).toBeNull();
    expect(scene.level(node, bob)).toBe(Level.VIEWER);
    // The undo restored the grant, except for its version.
    expect(scene.run('batch:undo', { batchId: granted.batchId }, bob).error).toBeNull();
    expect(scene.level(node, bob)).toBeNull();
  });

  test('[HIS3] a grantee may not undo a higher grant to themselves, because a lower one remains', () => {
    const scene = scenario();
    const node = scene.node();
    scene.grant(node, bob, Level.VIEWER);
    const more = scene.run('node:access', { id: node, email: bob.email, level: 2, branch: false });
    expect(scene.run('batch:undo', { batchId: more.batchId }, bob).error).toBe('forbidden');
  });
});
