import { Level, LinkType, Op, Status } from '@taskgraph/wire/codes';
import { expect, test } from 'vitest';
import { bob, createScenario } from '../test/support/scenario.ts';

const scenario = () => createScenario();

test('[LNK10 BLK6 BLK9] a link that becomes secondary unblocks its target, and one that becomes primary blocks it again', () => {
  const scene = scenario();
  const target = scene.node();
  const id = scene.link(scene.node(), target);
  const { diff } = scene.run('link:update', { id, type: LinkType.SECONDARY });
  expect(diff.links).toMatchObject([
    { op: Op.LINK_UPDATE, before: { type: 0, wasBlocker: true }, after: { version: 2, type: 1, wasBlocker: false } },
  ]);
  expect(scene.nodes.get(target)?.status).toBe(Status.AVAILABLE);
  scene.run('link:update', { id, type: LinkType.PRIMARY });
  expect(scene.links.get(id)).toMatchObject({ type: 0, wasBlocker: true });
  expect(scene.nodes.get(target)?.status).toBe(Status.BLOCKED);
});

test('[GEN9] equal values change nothing', () => {
  const scene = scenario();
  const id = scene.link(scene.node(), scene.node());
  expect(scene.run('link:update', { id, type: 0, private: false })).toMatchObject({ error: null, changes: [] });
});

test.each<[own: boolean, onSource: Level | null, onTarget: Level | null, fields: object, error: string | null]>([
  [true, Level.VIEWER, Level.VIEWER, { type: 1 }, null],
  [true, Level.VIEWER, Level.VIEWER, { private: true }, null],
  [true, null, Level.EDITOR, { type: 1 }, 'forbidden'],
  [true, null, Level.EDITOR, { private: true }, null],
  [false, Level.VIEWER, Level.EDITOR, { type: 1 }, null],
  [false, Level.ADMIN, Level.ADMIN, { private: true }, 'forbidden'],
  [false, Level.ADMIN, Level.ADMIN, { type: 1, private: true }, 'forbidden'],
  [false, Level.ADMIN, Level.VIEWER, { type: 1 }, 'forbidden'],
])('[LNK10] own link %s, levels %j and %j: %j is %j', (own, on, at, fields, error) => {
  const scene = scenario();
  const [source, target] = [scene.node(), scene.node()];
  if (on !== null) scene.grant(source, bob, on);
  if (at !== null) scene.grant(target, bob, at);
  const id = scene.link(source, target, own ? { ownerId: bob.id } : {});
  expect(scene.run('link:update', { id, ...fields }, bob).error).toBe(error);
});

test('[LNK3 LNK10] values are corrected as by link:add', () => {
  const scene = scenario();
  const [source, target, independent] = [scene.node(), scene.node(), scene.node({ independent: true })];
  for (const node of [source, target]) scene.grant(node, bob, Level.VIEWER);
  const own = { ownerId: bob.id, private: true, type: LinkType.SECONDARY };
  const id = scene.link(source, target, own);
  scene.run('link:update', { id, private: false, type: LinkType.PRIMARY }, bob);
  expect(scene.links.get(id)).toMatchObject({ private: true, type: LinkType.SECONDARY, version: 1 });
  const into = scene.link(source, independent, { type: LinkType.SECONDARY });
  scene.run('link:update', { id: into, type: LinkType.PRIMARY });
  expect(scene.links.get(into)?.type).toBe(LinkType.SECONDARY);
});

test('[LNK5 LNK9] a private link that becomes public is checked for duplicates', () => {
  const scene = scenario();
  const [source, target] = [scene.node(), scene.node()];
  for (const node of [source, target]) scene.grant(node, bob, Level.EDITOR);
  const id = scene.link(source, target, { ownerId: bob.id, private: true, type: LinkType.SECONDARY });
  const theirs = scene.link(source, target, { type: LinkType.SECONDARY });
  expect(scene.run('link:update', { id, private: false }, bob).error).toBe('conflict.duplicate_link');
  scene.run('link:swap', { id: theirs });
  expect(scene.run('link:update', { id, private: false }, bob).error).toBe('conflict.duplicate_reversed_link');
  scene.run('link:trash', { id: theirs });
  expect(scene.run('link:update', { id, private: false }, bob).error).toBeNull();
});

test('[LNK4] a link that becomes primary may not close a cycle', () => {
  const scene = scenario();
  const [a, b] = [scene.node(), scene.node()];
  const id = scene.link(b, a, { type: LinkType.SECONDARY });
  scene.link(a, b, { private: true, ownerId: bob.id });
  expect(scene.run('link:update', { id, type: 0 })).toMatchObject({
    error: 'conflict.cycle',
    // A private link of another user.
    details: { path: [a, null, b] },
  });
});

test('[TRS4] a trashed link is not changed', () => {
  const scene = scenario();
  const id = scene.link(scene.node(), scene.node(), { inTrash: true });
  expect(scene.run('link:update', { id, type: 1 }).error).toBe('conflict.in_trash');
});

test('[LNK10] an owner who no longer sees the ends may make the link private but not public', () => {
  const scene = scenario();
  const id = scene.link(scene.node(), scene.node(), { ownerId: bob.id, type: LinkType.SECONDARY });
  expect(scene.run('link:update', { id, type: 0 }, bob).error).toBe('forbidden');
  expect(scene.run('link:update', { id, private: true }, bob).error).toBeNull();
  scene.run('link:update', { id, private: false }, bob);
  expect(scene.links.get(id)?.private).toBe(true);
});
