import { Level, LinkType, Op } from '@taskgraph/wire/codes';
import { branchFeed, nodeFeed, userFeed } from '@taskgraph/wire/feeds';
import { describe, expect, test } from 'vitest';
import { ann, bob, createScenario, cy } from '../test/support/scenario.ts';

const scenario = () => createScenario();
const LATER = '2030-01-01T00:00:00.000Z';
const PAST = '2020-01-01T00:00:00.000Z';

/** root <- child <- grandchild, all Ann's. */
function tree() {
  const scene = scenario();
  const [root, child, grandchild] = [scene.node(), scene.node(), scene.node()] as const;
  scene.link(child, root, { type: LinkType.SECONDARY });
  scene.link(grandchild, child, { type: LinkType.SECONDARY });
  return { scene, root, child, grandchild };
}

describe('node:access', () => {
  test('[ACL1 ACL2] a branch grant covers all nodes below, any other grant the node alone', () => {
    const { scene, root, child, grandchild } = tree();
    scene.run('node:access', { id: child, email: bob.email, level: 2 });
    expect([root, child, grandchild].map((id) => scene.level(id, bob))).toEqual([null, Level.EDITOR, Level.EDITOR]);
    scene.run('node:access', { id: child, email: cy.email, level: 1, branch: false });
    expect([root, child, grandchild].map((id) => scene.level(id, cy))).toEqual([null, Level.ADMIN, null]);
  });

  test("[ACL4] the entry shows nothing before and the whole grant after, with the node's id; defaults are viewer and branch", () => {
    const { scene, root } = tree();
    const { diff } = scene.run('node:access', { id: root, email: 'Bob@Example.COM' });
    expect(diff.access).toEqual([
      {
        op: Op.GRANT_UPSERT,
        before: {},
        after: { id: root, email: bob.email, level: 3, due: null, branch: true, version: 1 },
      },
    ]);
    const again = scene.run('node:access', { id: root, email: bob.email, level: 1, due: LATER });
    expect(again.diff.access).toMatchObject([{ op: Op.GRANT_UPSERT, before: {}, after: { level: 1, version: 2 } }]);
    expect(scene.run('node:access', { id: root, email: bob.email, level: 1, due: LATER }).changes).toEqual([]);
  });

  test('[ACL4] an admin of one node alone neither shares its branch nor changes branch grants', () => {
    const { scene, root } = tree();
    scene.grant(root, bob, Level.ADMIN);
    const grant = (fields: object) => scene.run('node:access', { id: root, email: cy.email, ...fields }, bob).error;
    expect(grant({ branch: true })).toBe('forbidden');
    expect(grant({ branch: false })).toBeNull();
    expect(scene.run('node:access:update', { id: root, email: cy.email, branch: true }, bob).error).toBe('forbidden');
    scene.run('node:access:update', { id: root, email: cy.email, branch: true });
    expect(scene.run('node:access:delete', { id: root, email: cy.email }, bob).error).toBe('forbidden');
    expect(scene.run('node:access', { id: root, email: bob.email, branch: true, level: 1 }, bob).error).toBe(
      'forbidden',
    );
  });

  test('[ACL4] an admin by a branch grant shares the nodes below', () => {
    const { scene, root, child } = tree();
    scene.grant(root, bob, Level.ADMIN, { branch: true });
    expect(scene.run('node:access', { id: child, email: cy.email }, bob).error).toBeNull();
    expect(scene.level(child, cy)).toBe(Level.VIEWER);
  });

  test('[GEN3 ACL4 ACL5] refusals in order', () => {
    const { scene, root } = tree();
    const unknown = cy.id;
    const grant = (payload: object, by = ann) => scene.run('node:access', payload, by).error;
    expect(grant({ id: unknown, email: bob.email, due: PAST })).toBe('invalid_due');
    expect(grant({ id: unknown, email: bob.email })).toBe('not_found');
    expect(grant({ id: root, email: ann.email }, bob)).toBe('forbidden');
    expect(grant({ id: root, email: ann.email })).toBe('bad_request.owner_grant');
    expect(grant({ id: root, email: 'no e-mail' })).toBe('bad_request.invalid_email');
    expect(grant({ id: root, email: bob.email, level: 0 })).toBe('bad_request.out_of_range');
    const trashed = scene.node({ inTrash: true });
    expect(grant({ id: trashed, email: bob.email })).toBe('conflict.in_trash');
    for (const event of ['node:access:update', 'node:access:delete']) {
      const fields = event === 'node:access:update' ? { level: 2 } : {};
      expect(scene.run(event, { id: root, email: bob.email, ...fields }).error).toBe('not_found');
      expect(scene.run(event, { id: root, email: bob.email, ...fields }, cy).error).toBe('forbidden');
    }
  });

  test('[ACL4] a grant on a trashed node can be ended', () => {
    const scene = scenario();
    const node = scene.node();
    scene.grant(node, bob, Level.EDITOR);
    scene.run('node:trash', { id: node });
    expect(scene.run('node:access:update', { id: node, email: bob.email, level: 3 }).error).toBe('conflict.in_trash');
    expect(scene.run('node:access:delete', { id: node, email: bob.email }).error).toBeNull();
    expect(scene.level(node, bob)).toBeNull();
  });
});

