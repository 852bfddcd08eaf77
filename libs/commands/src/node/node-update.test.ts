import { Level, Op, Status } from '@taskgraph/wire/codes';
import { expect, test } from 'vitest';
import { ann, bob, createScenario, cy } from '../test/support/scenario.ts';

const scenario = () => createScenario();

test('[WIRE5] only given fields change, and only changed fields are shown', () => {
  const scene = scenario();
  const id = scene.node({ title: 'old', priority: 5, tags: ['a'] });
  const { diff } = scene.run('node:update', { id, title: 'new', priority: 5, tags: ['a'] });
  expect(diff.nodes).toEqual([
    {
      op: Op.NODE_UPDATE,
      before: { id, version: 1, title: 'old' },
      after: { id, version: 2, title: 'new', shareRoots: [], lastEditedTime: diff.ts },
    },
  ]);
  expect(scene.nodes.get(id)).toMatchObject({ title: 'new', priority: 5, version: 2, lastEditedTime: diff.ts });
});

test.each([
  { title: 'same' },
  { status: Status.AVAILABLE },
  { tags: ['a', 'b'], dueDate: null },
  { independent: false, x: 1.5 },
])('[GEN9] %j changes nothing if the node has these values', (fields) => {
  const scene = scenario();
  const id = scene.node({ title: 'same', tags: ['a', 'b'], x: 1.5 });
  expect(scene.run('node:update', { id, ...fields })).toMatchObject({ error: null, changes: [] });
  expect(scene.nodes.get(id)?.version).toBe(1);
});

test('a new order of tags is a change', () => {
  const scene = scenario();
  const id = scene.node({ tags: ['a', 'b'] });
  expect(scene.run('node:update', { id, tags: ['b', 'a'] }).diff.nodes[0]?.after.tags).toEqual(['b', 'a']);
});

test.each([
  [Level.ADMIN, null],
  [Level.EDITOR, null],
  [Level.VIEWER, 'forbidden'],
  [null, 'forbidden'],
])('[GEN7] updating with level %j: %j', (level, error) => {
  const scene = scenario();
  const id = scene.node({ title: 'secret' });
  if (level !== null) scene.grant(id, bob, level);
  const outcome = scene.run('node:update', { id, title: 'x' }, bob);
  expect(outcome.error).toBe(error);
  expect(JSON.stringify(outcome.details ?? {})).not.toContain('secret');
});

test('[GEN3 GEN7 TRS4] checks in order: existence, level, trash, version', () => {
  const scene = scenario();
  const id = scene.node({ inTrash: true });
  expect(scene.run('node:update', { id: ann.id, title: 'x', version: 9 }, bob).error).toBe('not_found');
  expect(scene.run('node:update', { id, title: 'x', version: 9 }, bob).error).toBe('forbidden');
  expect(scene.run('node:update', { id, title: 'x', version: 9 }).error).toBe('conflict.in_trash');
  expect(scene.run('node:update', { id: scene.node(), title: 'x', version: 9 }).error).toBe('version_conflict');
});

const free = [Status.AVAILABLE, Status.IN_PROGRESS, Status.COMPLETED];

test.each(free.flatMap((from) => free.map((to) => [from, to] as const)))(
  '[BLK4] a user changes status %i to %i',
  (from, to) => {
    const scene = scenario();
    const id = scene.node({ status: from });
    const { diff } = scene.run('node:update', { id, status: to });
    expect(scene.nodes.get(id)?.status).toBe(to);
    expect(diff.nodes.map(({ op }) => op)).toEqual(from === to ? [] : [Op.NODE_STATUS]);
  },
);

