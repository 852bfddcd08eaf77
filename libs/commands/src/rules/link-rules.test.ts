// Propagation of links, and the limit on a node's links.
import { Level, LinkType } from '@taskgraph/wire/codes';
import { describe, expect, test } from 'vitest';
import { ann, bob, createScenario, cy } from '../test/support/scenario.ts';

const scenario = () => createScenario();

/** Ann's root, whose branch Cy reads, and a node to link below it. */
function rootAnd(fields: { ownerId?: string } = {}) {
  const scene = scenario();
  const [root, node] = [scene.node(), scene.node(fields)];
  scene.grant(root, cy, Level.VIEWER, { branch: true });
  return { scene, root, node };
}

describe('[ACL3] a new link propagates', () => {
  test.each<[who: string, level: Level, branchGrant: boolean, shares: boolean]>([
    ['an admin of the source alone', Level.ADMIN, false, false],
    ['an editor of the source by its branch', Level.EDITOR, true, false],
    ['an admin of the source by its branch', Level.ADMIN, true, true],
  ])('by %s (level %i, branch grant %j): %j', (_who, level, branchGrant, shares) => {
    const { scene, root, node } = rootAnd({ ownerId: bob.id });
    // Ann owns the root; she has this right on Bob's node.
    scene.grant(node, ann, level, { branch: branchGrant });
    expect(scene.run('link:add', { source: node, target: root, type: 1 }).error).toBeNull();
    expect(scene.level(node, cy)).toBe(shares ? Level.VIEWER : null);
  });

  test('if the owner of the source makes it, so the owner of the tree sees the source', () => {
    const { scene, root, node } = rootAnd({ ownerId: bob.id });
    scene.grant(root, bob, Level.EDITOR);
    const below = scene.node({ ownerId: bob.id });
    scene.link(below, node, { ownerId: bob.id, type: LinkType.SECONDARY });
    scene.run('link:add', { source: node, target: root }, bob);
    expect([node, below].map((id) => [scene.level(id, cy), scene.level(id, ann)])).toEqual([
      [Level.VIEWER, Level.VIEWER],
      [Level.VIEWER, Level.VIEWER],
    ]);
  });

  test('only after its owner makes it public, if it is private', () => {
    const { scene, root, node } = rootAnd();
    const made = scene.run('link:add', { source: node, target: root, private: true });
    expect(scene.level(node, cy)).toBeNull();
    scene.run('link:update', { id: made.diff.links[0]?.after.id, private: false });
    expect(scene.level(node, cy)).toBe(Level.VIEWER);
  });
});

describe('[ACL3] a move within a branch', () => {
  /** Root, two of its children, and Bob, who is an editor of the branch. */
  function branch() {
    const scene = scenario();
    const [root, one, other] = [scene.node(), scene.node(), scene.node()] as const;
    for (const child of [one, other]) scene.link(child, root, { type: LinkType.SECONDARY });
    scene.grant(root, bob, Level.EDITOR, { branch: true });
    return { scene, root, one, other };
  }

  test('propagates even if an editor makes it, because it shares nothing new', () => {
    const { scene, one, other } = branch();
    const link = scene.run('link:add', { source: one, target: other }, bob).diff.links[0]?.after.id as string;
    expect(scene.links.get(link)?.conveys).toBe(true);
  });

  test('does not propagate if the target belongs to further feeds', () => {
    const { scene, one, other } = branch();
    scene.grant(other, cy, Level.VIEWER, { branch: true });
    const link = scene.run('link:add', { source: one, target: other }, bob).diff.links[0]?.after.id as string;
    expect(scene.links.get(link)?.conveys).toBe(false);
    expect(scene.level(one, cy)).toBeNull();
  });

  test('ignores a branch whose last grant has ended', () => {
    const { scene, one, other } = branch();
    scene.run('node:access', { id: other, email: cy.email });
    scene.run('node:access:delete', { id: other, email: cy.email });
    const link = scene.run('link:add', { source: one, target: other }, bob).diff.links[0]?.after.id as string;
    expect(scene.links.get(link)?.conveys).toBe(true);
  });

  test('is impossible between two owners and by a swap', () => {
    const { scene, one, other } = branch();
    const theirs = scene.node({ ownerId: cy.id });
    scene.link(theirs, one, { type: LinkType.SECONDARY, ownerId: cy.id });
    const linked = scene.run('link:add', { source: theirs, target: other, type: 1 }, bob);
    expect(scene.links.get(linked.diff.links[0]?.after.id as string)?.conveys).toBe(false);
    const link = scene.run('link:add', { source: one, target: other }, bob).diff.links[0]?.after.id as string;
    scene.run('link:swap', { id: link }, bob);
    expect(scene.links.get(link)).toMatchObject({ source: other, conveys: false });
  });
});