test('[ACL4] an update keeps omitted fields, and shows both sides in full', () => {
  const { scene, root } = tree();
  scene.run('node:access', { id: root, email: bob.email, level: 2, due: LATER });
  const { diff } = scene.run('node:access:update', { id: root, email: bob.email, due: null });
  const grant = { id: root, email: bob.email, level: 2, branch: true };
  expect(diff.access).toEqual([
    {
      op: Op.GRANT_UPDATE,
      before: { ...grant, due: LATER, version: 1 },
      after: { ...grant, due: null, version: 2 },
    },
  ]);
  const deleted = scene.run('node:access:delete', { id: root, email: bob.email });
  expect(deleted.diff.access).toMatchObject([{ op: Op.GRANT_DELETE, before: { version: 2 }, after: {} }]);
});

describe('[ACL7] the epoch of a feed', () => {
  const epochOf = (scene: ReturnType<typeof scenario>, feed: string) => scene.feeds.get(feed)?.epoch;

  test.each<[string, object, raises: boolean]>([
    ['deleting', { event: 'node:access:delete' }, true],
    ['an earlier end', { event: 'node:access:update', due: LATER }, true],
    ['leaving the branch', { event: 'node:access:update', branch: false }, true],
    ['another level', { event: 'node:access:update', level: 3 }, false],
  ])('%s', (_what, step, raises) => {
    const { scene, root } = tree();
    scene.run('node:access', { id: root, email: bob.email, level: 2 });
    const before = epochOf(scene, branchFeed(root)) ?? 0;
    const { event, ...fields } = step as { event: string };
    expect(scene.run(event, { id: root, email: bob.email, ...fields }).error).toBeNull();
    expect(epochOf(scene, branchFeed(root))).toBe(raises ? before + 1 : before);
  });

  test('does not change by a later end or another grantee', () => {
    const { scene, root } = tree();
    scene.run('node:access', { id: root, email: bob.email, due: LATER });
    scene.run('node:access:update', { id: root, email: bob.email, due: null });
    scene.run('node:access', { id: root, email: cy.email });
    expect(epochOf(scene, branchFeed(root))).toBe(1);
  });
});

