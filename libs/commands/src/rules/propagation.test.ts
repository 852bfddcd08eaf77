import { Level, LinkType } from '@taskgraph/wire/codes';
import { branchFeed } from '@taskgraph/wire/feeds';
import { expect, test } from 'vitest';
import { ann, bob, createScenario, cy } from '../test/support/scenario.ts';

const scenario = () => createScenario();

test('[LNK1 ACL2] the nodes below a node are its sources over any number of links, and no others', () => {
  const scene = scenario();
  const [above, root, child, below, beside] = Array.from({ length: 5 }, () => scene.node()) as [
    ...[string, string, string, string, string],
  ];
  scene.link(root, above);
  scene.link(child, root, { type: LinkType.SECONDARY });
  scene.link(below, child);
  scene.link(child, beside);
  scene.run('node:access', { id: root, email: bob.email });
  const levels = [above, root, child, below, beside].map((id) => scene.level(id, bob));
  expect(levels).toEqual([null, Level.VIEWER, Level.VIEWER, Level.VIEWER, null]);
});

test("[ACL3] an editor who links another owner's node below a branch does not share it; its owner does", () => {
  for (const [by, seen] of [
    [bob, null],
    [ann, Level.VIEWER],
  ] as const) {
    const scene = scenario();
    const [node, root] = [scene.node(), scene.node({ ownerId: bob.id })];
    scene.grant(node, bob, Level.EDITOR);
    scene.grant(root, ann, Level.EDITOR);
    scene.grant(root, cy, Level.VIEWER, { branch: true });
    expect(scene.run('link:add', { source: node, target: root }, by).error).toBeNull();
    expect(scene.level(node, cy)).toBe(seen);
  }
});

test('[ACL3] a move within a branch shares nothing new, so an editor may make it', () => {
  const scene = scenario();
  const [root, child, other] = [scene.node(), scene.node(), scene.node()];
  const old = scene.link(child, root, { type: LinkType.SECONDARY });
  scene.link(other, root, { type: LinkType.SECONDARY });
  scene.grant(root, bob, Level.EDITOR, { branch: true });
  scene.grant(root, cy, Level.VIEWER, { branch: true });
  expect(scene.run('link:add', { source: child, target: other }, bob).error).toBeNull();
  scene.run('link:trash', { id: old }, bob);
  expect([bob, cy].map((user) => scene.level(child, user))).toEqual([Level.EDITOR, Level.VIEWER]);
});

test('[LNK3 ACL3] a node linked below a branch that its owner only reads keeps its owner and does not change the branch', () => {
  const scene = scenario();
  const root = scene.node();
  scene.grant(root, bob, Level.VIEWER, { branch: true });
  scene.grant(root, cy, Level.EDITOR, { branch: true });
  const node = scene.run('node:add', {}, bob).diff.nodes[0]?.after.id as string;
  const grants = [...scene.grants];
  const { error, diff } = scene.run('link:add', { source: node, target: root, type: 1 }, bob);
  expect(error).toBeNull();
  expect(diff.links).toMatchObject([{ after: { source: node, target: root, type: 1, private: true } }]);
  expect(scene.nodes.get(node)?.ownerId).toBe(bob.id);
  expect([ann, bob, cy].map((user) => scene.level(node, user))).toEqual([null, Level.OWNER, null]);
  expect([...scene.grants]).toEqual(grants);
  expect([...(scene.members.get(node) ?? [])]).toEqual([]);
});

test('[ACL1 ACL4] a grantee who loses a grant keeps access by others, and otherwise loses the node', () => {
  const scene = scenario();
  const [root, node] = [scene.node(), scene.node()];
  scene.link(node, root, { type: LinkType.SECONDARY });
  scene.grant(root, bob, Level.VIEWER, { branch: true });
  for (const user of [bob, cy]) scene.run('node:access', { id: node, email: user.email, level: 1 });
  expect([bob, cy].map((user) => scene.level(node, user))).toEqual([Level.ADMIN, Level.ADMIN]);
  for (const user of [bob, cy]) scene.run('node:access:delete', { id: node, email: user.email });
  expect([bob, cy].map((user) => scene.level(node, user))).toEqual([Level.VIEWER, null]);
  expect([...(scene.members.get(node) ?? [])].map(([feed]) => feed)).toContain(branchFeed(root));
});
