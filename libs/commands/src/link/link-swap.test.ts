import { Level, LinkType, Op, Status } from '@taskgraph/wire/codes';
import { expect, test } from 'vitest';
import { bob, createScenario, cy, type Scenario } from '../test/support/scenario.ts';

const scenario = () => createScenario();

/** A node of Ann's on which Bob has the level. */
function nodeFor(scene: Scenario, level: Level): string {
  const id = scene.node();
  scene.grant(id, bob, level);
  return id;
}

test('[BLK6 LNK8] the new target is Blocked, and the new source is unblocked', () => {
  const scene = scenario();
  const [source, target] = [scene.node({ status: 1 }), scene.node({ status: 1 })];
  const id = scene.link(source, target);
  const { diff } = scene.run('link:swap', { id });
  expect(diff.links).toMatchObject([
    { op: Op.LINK_SWAP, before: { source, target }, after: { id, source: target, target: source, version: 2 } },
  ]);
  expect([source, target].map((node) => scene.nodes.get(node)?.status)).toEqual([Status.BLOCKED, 1]);
});

test('[BLK6] a node with another blocker stays Blocked', () => {
  const scene = scenario();
  const target = scene.node();
  const id = scene.link(scene.node(), target);
  scene.link(scene.node(), target);
  scene.run('link:swap', { id });
  expect(scene.nodes.get(target)?.status).toBe(Status.BLOCKED);
});

test.each([
  ['the caller only reads the new target', Level.VIEWER, false],
  ['the new target is independent', Level.EDITOR, true],
])('[LNK3 LNK8 BLK9] the type becomes 1 if %s', (_what, level, independent) => {
  const scene = scenario();
  const source = scene.node({ independent });
  scene.grant(source, bob, level);
  const id = scene.link(source, nodeFor(scene, Level.EDITOR));
  const { diff } = scene.run('link:swap', { id }, bob);
  expect(diff.links[0]?.after).toMatchObject({ type: LinkType.SECONDARY, wasBlocker: false });
});

test.each([
  ['its owner, who only reads both ends', bob, true],
  ['another, who edits the old target', cy, false],
])('[LNK8] `private` after a swap by %s', (_what, by, becomesPrivate) => {
  const scene = scenario();
  const [source, target] = [scene.node(), scene.node()];
  scene.grant(source, by, Level.VIEWER);
  scene.grant(target, by, by === bob ? Level.VIEWER : Level.EDITOR);
  const id = scene.link(source, target, { ownerId: bob.id, type: LinkType.SECONDARY });
  expect(scene.run('link:swap', { id }, by).error).toBeNull();
  expect(scene.links.get(id)?.private).toBe(becomesPrivate);
});

test('[LNK8] a private link stays private when its owner swaps it', () => {
  const scene = scenario();
  const id = scene.link(scene.node(), scene.node(), { private: true });
  scene.run('link:swap', { id });
  expect(scene.links.get(id)?.private).toBe(true);
});

test('[LNK4 LNK8] another path closes a cycle, the link itself does not', () => {
  const scene = scenario();
  const [a, b, c] = [scene.node(), scene.node(), scene.node()];
  const id = scene.link(a, c);
  expect(scene.run('link:swap', { id }).error).toBeNull();
  expect(scene.run('link:swap', { id }).error).toBeNull();
  scene.link(a, b);
  scene.link(b, c);
  expect(scene.run('link:swap', { id })).toMatchObject({ error: 'conflict.cycle', details: { path: [a, b, c] } });
});

test('[LNK5 LNK8 LNK9] another link of the caller’s between the ends is refused; private links of other users do not matter', () => {
  const scene = scenario();
  const [source, target] = [nodeFor(scene, Level.EDITOR), nodeFor(scene, Level.EDITOR)];
  const secondary = { type: LinkType.SECONDARY };
  const id = scene.link(source, target, { ...secondary, ownerId: bob.id });
  scene.link(target, source, { ...secondary, private: true });
  expect(scene.run('link:swap', { id }, bob).error).toBeNull();
  scene.link(target, source, { ...secondary, private: true, ownerId: bob.id });
  // After the swap the link leads from target to source. A second swap would duplicate the private
  // link.
  expect(scene.run('link:swap', { id }, bob).error).toBe('conflict.duplicate_reversed_link');
});

test.each<[own: boolean, onSource: Level | null, onTarget: Level | null, error: string | null]>([
  [true, Level.VIEWER, Level.VIEWER, null],
  [true, null, Level.EDITOR, 'forbidden'],
  [true, Level.ADMIN, null, 'forbidden'],
  [false, Level.VIEWER, Level.EDITOR, null],
  [false, Level.ADMIN, Level.VIEWER, 'forbidden'],
  [false, null, Level.EDITOR, 'forbidden'],
  [false, null, null, 'forbidden'],
])('[LNK7] swap and restore; own link %s, level %j on the source and %j on the target: %j', (own, on, at, error) => {
  for (const [event, inTrash] of [
    ['link:swap', false],
    ['link:restore', true],
  ] as const) {
    const scene = scenario();
    const [source, target] = [scene.node(), scene.node()];
    if (on !== null) scene.grant(source, bob, on);
    if (at !== null) scene.grant(target, bob, at);
    const id = scene.link(source, target, { inTrash, ...(own ? { ownerId: bob.id } : {}) });
    expect(scene.run(event, { id }, bob).error).toBe(error);
  }
});

test('[TRS4] a trashed link is not swapped', () => {
  const scene = scenario();
  const id = scene.link(scene.node(), scene.node(), { inTrash: true });
  expect(scene.run('link:swap', { id }).error).toBe('conflict.in_trash');
});