describe('[ACL3 LNK7] a restored link', () => {
  test('propagates again with its node', () => {
    const { scene, root, node } = rootAnd();
    scene.run('link:add', { source: node, target: root });
    scene.grant(node, bob, Level.EDITOR);
    scene.run('node:trash', { id: node }, bob);
    expect(scene.level(node, cy)).toBeNull();
    scene.run('node:restore', { id: node }, bob);
    expect(scene.level(node, cy)).toBe(Level.VIEWER);
  });

  test.each([
    ['bob', bob, Level.VIEWER],
    ['ann', ann, null],
  ])('trashed by %s and restored by Bob, an editor, propagates only if he trashed it', (_who, trasher, level) => {
    const { scene, root, node } = rootAnd();
    const link = scene.run('link:add', { source: node, target: root }).diff.links[0]?.after.id as string;
    for (const end of [root, node]) scene.grant(end, bob, Level.EDITOR);
    scene.run('link:trash', { id: link }, trasher);
    expect(scene.run('link:restore', { id: link }, bob).error).toBeNull();
    expect(scene.level(node, cy)).toBe(level);
  });

  test('may be restored by the user who lost sight of its source by trashing it', () => {
    const scene = scenario();
    const [root, child] = [scene.node(), scene.node()];
    const link = scene.link(child, root, { type: LinkType.SECONDARY });
    scene.grant(root, bob, Level.EDITOR, { branch: true });
    scene.run('link:trash', { id: link }, bob);
    expect(scene.level(child, bob)).toBeNull();
    expect(scene.run('link:restore', { id: link }, bob).error).toBeNull();
    expect(scene.level(child, bob)).toBe(Level.EDITOR);
  });
});

test('[TRS2] a branch editor restores a node that they trashed in it, unless its parent has left since', () => {
  const scene = scenario();
  const [root, middle, leaf] = [scene.node(), scene.node(), scene.node()] as const;
  const up = scene.link(middle, root, { type: LinkType.SECONDARY });
  scene.link(leaf, middle, { type: LinkType.SECONDARY });
  scene.grant(root, bob, Level.EDITOR, { branch: true });
  scene.run('node:trash', { id: leaf }, bob);
  expect(scene.run('node:update', { id: leaf, title: 'x' }, bob).error).toBe('forbidden');
  scene.run('link:trash', { id: up });
  expect(scene.run('node:restore', { id: leaf }, bob).error).toBe('forbidden');
  scene.run('link:restore', { id: up });
  expect(scene.run('node:restore', { id: leaf }, bob).error).toBeNull();
});

test('[LNK2] links of other users never prevent trashing, completing or revoking', () => {
  const scene = scenario();
  const node = scene.node();
  scene.grant(node, bob, Level.VIEWER);
  scene.link(scene.node({ ownerId: bob.id }), node, { ownerId: bob.id, type: LinkType.SECONDARY, private: true });
  scene.claimLinks(node, 20_000);
  expect(scene.run('node:update', { id: node, status: 3 }).error).toBeNull();
  expect(scene.run('node:access:delete', { id: node, email: bob.email }).error).toBeNull();
  expect(scene.run('node:trash', { id: node }).error).toBeNull();
});
