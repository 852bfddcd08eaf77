import { Level, LinkType, Op } from '@taskgraph/wire/codes';
import { branchFeed, nodeFeed, userFeed } from '@taskgraph/wire/feeds';
import { describe, expect, test } from 'vitest';
import { ann, bob, createScenario, cy } from '../test/support/scenario.ts';

const scenario = () => createScenario();
const LATER = '2030-01-01T00:00:00.000Z';

test('[PUB2] publishing shows the token, the end, the branch and the version', () => {
  const scene = scenario();
  const id = scene.node();
  const { diff } = scene.run('node:publish', { id, due: LATER });
  expect(diff.nodes).toMatchObject([
    { op: Op.NODE_PUBLISH, before: { publicToken: null, publicDue: null, version: 1 } },
  ]);
  expect(diff.nodes[0]?.after).toMatchObject({ id, publicDue: LATER, publicBranch: true, version: 2 });
  expect(diff.nodes[0]?.after.publicToken).toBe(scene.nodes.get(id)?.publicToken);
});

test('[PUB2] an update keeps omitted fields, null never expires, and unpublishing resets all fields', () => {
  const scene = scenario();
  const id = scene.node();
  const token = scene.run('node:publish', { id, due: LATER }).diff.nodes[0]?.after.publicToken;
  scene.run('node:publish:update', { id, branch: false });
  expect(scene.nodes.get(id)).toMatchObject({ publicToken: token, publicDue: LATER, publicBranch: false });
  scene.run('node:publish:update', { id, due: null });
  expect(scene.nodes.get(id)).toMatchObject({ publicToken: token, publicDue: null });
  const { diff } = scene.run('node:unpublish', { id });
  expect(diff.nodes).toMatchObject([
    { op: Op.NODE_PUBLISH, after: { publicToken: null, publicDue: null, version: 5 } },
  ]);
});

test('[PUB1 GEN3] refusals', () => {
  const scene = scenario();
  const id = scene.node();
  expect(scene.run('node:publish', { id, due: '2020-01-01T00:00:00Z' }).error).toBe('invalid_due');
  expect(scene.run('node:publish', { id }, bob).error).toBe('forbidden');
  for (const [event, fields] of [
    ['node:publish:update', { due: null }],
    ['node:unpublish', {}],
  ] as const) {
    expect(scene.run(event, { id, ...fields }).error).toBe('conflict.not_public');
    expect(scene.run(event, { id, ...fields }, bob).error).toBe('forbidden');
  }
  scene.run('node:publish', { id });
  expect(scene.run('node:publish', { id }).error).toBe('conflict.already_public');
  expect(scene.run('node:publish:update', { id }).error).toBe('bad_request.no_fields');
  scene.run('node:trash', { id });
  expect(scene.run('node:publish:update', { id, due: null }).error).toBe('conflict.in_trash');
  expect(scene.run('node:unpublish', { id }).error).toBeNull();
});

test.each(['node:publish', 'node:publish:update'])('[PUB2 ACL5] %s refuses an end that has passed', (event) => {
  const scene = scenario();
  const id = scene.node(event === 'node:publish' ? {} : { publicToken: 'a token', publicBranch: true });
  const state = scene.nodes.get(id);
  for (const due of ['2020-01-01T00:00:00Z', '2026-01-01T00:00:00+01:00']) {
    expect(scene.run(event, { id, due }).error).toBe('invalid_due');
  }
  expect(scene.nodes.get(id)).toEqual(state);
  expect(scene.run(event, { id, due: LATER }).error).toBeNull();
});

test.each<[string, Level, boolean, boolean, string | null]>([
  ['an admin of the node', Level.ADMIN, false, false, null],
  ['an admin of the node', Level.ADMIN, false, true, 'forbidden'],
  ['an admin of the branch', Level.ADMIN, true, true, null],
  ['an editor of the branch', Level.EDITOR, true, false, 'forbidden'],
])(
  '[ACL4 PUB1] %s (level %i, branch grant %j) publishes with branch %j: %j',
  (_who, level, branchGrant, branch, error) => {
    const scene = scenario();
    const id = scene.node();
    scene.grant(id, bob, level, { branch: branchGrant });
    expect(scene.run('node:publish', { id, branch }, bob).error).toBe(error);
  },
);

test('[ACL9] only admins see the token, in answers and in pushes', () => {
  const scene = scenario();
  const id = scene.node();
  scene.grant(id, bob, Level.ADMIN, { branch: true });
  scene.grant(id, cy, Level.EDITOR, { branch: true });
  const { diff, slices } = scene.run('node:publish', { id }, bob);
  expect(diff.nodes[0]?.after.publicToken).toBeTypeOf('string');
  expect([...slices.keys()].sort()).toEqual([branchFeed(id), userFeed(ann.id)].sort());
  const renamed = scene.run('node:trash', { id }, cy);
  expect(renamed.error).toBeNull();
  expect(JSON.stringify(scene.run('node:restore', { id }, cy).diff)).not.toContain('publicToken');
});