describe('slices', () => {
  test('[ACL9 EVT2] a grant is pushed to the owner and the grantee alone, and the grantee learns of gained and lost access', () => {
    const { scene, root } = tree();
    scene.run('node:access', { id: root, email: cy.email });
    const given = scene.run('node:access', { id: root, email: bob.email, level: 2 });
    expect([...given.slices.keys()].sort()).toEqual([userFeed(ann.id), userFeed(bob.id)].sort());
    const feed = branchFeed(root);
    expect(given.slices.get(userFeed(bob.id))?.access).toEqual([{ feed, change: 'gained', level: 2 }]);
    const lowered = scene.run('node:access:update', { id: root, email: bob.email, level: 3 });
    expect(lowered.slices.get(userFeed(bob.id))?.access).toEqual([{ feed, change: 'level', level: 3 }]);
    const moved = scene.run('node:access:update', { id: root, email: bob.email, branch: false });
    expect(moved.slices.get(userFeed(bob.id))?.access).toEqual([
      { feed, change: 'lost', level: null },
      { feed: nodeFeed(root), change: 'gained', level: 3 },
    ]);
    const taken = scene.run('node:access:delete', { id: root, email: bob.email });
    expect(taken.slices.get(userFeed(bob.id))?.access).toEqual([{ feed: nodeFeed(root), change: 'lost', level: null }]);
  });

  test('[EVT1] a change goes to the feeds of all branches that contain the node, and to no others', () => {
    const { scene, root, child, grandchild } = tree();
    scene.grant(root, bob, Level.VIEWER, { branch: true });
    scene.grant(grandchild, cy, Level.VIEWER, { branch: true });
    const slices = (id: string) => [...scene.run('node:update', { id, title: `${Math.random()}` }).slices.keys()];
    expect(slices(child)).toEqual([branchFeed(root), userFeed(ann.id)].sort());
    expect(slices(grandchild)).toEqual([branchFeed(root), branchFeed(grandchild), userFeed(ann.id)].sort());
  });

  test('[EVT2] a slice names the nodes that join or leave its branch, with their links', () => {
    const { scene, root, child, grandchild } = tree();
    scene.grant(root, bob, Level.VIEWER, { branch: true });
    const [link] = [...scene.links.values()].filter(({ source }) => source === child);
    const inner = [...scene.links.values()].filter(({ source }) => source === grandchild)[0]?.id;
    const away = scene.run('link:trash', { id: link?.id });
    const feed = branchFeed(root);
    expect(away.slices.get(feed)?.left.nodes.toSorted()).toEqual([child, grandchild].sort());
    expect(away.slices.get(feed)?.left.links).toEqual([inner]);
    expect(scene.level(grandchild, bob)).toBeNull();
    const back = scene.run('link:restore', { id: link?.id });
    expect(back.slices.get(feed)?.joined.nodes.toSorted()).toEqual([child, grandchild].sort());
    expect(back.slices.get(feed)?.joined.links).toEqual([inner]);
    expect(scene.level(grandchild, bob)).toBe(Level.VIEWER);
  });

  test('[ACL7] a branch does not see other changes of a node that leaves it in the same batch', () => {
    const scene = scenario();
    const [root, child] = [scene.node(), scene.node()];
    const link = scene.link(child, root);
    scene.grant(child, bob, Level.VIEWER, { branch: true });
    scene.grant(root, cy, Level.VIEWER, { branch: true });
    const away = scene.run('node:trash', { id: child });
    const told = away.slices.get(branchFeed(root))?.changes.map(({ id, op }) => [id, op]);
    expect(told).toEqual([
      [link, Op.LINK_TRASH],
      [child, Op.NODE_TRASH],
      [root, Op.NODE_STATUS],
    ]);
    // The readers of the child never saw the parent and learn nothing of it.
    const below = away.slices.get(branchFeed(child))?.changes.map(({ id }) => id);
    expect(below).toEqual([child]);
  });

  test('[ACL7] a branch does not see that a node which leaves it by a swap becomes Blocked', () => {
    const scene = scenario();
    const [root, child] = [scene.node(), scene.node()];
    const link = scene.link(child, root);
    scene.grant(root, bob, Level.VIEWER, { branch: true });
    const swapped = scene.run('link:swap', { id: link });
    expect(swapped.diff.nodes.map(({ after }) => after.id)).toContain(child);
    const slice = swapped.slices.get(branchFeed(root));
    expect(slice?.changes.map(({ id }) => id)).toEqual([root]);
    expect(slice?.left).toEqual({ nodes: [child], links: [link] });
  });

  test('[LNK9 EVT2] a private link is pushed to its owner alone; other readers of both ends see that it leaves', () => {
    const scene = scenario();
    const [one, other] = [scene.node(), scene.node({ ownerId: bob.id })];
    for (const reader of [cy, bob]) scene.grant(one, reader, Level.EDITOR);
    for (const reader of [cy, ann]) scene.grant(other, reader, Level.EDITOR);
    const open = scene.run('link:add', { source: one, target: other, type: 1 }, cy);
    expect(open.error).toBeNull();
    expect([...open.slices.keys()].sort()).toEqual([ann, bob, cy].map(({ id }) => userFeed(id)).sort());
    const id = open.diff.links[0]?.after.id as string;
    const hidden = scene.run('link:update', { id, private: true }, cy);
    for (const reader of [ann, bob]) {
      expect(hidden.slices.get(userFeed(reader.id))).toMatchObject({ changes: [], left: { nodes: [], links: [id] } });
    }
    expect(hidden.slices.get(userFeed(cy.id))?.changes.map((change) => change.id)).toEqual([id]);
    expect(hidden.slices.size).toBe(3);
  });
});

