import { Level, LinkType, Op, Status } from '@taskgraph/wire/codes';
import { describe, expect, test } from 'vitest';
import { bob, createScenario, cy } from '../test/support/scenario.ts';

const scenario = () => createScenario();
const idsOf = (entries: readonly { after: Record<string, unknown> }[]) => entries.map(({ after }) => after.id);

test('[TRS1 BLK6] a node is trashed with its active links of any owner in one batch; its descendants stay', () => {
  const scene = scenario();
  const [parent, node, child] = [scene.node(), scene.node(), scene.node()];
  const up = scene.link(node, parent, { ownerId: bob.id, private: true });
  const down = scene.link(child, node);
  const before = scene.link(parent, node, { inTrash: true, lastBatchID: cy.id });
  const { diff, changes } = scene.run('node:trash', { id: node });
  const trashed = changes.filter(({ kind }) => kind === 'link').map(({ id }) => id);
  expect(trashed).toEqual([up, down]);
  // It is trashed too, but the caller does not see another user's private link.
  expect(idsOf(diff.links)).toEqual([down]);
  for (const { op, after } of diff.links) {
    expect({ op, after }).toMatchObject({ op: Op.LINK_TRASH, after: { inTrash: true, lastBatchID: diff.batchId } });
  }
  const trashing = diff.nodes.find(({ op }) => op === Op.NODE_TRASH);
  expect(trashing?.after).toMatchObject({ id: node, inTrash: true, lastBatchID: diff.batchId, version: 2 });
  expect(scene.links.get(before)?.lastBatchID).toBe(cy.id);
  expect(scene.nodes.get(parent)?.status).toBe(Status.AVAILABLE);
  expect(scene.nodes.get(child)).toMatchObject({ inTrash: false, version: 1 });
});

test('[BLK10] a trashed node keeps its status until a restore recomputes it', () => {
  const scene = scenario();
  const [node, blocker] = [scene.node({ status: 1 }), scene.node()];
  scene.link(blocker, node);
  scene.run('node:trash', { id: node });
  expect(scene.nodes.get(node)?.status).toBe(Status.BLOCKED);
  scene.run('node:update', { id: blocker, status: Status.COMPLETED });
  expect(scene.nodes.get(node)?.status).toBe(Status.BLOCKED);
  scene.run('node:restore', { id: node });
  expect(scene.nodes.get(node)?.status).toBe(1);
});

test('[BLK9 TRS3] a restored link that blocks for the first time, because its source becomes Blocked, shows the mark in one entry', () => {
  const scene = scenario();
  const [blocker, node, target] = [
    scene.node({ status: Status.COMPLETED }),
    scene.node({ status: Status.COMPLETED }),
    scene.node(),
  ];
  scene.link(blocker, node);
  const link = scene.link(node, target, { wasBlocker: false });
  scene.run('node:trash', { id: node });
  scene.run('node:update', { id: blocker, status: Status.AVAILABLE });
  const { diff } = scene.run('node:restore', { id: node });
  expect(diff.links.filter(({ after }) => after.id === link)).toMatchObject([
    { op: Op.LINK_RESTORE, before: { version: 2, wasBlocker: false }, after: { version: 3, wasBlocker: true } },
  ]);
  expect(scene.links.get(link)).toMatchObject({ version: 3, wasBlocker: true });
});

test('[TRS3] a restored node is shown in full, with its restored links', () => {
  const scene = scenario();
  const [node, target] = [scene.node({ title: 'a' }), scene.node()];
  const link = scene.link(node, target);
  scene.run('node:trash', { id: node });
  const { diff } = scene.run('node:restore', { id: node });
  expect(diff.nodes[0]).toMatchObject({ op: Op.NODE_RESTORE, before: { id: node, inTrash: true } });
  expect(diff.nodes[0]?.after).toMatchObject({
    id: node,
    title: 'a',
    version: 3,
    inTrash: false,
    ownerUsername: 'ann',
  });
  expect(diff.links).toMatchObject([
    { op: Op.LINK_RESTORE, after: { id: link, source: node, target, inTrash: false } },
  ]);
  expect(scene.nodes.get(target)?.status).toBe(Status.BLOCKED);
  expect(diff).not.toHaveProperty('skipped');
});

