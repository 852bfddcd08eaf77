import { Level, LinkType, Op, Status } from '@taskgraph/wire/codes';
import { slotOf } from '@taskgraph/wire/ids';
import { expect, test } from 'vitest';
import { ann, bob, createScenario } from '../test/support/scenario.ts';

const scenario = () => createScenario();

test('[NODE1 GEN9] every field of a new node is optional', () => {
  const { diff } = scenario().run('node:add', {});
  expect(diff.nodes).toHaveLength(1);
  expect(diff.links).toEqual([]);
  expect(diff.nodes[0]).toMatchObject({ op: Op.NODE_ADD, before: {} });
  const empty = { title: '', description: '', tags: [], assignee: [], dueDate: null, x: 0, y: 0, z: 0 };
  expect(diff.nodes[0]?.after).toMatchObject({ ...empty, status: Status.AVAILABLE, version: 1, inTrash: false });
});

test('[NODE1] every given field is stored', () => {
  const fields = {
    title: 'a',
    description: 'b',
    status: Status.COMPLETED,
    dueDate: '2026-05-01T00:00:00.000Z',
    tags: ['c'],
    priority: 1,
    independent: true,
    volume: 2,
    assignee: ['d'],
    pinned: true,
    collapsed: true,
    x: 0.5,
    y: -1,
    z: 2,
  };
  expect(scenario().run('node:add', fields).diff.nodes[0]?.after).toMatchObject(fields);
});

test("[NODE3 GEN1] a node without parent has its creator's owner and slot; a child and its link belong to the parent's owner", () => {
  const scene = scenario();
  const alone = scene.run('node:add', {}, bob).diff.nodes[0]?.after;
  expect(alone).toMatchObject({ ownerUsername: 'bob' });
  expect(slotOf(alone?.id as string)).toBe(slotOf(bob.id));

  const parent = scene.node();
  scene.grant(parent, bob, Level.EDITOR);
  const { diff } = scene.run('node:add', { target: parent }, bob);
  const child = diff.nodes.find(({ op }) => op === Op.NODE_ADD)?.after.id as string;
  const link = diff.links[0]?.after.id as string;
  expect(scene.nodes.get(child)?.ownerId).toBe(ann.id);
  expect(scene.links.get(link)).toMatchObject({ ownerId: ann.id, conveys: true, private: false });
  expect([slotOf(child), slotOf(link)]).toEqual([slotOf(parent), slotOf(parent)]);
});

test.each([
  [false, LinkType.PRIMARY, true, Status.BLOCKED],
  [true, LinkType.SECONDARY, false, Status.AVAILABLE],
])('[NODE4 BLK2 BLK9] below a parent with independent %s the link has type %i', (independent, type, was, status) => {
  const scene = scenario();
  const parent = scene.node({ independent });
  const { diff } = scene.run('node:add', { target: parent });
  const link = { op: Op.LINK_ADD, before: {}, after: { target: parent, type, wasBlocker: was } };
  expect(diff.links).toMatchObject([link]);
  expect(scene.nodes.get(parent)?.status).toBe(status);
  expect(diff.nodes.filter(({ op }) => op === Op.NODE_STATUS)).toHaveLength(was ? 1 : 0);
});

test('[BLK1] a child that is created Completed blocks nothing', () => {
  const scene = scenario();
  const parent = scene.node();
  const { diff } = scene.run('node:add', { target: parent, status: Status.COMPLETED });
  expect(diff.links).toMatchObject([{ after: { type: LinkType.PRIMARY, wasBlocker: false } }]);
  expect(diff.nodes).toHaveLength(1);
});

test.each([
  [Level.VIEWER, 'forbidden'],
  [null, 'forbidden'],
  [Level.EDITOR, null],
  [Level.ADMIN, null],
])('[NODE5 GEN7] adding a child with level %j on the parent: %j', (level, error) => {
  const scene = scenario();
  const target = scene.node();
  if (level !== null) scene.grant(target, bob, level);
  expect(scene.run('node:add', { target }, bob).error).toBe(error);
});

test('[ACL5] an expired grant gives no access', () => {
  const scene = scenario();
  const target = scene.node();
  scene.grant(target, bob, Level.EDITOR, { due: '2025-12-31T23:59:59.999Z' });
  expect(scene.run('node:add', { target }, bob).error).toBe('forbidden');
  scene.grant(target, bob, Level.EDITOR, { due: '2030-01-01T00:00:00.000Z' });
  expect(scene.run('node:add', { target }, bob).error).toBeNull();
});

test('[NODE5 GEN3 LNK2] a parent that is missing, trashed or at its link limit', () => {
  const scene = scenario();
  const trashed = scene.node({ inTrash: true });
  expect(scene.run('node:add', { target: bob.id }).error).toBe('not_found');
  expect(scene.run('node:add', { target: trashed }).error).toBe('conflict.target_in_trash');
  // A caller who may not add a child does not learn that the parent is in the trash.
  expect(scene.run('node:add', { target: trashed }, bob).error).toBe('forbidden');
  const full = scene.node();
  scene.claimLinks(full, 20_000);
  expect(scene.run('node:add', { target: full }).error).toBe('conflict.too_many_links');
  scene.claimLinks(full, 19_999);
  expect(scene.run('node:add', { target: full }).error).toBeNull();
});
