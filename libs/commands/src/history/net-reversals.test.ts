// The undo of several operations compares and restores their net result; intermediate values do not
// matter.
import { Level, LinkType } from '@taskgraph/wire/codes';
import { expect, test } from 'vitest';
import { bob, createScenario, type Scenario } from '../test/support/scenario.ts';

const SOON = '2026-01-01T00:00:20.000Z';
const LATER = '2030-01-01T00:00:00.000Z';

type Operations = readonly { readonly event: string; readonly payload: object; readonly as?: string }[];

const run = (scene: Scenario, operations: Operations) => scene.run('batch:run', { operations });
const undo = (scene: Scenario, batchId: string) => scene.run('batch:undo', { batchId });

/** Advances the clock past `SOON`. */
function wait(scene: Scenario): void {
  const id = scene.node();
  while (scene.nowMs() <= Date.parse(SOON)) scene.run('node:update', { id, x: scene.nowMs() });
}

test('[HIS10 LNK3] an intermediate type that cannot be restored is not a conflict', () => {
  const scene = createScenario();
  const [source, target] = [scene.node(), scene.node()];
  const { batchId, results } = run(scene, [
    { event: 'link:add', payload: { source, target, type: LinkType.PRIMARY }, as: 'l' },
    { event: 'link:update', payload: { id: '$l', type: LinkType.SECONDARY } },
  ]);
  scene.run('node:update', { id: target, independent: true });
  expect(undo(scene, batchId)).toMatchObject({ error: null });
  const link = results[0]?.id as string;
  expect(scene.links.get(link)?.inTrash).toBe(true);
  expect(scene.run('batch:redo', { batchId }).error).toBeNull();
  expect(scene.links.get(link)).toMatchObject({ inTrash: false, type: LinkType.SECONDARY });
});

test('[HIS10 HIS2] a type set since then is a conflict that names its batch', () => {
  const scene = createScenario();
  const [source, target] = [scene.node(), scene.node()];
  const { batchId, results } = run(scene, [
    { event: 'link:add', payload: { source, target, type: LinkType.PRIMARY }, as: 'l' },
    { event: 'link:update', payload: { id: '$l', type: LinkType.SECONDARY } },
  ]);
  const entity = results[0]?.id as string;
  const later = scene.run('link:update', { id: entity, type: LinkType.PRIMARY });
  expect(undo(scene, batchId)).toMatchObject({
    error: 'version_conflict',
    details: { conflicts: [{ entity, field: 'type', batchId: later.batchId }] },
  });
});

test('[HIS10 HIS4] an intermediate end of a grant or publication may have passed', () => {
  const scene = createScenario();
  const [shared, published] = [scene.node(), scene.node()];
  const { batchId, error } = run(scene, [
    { event: 'node:access', payload: { id: shared, email: bob.email, level: Level.EDITOR, due: SOON } },
    { event: 'node:access:update', payload: { id: shared, email: bob.email, due: null } },
    { event: 'node:publish', payload: { id: published, due: SOON } },
    { event: 'node:publish:update', payload: { id: published, due: null } },
  ]);
  expect(error).toBeNull();
  wait(scene);
  expect(undo(scene, batchId)).toMatchObject({ error: null });
  expect([scene.grants.size, scene.nodes.get(published)?.publicToken]).toEqual([0, null]);
});

test('[HIS10 HIS4] a grant and a publication are restored to their state before the batch, not to an intermediate one', () => {
  const scene = createScenario();
  const [shared, published] = [scene.node(), scene.node()];
  scene.run('node:access', { id: shared, email: bob.email, level: Level.EDITOR, due: LATER });
  scene.run('node:publish', { id: published, due: LATER });
  const token = scene.nodes.get(published)?.publicToken;
  const { batchId, error } = run(scene, [
    { event: 'node:access:update', payload: { id: shared, email: bob.email, due: SOON } },
    { event: 'node:access:delete', payload: { id: shared, email: bob.email } },
    { event: 'node:publish:update', payload: { id: published, due: SOON } },
    { event: 'node:unpublish', payload: { id: published } },
  ]);
  expect(error).toBeNull();
  wait(scene);
  expect(undo(scene, batchId)).toMatchObject({ error: null });
  expect([...scene.grants.values()]).toMatchObject([{ nodeId: shared, level: Level.EDITOR, due: LATER }]);
  expect(scene.nodes.get(published)).toMatchObject({ publicToken: token, publicDue: LATER });
});