describe('links that were trashed with a node', () => {
  test('[TRS3] are restored with the end that is restored last', () => {
    for (const first of [0, 1]) {
      const scene = scenario();
      const ends = [scene.node(), scene.node()] as const;
      const link = scene.link(...ends);
      for (const id of ends) scene.run('node:trash', { id });
      const [earlier, later] = first === 0 ? ends : ([ends[1], ends[0]] as const);
      expect(scene.run('node:restore', { id: earlier }).diff.links).toEqual([]);
      expect(scene.links.get(link)).toMatchObject({ inTrash: true, trashedWithNode: true });
      expect(idsOf(scene.run('node:restore', { id: later }).diff.links)).toEqual([link]);
    }
  });

  test('[TRS3] stay if they were trashed separately', () => {
    const scene = scenario();
    const [node, target] = [scene.node(), scene.node()];
    const id = scene.link(node, target);
    scene.run('link:trash', { id });
    scene.run('node:trash', { id: node });
    expect(scene.run('node:restore', { id: node }).diff.links).toEqual([]);
  });

  test('[TRS3 LNK5] stay without mark, and are named, if they are duplicates', () => {
    const scene = scenario();
    const [node, target] = [scene.node(), scene.node()];
    const marked = { inTrash: true, trashedWithNode: true };
    const [first, second] = [scene.link(node, target, marked), scene.link(target, node, marked)];
    scene.run('node:trash', { id: node });
    const { diff } = scene.run('node:restore', { id: node });
    expect(idsOf(diff.links)).toEqual([first]);
    expect(diff.skipped).toEqual([second]);
    expect(scene.links.get(second)).toMatchObject({ inTrash: true, trashedWithNode: false, version: 1 });
  });

  test('[TRS3 LNK4] stay, and are named, if they would close a cycle', () => {
    const scene = scenario();
    const [a, b, c] = [scene.node(), scene.node(), scene.node()];
    const [one, two] = [scene.link(a, b), scene.link(b, c)];
    scene.run('node:trash', { id: b });
    scene.run('link:add', { source: c, target: a });
    const { diff } = scene.run('node:restore', { id: b });
    expect(idsOf(diff.links)).toEqual([one]);
    expect(diff.skipped).toEqual([two]);
  });

  test("[TRS3 LNK5 LNK9] do not count as duplicates of another owner's private link", () => {
    const scene = scenario();
    const [node, target] = [scene.node(), scene.node()];
    const secondary = { type: LinkType.SECONDARY };
    const [hidden, open] = [
      scene.link(node, target, { ...secondary, private: true, ownerId: bob.id }),
      scene.link(node, target, secondary),
    ];
    scene.run('node:trash', { id: node });
    const { diff } = scene.run('node:restore', { id: node });
    expect(diff).not.toHaveProperty('skipped');
    for (const id of [hidden, open]) expect(scene.links.get(id)?.inTrash).toBe(false);
  });
});

test.each([
  ['node:trash', false, Level.EDITOR, null],
  ['node:trash', false, Level.VIEWER, 'forbidden'],
  ['node:trash', false, null, 'forbidden'],
  ['node:restore', true, Level.EDITOR, null],
  ['node:restore', true, Level.VIEWER, 'forbidden'],
  ['node:delete', true, Level.OWNER, null],
  ['node:delete', true, Level.ADMIN, 'forbidden'],
])('[GEN7 TRS5] %s, trashed %s, with level %j: %j', (event, inTrash, level, error) => {
  const scene = scenario();
  const id = scene.node({ inTrash, ...(level === Level.OWNER ? { ownerId: bob.id } : {}) });
  if (level !== null && level !== Level.OWNER) scene.grant(id, bob, level);
  expect(scene.run(event, { id }, bob).error).toBe(error);
});

test.each([
  ['node:trash', true, 'conflict.already_trashed'],
  ['node:restore', false, 'not_trashed_node'],
  ['node:delete', false, 'not_trashed_node'],
])('[TRS4 TRS5 GEN3] %s of a node, trashed %s, is %s, after existence and level', (event, inTrash, code) => {
  const scene = scenario();
  const id = scene.node({ inTrash });
  expect(scene.run(event, { id }).error).toBe(code);
  expect(scene.run(event, { id }, bob).error).toBe('forbidden');
  expect(scene.run(event, { id: bob.id }).error).toBe('not_found');
});

test('[TRS5] deletion includes all trashed links of the node, of any owner', () => {
  const scene = scenario();
  const [node, target] = [scene.node({ title: 'a' }), scene.node()];
  const link = scene.link(node, target);
  const other = scene.link(target, node, { inTrash: true, ownerId: bob.id });
  scene.run('node:trash', { id: node });
  const { diff } = scene.run('node:delete', { id: node });
  expect(diff.nodes).toMatchObject([
    { op: Op.NODE_DELETE, before: { id: node, title: 'a', version: 2, inTrash: true } },
  ]);
  expect(diff.nodes[0]?.after).toEqual({ id: node, deleted: true, shareRoots: [] });
  expect(diff.links.map(({ op, before }) => [op, before.id])).toEqual([link, other].map((id) => [Op.LINK_DELETE, id]));
  expect(scene.nodes.has(node) || scene.links.has(link) || scene.links.has(other)).toBe(false);
  expect(scene.run('node:restore', { id: node }).error).toBe('not_found');
  expect(scene.nodes.get(target)?.status).toBe(Status.AVAILABLE);
});