test.each(free)('[BLK4] status %i is refused while the node is Blocked, and its blockers are named', (status) => {
  const scene = scenario();
  const [blocked, first, second, done] = [
    scene.node(),
    scene.node(),
    scene.node(),
    scene.node({ status: Status.COMPLETED }),
  ];
  const [one, two] = [scene.link(first, blocked), scene.link(second, blocked)];
  scene.link(done, blocked);
  scene.link(scene.node(), blocked, { type: 1 });
  const outcome = scene.run('node:update', { id: blocked, status, title: 'x' });
  expect(outcome.error).toBe('conflict.node_blocked');
  expect(outcome.details).toEqual({
    blockers: [
      { id: first, link: one },
      { id: second, link: two },
    ],
  });
  expect(scene.nodes.get(blocked)).toMatchObject({ title: '', version: 1 });
});

test('[BLK4 LNK9] all invisible blockers count as one', () => {
  const scene = scenario();
  const blocked = scene.node();
  const [seen, shared, foreign] = [scene.node(), scene.node(), scene.node({ ownerId: cy.id })];
  const link = scene.link(seen, blocked);
  for (const node of [blocked, seen]) scene.grant(node, bob, Level.EDITOR);
  scene.grant(shared, bob, Level.VIEWER);
  // Hidden from Bob: two sources without access, and a private link from a node that he sees.
  scene.link(foreign, blocked, { ownerId: cy.id });
  scene.link(scene.node(), blocked);
  scene.link(shared, blocked, { private: true, ownerId: cy.id });
  const asBob = scene.run('node:update', { id: blocked, status: 3 }, bob);
  expect(asBob.details).toEqual({ blockers: [{ id: seen, link }, { hidden: true }] });
});

test('[BLK4] other fields of a Blocked node can change', () => {
  const scene = scenario();
  const blocked = scene.node();
  scene.link(scene.node(), blocked);
  expect(scene.run('node:update', { id: blocked, title: 'x' }).error).toBeNull();
  expect(scene.nodes.get(blocked)).toMatchObject({ title: 'x', status: Status.BLOCKED });
});

test('[BLK8] a status with other fields makes two entries, one version step each', () => {
  const scene = scenario();
  const id = scene.node();
  const { diff } = scene.run('node:update', { id, title: 'x', status: 1 });
  expect(diff.nodes).toMatchObject([
    { op: Op.NODE_UPDATE, before: { version: 1, title: '' }, after: { version: 2, title: 'x' } },
    { op: Op.NODE_STATUS, before: { version: 2, status: 0 }, after: { version: 3, status: 1 } },
  ]);
  expect(diff.nodes[0]?.after).not.toHaveProperty('status');
  expect(diff.nodes[1]?.after).not.toHaveProperty('title');
});

test.each([
  [0, 0],
  [1, 1],
  [3, 1],
])('[BLK3 BLK7 BLK8] dependent again with status %i: Blocked in one entry, and back as %i', (wish, back) => {
  const scene = scenario();
  const [id, blocker] = [scene.node({ independent: true, status: 1 }), scene.node()];
  scene.link(blocker, id);
  const { diff } = scene.run('node:update', { id, independent: false, status: wish });
  expect(diff.nodes).toMatchObject([
    { op: Op.NODE_UPDATE, after: { id, version: 2, independent: false } },
    { op: Op.NODE_STATUS, before: { status: 1 }, after: { id, version: 3, status: Status.BLOCKED } },
  ]);
  expect(diff.nodes).toHaveLength(2);
  expect(diff.links).toMatchObject([{ op: Op.LINK_UPDATE, after: { version: 2, wasBlocker: true } }]);
  scene.run('node:update', { id: blocker, status: 3 });
  expect(scene.nodes.get(id)?.status).toBe(back);
});

test('[GEN6] status effects are written in lower case', () => {
  const scene = scenario();
  const [blocker, id] = [scene.node(), scene.node()];
  scene.link(blocker, id);
  const { diff } = scene.run('node:update', { id: blocker, status: 3 });
  expect(diff.nodes.map(({ after }) => after)).toMatchObject([{ status: 3 }, { id, status: 0 }]);
  expect(JSON.stringify(diff)).not.toContain('"Status"');
});