describe('[PUB5] the epoch grows', () => {
  const published = (branch: boolean) => {
    const scene = scenario();
    const id = scene.node();
    scene.run('node:publish', { id, branch, due: LATER });
    const feed = branch ? branchFeed(id) : nodeFeed(id);
    return { scene, id, epoch: () => scene.feeds.get(feed)?.epoch, open: () => scene.feeds.get(feed)?.public };
  };

  test.each<[string, object, boolean]>([
    ['node:unpublish', {}, true],
    ['node:publish:update', { due: '2029-01-01T00:00:00Z' }, true],
    ['node:publish:update', { due: null }, false],
    ['node:publish:update', { branch: false }, true],
    ['node:trash', {}, true],
  ])('on %s %j: %j', (event, fields, rises) => {
    const { scene, id, epoch } = published(true);
    scene.run(event, { id, ...fields });
    expect(epoch()).toBe(rises ? 2 : 1);
  });

  test('and readers who keep access are notified in every branch of the node', () => {
    const scene = scenario();
    const [root, id] = [scene.node(), scene.node()];
    scene.link(id, root, { type: LinkType.SECONDARY });
    scene.grant(root, bob, Level.VIEWER, { branch: true });
    scene.run('node:publish', { id });
    const { slices } = scene.run('node:unpublish', { id });
    expect([...slices.keys()].sort()).toEqual([branchFeed(root), userFeed(ann.id)].sort());
    const told = slices.get(branchFeed(root))?.changes.map((change) => [change.id, change.op]);
    expect(told).toEqual([[id, Op.NODE_PUBLISH]]);
  });

  test('and the feed is public only while the publication lasts', () => {
    const { scene, id, open } = published(false);
    expect(open()).toBe(true);
    scene.run('node:unpublish', { id });
    expect(open()).toBe(false);
  });
});

test('[ACL2] a published branch is a share root; the feed of its node alone is not inherited', () => {
  const scene = scenario();
  const [root, child] = [scene.node(), scene.node()];
  scene.link(child, root, { type: LinkType.SECONDARY });
  scene.run('node:publish', { id: root, branch: false });
  expect([...(scene.members.get(child) ?? [])]).toEqual([]);
  scene.run('node:publish:update', { id: root, branch: true });
  expect([...(scene.members.get(child) ?? [])].map(([feed]) => feed)).toEqual([branchFeed(root)]);
});

describe('[PUB6] gateways read a publication again when its end changes', () => {
  const published = (due: string | null = LATER) => {
    const scene = scenario();
    const id = scene.node();
    const { batchId } = scene.run('node:publish', { id, due });
    return { scene, id, batchId };
  };

  test.each<[string, string | null, object, boolean]>([
    ['put off', LATER, { due: '2031-01-01T00:00:00Z' }, true],
    ['taken away', LATER, { due: null }, true],
    ['set', null, { due: LATER }, true],
    ['brought forward', LATER, { due: '2029-01-01T00:00:00Z' }, true],
    ['left, for a branch of its own', LATER, { branch: false }, false],
  ])('%s', (_what, due, fields, isTold) => {
    const { scene, id } = published(due);
    const { error, reread } = scene.run('node:publish:update', { id, ...fields });
    expect([error, reread]).toEqual([null, { readers: [], publications: isTold ? [id] : [] }]);
  });

  test('[HIS4] also by an undo and a redo', () => {
    const { scene, id } = published();
    const { batchId } = scene.run('node:publish:update', { id, due: null });
    expect(scene.run('batch:undo', { batchId }).reread.publications).toEqual([id]);
    expect(scene.run('batch:redo', { batchId }).reread.publications).toEqual([id]);
  });

  test('[BAT4] once per batch, by its net change', () => {
    const { scene, id } = published();
    const update = (due: string | null) => ({ event: 'node:publish:update', payload: { id, due } });
    const moved = scene.run('batch:run', { operations: [update('2029-01-01T00:00:00Z'), update(null)] });
    expect([moved.error, moved.reread.publications]).toEqual([null, [id]]);
    const back = scene.run('batch:run', { operations: [update('2029-01-01T00:00:00Z'), update(null)] });
    expect([back.error, back.reread.publications]).toEqual([null, []]);
  });

  test('but not when it begins or ends: it has no readers yet, or the new epoch removes them', () => {
    const { scene, id, batchId } = published();
    expect(scene.run('node:unpublish', { id }).reread.publications).toEqual([]);
    expect(scene.run('node:publish', { id }).reread.publications).toEqual([]);
    expect(scene.run('batch:undo', { batchId }).error).toBe('version_conflict');
  });

  test('[ACL5] like the feeds of grantees when the end of their grant changes', () => {
    const scene = scenario();
    const id = scene.node();
    scene.grant(id, bob, Level.VIEWER, { due: LATER });
    const told = (due: string | null) => scene.run('node:access:update', { id, email: bob.email, due }).reread;
    for (const due of ['2031-01-01T00:00:00.000Z', '2029-01-01T00:00:00.000Z', null]) {
      expect(told(due)).toEqual({ readers: [bob.id], publications: [] });
    }
  });
});
