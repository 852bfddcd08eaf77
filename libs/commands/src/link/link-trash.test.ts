import { Level, LinkType, Op, Status } from '@taskgraph/wire/codes';
import { describe, expect, test } from 'vitest';
import { bob, createScenario } from '../test/support/scenario.ts';

const scenario = () => createScenario();

type Rights = [own: boolean, onSource: Level | null, onTarget: Level | null, error: string | null];

/** Runs the event as Bob on a link of his or of Ann's, with these levels on its ends. */
function runWith(event: string, inTrash: boolean, [own, onSource, onTarget]: Rights) {
  const scene = scenario();
  const [source, target] = [scene.node(), scene.node()];
  if (onSource !== null) scene.grant(source, bob, onSource);
  if (onTarget !== null) scene.grant(target, bob, onTarget);
  const id = scene.link(source, target, { inTrash, ...(own ? { ownerId: bob.id } : {}) });
  return scene.run(event, { id }, bob).error;
}

test.each<Rights>([
  [true, null, null, null],
  [false, Level.VIEWER, Level.EDITOR, null],
  [false, Level.ADMIN, null, null],
  [false, Level.ADMIN, Level.VIEWER, null],
  [false, Level.EDITOR, Level.VIEWER, 'forbidden'],
  [false, Level.VIEWER, Level.VIEWER, 'forbidden'],
  [false, null, Level.ADMIN, 'forbidden'],
  [false, null, null, 'forbidden'],
])('[LNK7 GEN7] trash; own link %s, level %j on the source and %j on the target: %j', (...rights) => {
  expect(runWith('link:trash', false, rights)).toBe(rights[3]);
});

test.each<Rights>([
  [true, null, null, null],
  [false, null, Level.ADMIN, null],
  [false, Level.ADMIN, Level.EDITOR, 'forbidden'],
  [false, null, null, 'forbidden'],
])('[LNK10 GEN7] delete; own link %s, level %j on the source and %j on the target: %j', (...rights) => {
  expect(runWith('link:delete', true, rights)).toBe(rights[3]);
});

test.each(['link:trash', 'link:restore', 'link:delete', 'link:swap', 'link:update'])(
  "[GEN7 LNK9] %s: another user's private link looks like a missing one",
  (event) => {
    const scene = scenario();
    const [source, target] = [scene.node({ ownerId: bob.id }), scene.node({ ownerId: bob.id })];
    const fields = event === 'link:update' ? { type: 1 } : {};
    const inTrash = event === 'link:restore' || event === 'link:delete';
    const hidden = scene.link(source, target, { private: true, inTrash });
    const outcome = scene.run(event, { id: hidden, ...fields, version: 9 }, bob);
    expect(outcome.error).toBe('not_found');
    const unknown = scene.run(event, { id: source, ...fields, version: 9 }, bob);
    // Both details repeat the caller's id.
    expect({ ...outcome, details: {} }).toEqual({ ...unknown, details: {} });
    expect([outcome.details, unknown.details]).toEqual([{ id: hidden }, { id: source }]);
  },
);

test('[BLK6 TRS4] trashing unblocks the target, and a second time is refused', () => {
  const scene = scenario();
  const [source, target] = [scene.node(), scene.node({ status: 1 })];
  const id = scene.link(source, target);
  const { diff } = scene.run('link:trash', { id });
  expect(diff.links).toMatchObject([
    { op: Op.LINK_TRASH, before: { inTrash: false }, after: { id, inTrash: true, lastBatchID: diff.batchId } },
  ]);
  expect(diff.nodes).toMatchObject([{ op: Op.NODE_STATUS, after: { id: target, status: 1 } }]);
  expect(scene.run('link:trash', { id }).error).toBe('conflict.already_trashed');
});

test('[TRS3] trashing a marked link removes the mark, without a field or a version step', () => {
  const scene = scenario();
  const [source, target] = [scene.node(), scene.node()];
  const id = scene.link(source, target);
  scene.run('node:trash', { id: source });
  const { version } = scene.links.get(id) ?? {};
  const { error, diff } = scene.run('link:trash', { id });
  expect({ error, links: diff.links, nodes: diff.nodes }).toEqual({ error: null, links: [], nodes: [] });
  expect(scene.links.get(id)).toMatchObject({ version, trashedWithNode: false });
  expect(scene.run('link:trash', { id }).error).toBe('conflict.already_trashed');
  expect(scene.run('node:restore', { id: source }).diff.links).toEqual([]);
});

describe('restore', () => {
  test('[LNK10] the link is shown in full and blocks again', () => {
    const scene = scenario();
    const [source, target] = [scene.node(), scene.node()];
    const id = scene.link(source, target, { inTrash: true });
    const { diff } = scene.run('link:restore', { id });
    expect(diff.links).toMatchObject([
      { op: Op.LINK_RESTORE, before: { inTrash: true }, after: { id, source, target } },
    ]);
    expect(diff.links[0]?.after).toMatchObject({ version: 2, inTrash: false, wasBlocker: true });
    expect(scene.nodes.get(target)?.status).toBe(Status.BLOCKED);
    expect(scene.run('link:restore', { id }).error).toBe('not_trashed_link');
  });

  test('[LNK3] type and privacy are decided again', () => {
    const scene = scenario();
    const [source, target] = [scene.node(), scene.node()];
    for (const node of [source, target]) scene.grant(node, bob, Level.VIEWER);
    const id = scene.link(source, target, { inTrash: true, ownerId: bob.id });
    scene.run('link:restore', { id }, bob);
    expect(scene.links.get(id)).toMatchObject({ type: LinkType.SECONDARY, private: true });
  });

  test('[LNK2 LNK4 LNK5 TRS4] obstacles', () => {
    const scene = scenario();
    const [a, b] = [scene.node(), scene.node()];
    const same = scene.link(a, b, { inTrash: true });
    const reversed = scene.link(b, a, { inTrash: true });
    const blocking = scene.link(a, b);
    expect(scene.run('link:restore', { id: same }).error).toBe('conflict.duplicate_link');
    expect(scene.run('link:restore', { id: reversed }).error).toBe('conflict.duplicate_reversed_link');
    scene.run('link:trash', { id: blocking });
    const between = scene.node();
    scene.link(a, between);
    scene.link(between, b);
    expect(scene.run('link:restore', { id: reversed })).toMatchObject({
      error: 'conflict.cycle',
      details: { path: [a, between, b] },
    });
    scene.claimLinks(b, 20_000);
    expect(scene.run('link:restore', { id: same }).error).toBe('conflict.too_many_links');
    scene.run('node:trash', { id: a });
    expect(scene.run('link:restore', { id: same }).error).toBe('conflict.in_trash');
  });
});

test('[LNK10] only a trashed link is deleted, and `before` shows it in full', () => {
  const scene = scenario();
  const [source, target] = [scene.node(), scene.node()];
  const id = scene.link(source, target);
  expect(scene.run('link:delete', { id }).error).toBe('not_trashed_link');
  expect(scene.run('link:delete', { id }, bob).error).toBe('forbidden');
  scene.run('link:trash', { id });
  const { diff } = scene.run('link:delete', { id });
  expect(diff.links).toMatchObject([{ op: Op.LINK_DELETE, before: { id, source, target, version: 2, inTrash: true } }]);
  expect(diff.links[0]?.after).toEqual({ id, deleted: true, shareRoots: [] });
  expect(scene.run('link:delete', { id }).error).toBe('not_found');
  expect(scene.run('link:add', { source, target }).diff.links[0]?.op).toBe(Op.LINK_ADD);
});
