// Dry runs in memory: each random command is decided without being done, and then done, and both come out alike.
import { namesIn } from '@taskgraph/testkit/model/comparison/answers';
import { Comparison } from '@taskgraph/testkit/model/comparison/comparison';
import type { DrawnCommand } from '@taskgraph/testkit/model/random/step';
import { draw } from '@taskgraph/testkit/model/random/steps';
import { sightChange } from '@taskgraph/testkit/model/rules/sight-change';
import { runCommand } from '@taskgraph/testkit/model/run';
import { runs, timeFor } from '@taskgraph/testkit/runs';
import { Level } from '@taskgraph/wire/codes';
import type { ReplyMessage } from '@taskgraph/wire/messages';
import { isSystem } from '@taskgraph/wire/system';
import { expect, test } from 'vitest';
import { drawn, setUp } from './support/memory-run.ts';
import { FOUR, type MemorySubject } from './support/memory-subject.ts';
import { ann, bob, createScenario, cy } from './support/scenario.ts';

const IDS = /[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}|public-token-\d+/g;

/** An answer with the ids of what it makes, numbered in the order in which they come, and without what a dry run has not. */
function comparable(reply: ReplyMessage, known: ReadonlySet<string>): unknown {
  if (!reply.ok) return JSON.parse(numbered(JSON.stringify({ error: reply.error, details: reply.details }), known));
  const { feeds: _feeds, dryRun: _dryRun, sight: _sight, batchId: _batchId, diff, ...body } = reply.body;
  const { batchId: _id, ...rest } = diff as Record<string, unknown>;
  return JSON.parse(numbered(JSON.stringify({ ...body, diff: rest }), known));
}

function numbered(text: string, known: ReadonlySet<string>): string {
  const made = new Map<string, string>();
  return text.replaceAll(IDS, (id) => {
    if (known.has(id)) return id;
    if (!made.has(id)) made.set(id, `made ${made.size}`);
    return made.get(id) as string;
  });
}

/** Has one command decided and then done; gives what the two answered, and what was kept between them. */
function tryBoth(subject: MemorySubject, command: DrawnCommand) {
  subject.slices.length = 0;
  subject.control.length = 0;
  const kept = subject.checksum();
  const payload = { ...command.payload, dryRun: true };
  const [dry] = subject.sendTogether([{ ...command, payload, key: null }]) as [ReplyMessage];
  const left = { kept: subject.checksum(), pushes: [...subject.slices, ...subject.control] };
  const [real] = subject.sendTogether([{ ...command, key: null }]) as [ReplyMessage];
  return { dry, real, kept, left };
}

const SEEDS = Array.from({ length: runs(3) }, (_, at) => 301 + at);
/** Steps of a run: each is done twice, and the half of them are composites. */
const STEPS = 100;

test.each(SEEDS)(
  '[DRY1 DRY2 DRY3] a dry run of each command of run %i leaves all as it is, and says what the real one then does',
  (seed) => {
    const { clock, comparison, subject } = setUp();
    comparison.composites = true;
    for (const [serial, step] of drawn(seed).slice(0, STEPS).entries()) {
      const command = draw(step, { ...comparison, composites: true, users: FOUR, serial });
      clock.ms += command.kind === 'wait' ? command.ms : 1;
      comparison.wait(new Date(clock.ms).toISOString());
      if (command.kind === 'wait') continue;
      const { now, state } = comparison;
      const { dry, real, kept, left } = tryBoth(subject, command);
      expect({ serial, command, ...left }).toEqual({ serial, command, kept, pushes: [] });
      const known = new Set(JSON.stringify(state).match(IDS) ?? []);
      expect({ command, answer: comparable(dry, known) }).toEqual({ command, answer: comparable(real, known) });
      const done = runCommand(state, { ...command, key: null }, { now, ...namesIn(real, command) });
      comparison.state = done.state;
      if (!dry.ok) continue;
      expect(dry.body).toMatchObject({ dryRun: true, feeds: {}, diff: { batchId: null } });
      const { gained, lost } = sightChange({ before: state, after: done.state }, command.actor, now);
      expect({ command, sight: dry.body.sight }).toEqual({ command, sight: { gained, lost } });
      expect(isSystem(command.actor) || real.ok).toBe(true);
    }
    expect(new Comparison(FOUR).state).not.toEqual(comparison.state);
  },
  timeFor(120_000),
);

const sightIn = (scene: ReturnType<typeof createScenario>, event: string, payload: object, by = ann) =>
  scene.run(event, { ...payload, dryRun: true }, by).sight;

test('[DRY3] names who would see a node by a grant, at most a hundred, and nobody whose grants the caller could not list', () => {
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
  // Ann edits cy's node, whose grants are not hers to list.
  scene.grant(other, ann, Level.EDITOR, { branch: true });
  scene.grant(other, bob, Level.VIEWER, { branch: true });
  expect(sightIn(scene, 'link:add', { source: scene.node(), target: other })).toEqual({ gained: [], lost: [] });
  expect(sightIn(scene, 'node:trash', { id: other }, cy)).toEqual({ gained: [], lost: [ann.email, bob.email].sort() });
});

test('[DRY3] an e-mail that keeps sight by another grant loses nothing', () => {
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

test('[DRY1] is a field of mutations alone, true or false, and of no operation', () => {
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
