// Dry runs of random commands compared with the real ones, and the e-mails that gain or lose
// visibility.
import { runs, timeFor } from '@taskgraph/testkit/runs';
import { Level } from '@taskgraph/wire/codes';
import { expect, test } from 'vitest';
import { dryRunDiffersAt } from './support/dry-runs.ts';
import { randomSteps } from './support/memory-run.ts';
import { ann, bob, createScenario, cy } from './support/scenario.ts';

const FROM = Number(process.env.MODEL_SEED ?? 301);
const SEEDS = Array.from({ length: runs(2) }, (_, at) => FROM + at);
/** Steps of a run. Each runs twice, and some are composites. */
const STEPS = 100;

test.each(SEEDS)(
  '[DRY1 DRY2 DRY3] a dry run of each command of run %i changes nothing and predicts the real run',
  (seed) => {
    const found = dryRunDiffersAt(randomSteps(seed).slice(0, STEPS));
    if (found !== null) throw found.cause;
  },
  timeFor(120_000),
);

const sightIn = (scene: ReturnType<typeof createScenario>, event: string, payload: object, by = ann) =>
  scene.run(event, { ...payload, dryRun: true }, by).sight;

test('[DRY3] names at most 100 e-mails that would see a node by a grant, and none whose grants the caller may not list', () => {
  const scene = createScenario();
  const [root, other, child] = [scene.node(), scene.node({ ownerId: cy.id }), scene.node()];
  scene.grant(root, bob, Level.VIEWER, { branch: true });
  for (let index = 0; index < 150; index++) {
    scene.grant(root, { ...bob, email: `guest-${String(index).padStart(3, '0')}@example.org` }, Level.VIEWER, {
      branch: true,
    });
  }
  const sight = sightIn(scene, 'link:add', { source: child, target: root });
  expect(sight?.gained.slice(0, 2)).toEqual([bob.email, 'guest-000@example.org']);
  expect([sight?.gained.length, sight?.lost, sight?.truncated]).toEqual([100, [], true]);
  // Ann edits Cy's node, whose grants she may not list.
  scene.grant(other, ann, Level.EDITOR, { branch: true });
  scene.grant(other, bob, Level.VIEWER, { branch: true });
  expect(sightIn(scene, 'link:add', { source: scene.node(), target: other })).toEqual({ gained: [], lost: [] });
  expect(sightIn(scene, 'node:trash', { id: other }, cy)).toEqual({ gained: [], lost: [ann.email, bob.email].sort() });
});

test('[DRY3] an e-mail that keeps access by another grant loses nothing', () => {
  const scene = createScenario();
  const [root, child] = [scene.node(), scene.node()];
  scene.grant(root, bob, Level.VIEWER, { branch: true });
  scene.link(child, root);
  scene.grant(child, bob, Level.EDITOR);
  expect(sightIn(scene, 'node:access:delete', { id: child, email: bob.email })).toEqual({ gained: [], lost: [] });
  expect(sightIn(scene, 'node:access:delete', { id: root, email: bob.email })).toEqual({
    gained: [],
    lost: [bob.email],
  });
  const made = { event: 'node:add', payload: {}, as: 'n' };
  const shared = { event: 'node:access', payload: { id: '$n', email: 'nobody@example.org' } };
  const both = sightIn(scene, 'batch:run', { operations: [made, shared] });
  expect(both).toEqual({ gained: ['nobody@example.org'], lost: [] });
});

test('[DRY1] only commands have the boolean field, operations of a batch do not', () => {
  const scene = createScenario();
  const id = scene.node();
  expect(scene.run('node:update', { id, dryRun: true }).error).toBe('bad_request.no_fields');
  expect(scene.run('node:update', { id, title: 'x', dryRun: 'yes' }).error).toBe('bad_request.invalid_dryRun');
  expect(scene.run('node:update', { id, titel: 'x', dryRun: 1 }).error).toBe('bad_request.unknown_field');
  const operations = [{ event: 'node:add', payload: { dryRun: true } }];
  expect(scene.run('batch:run', { operations })).toMatchObject({
    error: 'bad_request.unknown_field',
    details: { index: 0 },
  });
  expect(scene.run('node:update', { id, title: 'x', dryRun: false }).error).toBeNull();
  expect(scene.nodes.get(id)?.title).toBe('x');
});