test('[HIS10 HIS4] access that has expired since the batch is not restored', () => {
  const scene = createScenario();
  const id = scene.node();
  scene.run('node:access', { id, email: bob.email, due: SOON });
  const { batchId } = run(scene, [
    { event: 'node:access:update', payload: { id, email: bob.email, due: LATER } },
    { event: 'node:access:delete', payload: { id, email: bob.email } },
  ]);
  wait(scene);
  expect(undo(scene, batchId)).toMatchObject({ error: 'conflict.expired', details: { id, email: bob.email } });
});

/** Two nodes, and a path from the second to the first over a third. */
function detour(scene: Scenario) {
  const [one, other, between] = [scene.node(), scene.node(), scene.node()];
  const close = () => {
    scene.run('link:add', { source: other, target: between });
    scene.run('link:add', { source: between, target: one });
  };
  return { one, other, close };
}

test('[HIS10 LNK4] the intermediate direction of a new link may close a cycle by now', () => {
  const scene = createScenario();
  const { one, other, close } = detour(scene);
  const { batchId, results } = run(scene, [
    { event: 'link:add', payload: { source: one, target: other }, as: 'l' },
    { event: 'link:swap', payload: { id: '$l' } },
  ]);
  close();
  expect(undo(scene, batchId)).toMatchObject({ error: null });
  expect(scene.links.get(results[0]?.id as string)).toMatchObject({ inTrash: true });
});

test('[HIS10 LNK4] a link that was swapped twice stays as it is', () => {
  const scene = createScenario();
  const { one, other, close } = detour(scene);
  const id = scene.link(other, one);
  const swap = { event: 'link:swap', payload: { id } };
  const { batchId } = run(scene, [swap, swap]);
  close();
  expect(undo(scene, batchId)).toMatchObject({ error: null });
  expect(scene.links.get(id)).toMatchObject({ source: other, target: one, inTrash: false });
});

test('[HIS10 LNK4] a link that was swapped and trashed is restored in its former direction', () => {
  const scene = createScenario();
  const { one, other, close } = detour(scene);
  const id = scene.link(other, one);
  const { batchId } = run(scene, [
    { event: 'link:swap', payload: { id } },
    { event: 'link:trash', payload: { id } },
  ]);
  close();
  expect(undo(scene, batchId)).toMatchObject({ error: null });
  expect(scene.links.get(id)).toMatchObject({ source: other, target: one, inTrash: false });
});

test('[HIS10 TRS4] a link and a grant that were added and removed in the batch need not be restored first', () => {
  const scene = createScenario();
  const [source, target] = [scene.node(), scene.node()];
  const { batchId, results } = run(scene, [
    { event: 'link:add', payload: { source, target }, as: 'l' },
    { event: 'node:access', payload: { id: target, email: bob.email } },
    { event: 'link:trash', payload: { id: '$l' } },
    { event: 'node:access:delete', payload: { id: target, email: bob.email } },
  ]);
  scene.run('node:trash', { id: target });
  expect(undo(scene, batchId)).toMatchObject({ error: null });
  expect([scene.links.get(results[0]?.id as string)?.inTrash, scene.grants.size]).toEqual([true, 0]);
  expect(undo(scene, batchId).error).toBe('conflict.already_undone');
});

test('[HIS10 HIS3] all conflicts are reported together, before other obstacles', () => {
  const scene = createScenario();
  const { one, other, close } = detour(scene);
  const [link, node] = [scene.link(one, other), scene.node({ title: 'old' })];
  const { batchId } = run(scene, [
    { event: 'node:update', payload: { id: node, title: 'new', priority: 1 } },
    { event: 'link:trash', payload: { id: link } },
  ]);
  // If the link were restored first, it would be refused because of the cycle.
  close();
  const title = scene.run('node:update', { id: node, title: 'later' });
  const priority = scene.run('node:update', { id: node, priority: 2 });
  expect(undo(scene, batchId)).toMatchObject({
    error: 'version_conflict',
    details: {
      conflicts: [
        { entity: node, field: 'title', batchId: title.batchId },
        { entity: node, field: 'priority', batchId: priority.batchId },
      ],
    },
  });
});