describe('[NODE3] a caller of node:add with a grant on the parent alone', () => {
  function parented(level: Level = Level.EDITOR, fields: object = {}) {
    const scene = scenario();
    const parent = scene.node();
    scene.grant(parent, bob, level, fields);
    const made = scene.run('node:add', { target: parent }, bob);
    return { scene, parent, made, child: made.diff.nodes[0]?.after.id as string };
  }

  test('receives a copy on the child, and no other grantee does', () => {
    const scene = scenario();
    const parent = scene.node();
    scene.grant(parent, bob, Level.EDITOR, { due: LATER });
    scene.grant(parent, cy, Level.VIEWER);
    const { diff } = scene.run('node:add', { target: parent }, bob);
    const child = diff.nodes[0]?.after.id as string;
    expect(diff.access).toMatchObject([
      { op: Op.GRANT_UPSERT, after: { id: child, email: bob.email, level: 2, due: LATER, branch: false, version: 1 } },
    ]);
    expect([bob, cy].map((user) => scene.level(child, user))).toEqual([Level.EDITOR, null]);
  });

  test('has a copy that follows its original in the same batch and ends with it', () => {
    const { scene, parent, child } = parented();
    const below = scene.run('node:add', { target: child }, bob).diff.nodes[0]?.after.id as string;
    const changed = scene.run('node:access:update', { id: parent, email: bob.email, level: 3 });
    expect(changed.changes.filter(({ kind }) => kind === 'grant').map(({ id }) => id)).toEqual([parent, child, below]);
    expect(scene.level(below, bob)).toBe(Level.VIEWER);
    scene.run('node:access:delete', { id: parent, email: bob.email });
    expect([parent, child, below].map((id) => scene.level(id, bob))).toEqual([null, null, null]);
  });

  test('has a copy that no longer follows after a direct change', () => {
    const { scene, parent, child } = parented();
    scene.run('node:access:update', { id: child, email: bob.email, level: 1 });
    scene.run('node:access:delete', { id: parent, email: bob.email });
    expect([parent, child].map((id) => scene.level(id, bob))).toEqual([null, Level.ADMIN]);
  });

  test('has a copy that ends when its original becomes a branch grant, which covers the child', () => {
    const { scene, parent, child } = parented();
    scene.run('node:access:update', { id: parent, email: bob.email, branch: true });
    expect(scene.grants.has(`${child}|${bob.email}`)).toBe(false);
    expect(scene.level(child, bob)).toBe(Level.EDITOR);
  });
});

describe('[ACL6] node:showing', () => {
  test("changes the grantee's feeds, but no permission", () => {
    const { scene, root, child } = tree();
    scene.run('node:access', { id: root, email: bob.email, level: 2 });
    const feed = branchFeed(root);
    const hidden = scene.run('node:showing', { id: root, showing: false }, bob);
    expect([...hidden.slices.keys()]).toEqual([userFeed(bob.id)]);
    expect(hidden.slices.get(userFeed(bob.id))?.access).toEqual([{ feed, change: 'lost', level: null }]);
    expect(scene.level(child, bob)).toBe(Level.EDITOR);
    expect(scene.run('node:showing', { id: root, showing: false }, bob).changes).toEqual([]);
    const shown = scene.run('node:showing', { id: root, showing: true }, bob);
    expect(shown.slices.get(userFeed(bob.id))?.access).toEqual([{ feed, change: 'gained', level: 2 }]);
  });

  test("applies to the caller's own grant alone", () => {
    const { scene, root, child } = tree();
    scene.run('node:access', { id: root, email: bob.email });
    expect(scene.run('node:showing', { id: root, showing: false }, cy).error).toBe('forbidden');
    expect(scene.run('node:showing', { id: root, showing: false }).error).toBe('not_found');
    expect(scene.run('node:showing', { id: child, showing: false }, bob).error).toBe('not_found');
  });
});

test('[TRS5] deleting a node drops its grants', () => {
  const scene = scenario();
  const node = scene.node();
  scene.grant(node, bob, Level.EDITOR);
  scene.run('node:trash', { id: node });
  const { diff } = scene.run('node:delete', { id: node });
  expect(diff.access).toMatchObject([{ op: Op.GRANT_DELETE, before: { email: bob.email } }]);
  expect(scene.grants.size).toBe(0);
  expect(scene.feeds.get(nodeFeed(node))?.grants).toBe(0);
});
