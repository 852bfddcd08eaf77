import { SYSTEM } from '@taskgraph/wire/actor';
import { Level, LinkType, Op } from '@taskgraph/wire/codes';
import { nodeFeed, userFeed } from '@taskgraph/wire/feeds';
import { expect, test } from 'vitest';
import { ann, bob, createScenario, cy } from '../test/support/scenario.ts';

const scenario = () => createScenario();
const OVER = '2020-01-01T00:00:00.000Z';
const LATER = '2030-01-01T00:00:00.000Z';

test('[ACL5 PUB5] all expired access to a node ends in one batch, grants by e-mail and the publication last', () => {
  const scene = scenario();
  const id = scene.node({ publicToken: 'a token', publicDue: OVER, publicBranch: true });
  scene.grant(id, cy, Level.VIEWER, { due: OVER });
  scene.grant(id, bob, Level.EDITOR, { due: OVER, branch: true });
  const { changes } = scene.run('node:expire', { id }, SYSTEM);
  expect(changes).toMatchObject([
    { kind: 'grant', op: Op.GRANT_DELETE, before: { email: bob.email } },
    { kind: 'grant', op: Op.GRANT_DELETE, before: { email: cy.email } },
    { kind: 'node', op: Op.NODE_PUBLISH, after: { publicToken: null, publicDue: null, publicBranch: false } },
  ]);
  expect(changes.some((change) => 'effect' in change)).toBe(false);
  expect(scene.run('node:expire', { id }, SYSTEM).changes).toEqual([]);
});

test('[ACL5 GEN9] access that has not expired stays; without expired access nothing happens', () => {
  const scene = scenario();
  const id = scene.node({ publicToken: 'a token', publicDue: LATER });
  scene.grant(id, bob, Level.VIEWER);
  scene.grant(id, cy, Level.VIEWER, { due: LATER });
  expect(scene.run('node:expire', { id }, SYSTEM)).toMatchObject({ error: null, changes: [] });
  scene.grant(id, { ...ann, email: 'dee@example.com' }, Level.VIEWER, { due: OVER });
  expect(scene.run('node:expire', { id }, SYSTEM).changes).toHaveLength(1);
  expect(scene.grants.size).toBe(2);
});

test('[ACL4 ACL5] access to a trashed node ends too', () => {
  const scene = scenario();
  const id = scene.node({ inTrash: true });
  scene.grant(id, bob, Level.VIEWER, { due: OVER });
  expect(scene.run('node:expire', { id }, SYSTEM).changes).toHaveLength(1);
});

test('[NODE3] a copy ends with its original, in its batch, and not before it', () => {
  const scene = scenario();
  const [parent, child] = [scene.node(), scene.node()];
  scene.link(child, parent, { type: LinkType.SECONDARY });
  scene.grant(parent, bob, Level.EDITOR, { due: OVER });
  scene.grant(child, bob, Level.EDITOR, { due: OVER, copyOf: parent });
  expect(scene.run('node:expire', { id: child }, SYSTEM).changes).toEqual([]);
  expect(scene.run('node:expire', { id: parent }, SYSTEM).changes).toMatchObject([
    { id: parent, after: null },
    { id: child, after: null, effect: true },
  ]);
});

test('[ACL7 EVT2] the grantee is notified of the lost access, although it had expired', () => {
  const scene = scenario();
  const id = scene.node();
  scene.grant(id, bob, Level.VIEWER, { due: OVER });
  const { slices } = scene.run('node:expire', { id }, SYSTEM);
  expect(slices.get(userFeed(bob.id))?.access).toEqual([{ feed: nodeFeed(id), change: 'lost', level: null }]);
});

test('[ACL7] the epoch of the feed grows', () => {
  const scene = scenario();
  const id = scene.node({ publicToken: 'a token', publicDue: OVER });
  scene.grant(id, bob, Level.VIEWER, { due: OVER });
  const before = scene.feeds.get(nodeFeed(id))?.epoch ?? 0;
  scene.run('node:expire', { id }, SYSTEM);
  expect(scene.feeds.get(nodeFeed(id))?.epoch).toBe(before + 1);
});

test('[GEN3] a missing node is not found', () => {
  expect(scenario().run('node:expire', { id: ann.id }, SYSTEM).error).toBe('not_found');
});
