// The work of commands on the worst legal graphs: every decision ends at its bound.

import type { TooMuchWork } from '@taskgraph/domain/state/work';
import { runs, timeFor } from '@taskgraph/testkit/runs';
import type { ActingUser } from '@taskgraph/wire/actor';
import { Status } from '@taskgraph/wire/codes';
import { definedFields } from '@taskgraph/wire/defined-fields';
import { batchable } from '@taskgraph/wire/operations/batch-parser';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { refuseTooMuchWork, WORK_ALONE, WORK_TOGETHER } from '../pipeline/work-bounds.ts';
import { WORK_OF_A_CALL } from '../rate-limits.ts';
import { COMMAND_CASES, type Operation, type Spot } from './support/command-cases.ts';
import { createLoadedGraph, type LoadedGraph } from './support/loaded-graph.ts';
import { ann, bob } from './support/scenario.ts';

const TIMEOUT_MS = timeFor(120_000);

const batch = (operations: readonly Operation[], dryRun = true) => ({
  operations: operations.map(([event, payload, as]) => ({ event, payload, ...definedFields({ as }) })),
  ...(dryRun ? { dryRun } : {}),
});
const times = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, at) => make(at));

/** Graphs of a given size, each the worst case of some walk. */
const GRAPHS: Readonly<Record<string, (graph: LoadedGraph, size: number) => Spot>> = {
  'blocks many'(graph, size) {
    const hot = graph.node();
    const targets = times(size, () => graph.node());
    const links = targets.map((target) => graph.link(hot, target));
    return { hot, link: links[0] as string, other: targets[0] as string };
  },
  'is blocked by many'(graph, size) {
    const hot = graph.node();
    const sources = times(size, () => graph.node());
    const links = sources.map((source) => graph.link(source, hot));
    return { hot, link: links[0] as string, other: sources[0] as string };
  },
  'begins a chain'(graph, size) {
    const nodes = times(size + 1, () => graph.node({ status: Status.COMPLETED }));
    const links = times(size, (at) => graph.link(nodes[at] as string, nodes[at + 1] as string));
    return { hot: nodes[0] as string, link: links[0] as string, other: nodes[1] as string };
  },
  'begins a ladder of diamonds'(graph, size) {
    const steps = times(Math.ceil(size / 2) + 1, () => [graph.node({ status: 3 }), graph.node({ status: 3 })] as const);
    const links = steps.flatMap((step, at) =>
      step.flatMap((from) => (steps[at + 1] ?? []).map((into) => graph.link(from, into))),
    );
    const hot = graph.node({ status: Status.COMPLETED });
    const [first, second] = steps[0] as readonly [string, string];
    graph.link(hot, second);
    return { hot, link: graph.link(hot, first) ?? links[0], other: first };
  },
  'is below 64 shared branches, with many nodes below it'(graph, size) {
    const roots = times(60, () => graph.node({ independent: true }));
    for (const [at, root] of roots.entries()) {
      graph.share(root);
      if (at > 0) graph.link(root, roots[at - 1] as string, { type: 1 });
    }
    const hot = graph.node({ independent: true });
    const link = graph.link(hot, roots.at(-1) as string, { type: 1 });
    let at = hot;
    for (const below of times(Math.ceil(size / 20), () => graph.node({ independent: true }))) {
      graph.link(below, at, { type: 1 });
      at = below;
    }
    return { hot, link, other: roots.at(-1) as string };
  },
  'has a long description, in 60 shared branches'(graph, size) {
    const hot = graph.node({ independent: true, description: 'x'.repeat(100 * size) });
    const roots = times(60, () => graph.node({ independent: true }));
    for (const root of roots) graph.share(root);
    const links = roots.map((root) => graph.link(hot, root, { type: 1 }));
    return { hot, link: links[0] as string, other: roots[0] as string };
  },
};

/** Small bounds, which small graphs exceed. */
const BOUNDS = { command: { changes: 500, steps: 12_500 }, group: 800 };
/** Most look-ups of a decision in a world of any size. */
const MOST_LOOKS = 100_000;

test('each command has its worst case here', () => {
  expect(Object.keys(COMMAND_CASES).sort()).toEqual(batchable.map(({ name }) => name).sort());
});

function named([event, payload, as]: Operation, at: number): Operation {
  const renamed = JSON.parse(JSON.stringify(payload).replaceAll('"$n', `"$n${at}`)) as object;
  return as === undefined ? [event, renamed] : [event, renamed, `${as}${at}`];
}

/** Runs a toggle repeatedly on a graph of a given size. */
function toggled(shape: string, event: string, size: number, repeats: number) {
  const graph = createLoadedGraph();
  const spot = (GRAPHS[shape] as (typeof GRAPHS)[string])(graph, size);
  const toggle = COMMAND_CASES[event]?.toggle(spot) ?? [];
  const operations = times(repeats, (at) => toggle.map((operation) => named(operation, at))).flat();
  // Only grantees change whether they are shown a grant's nodes.
  const by = event === 'node:showing' ? bob : ann;
  if (by === bob) graph.share(spot.hot);
  const command = graph.command('batch:run', batch(operations.slice(0, 500)), by);
  graph.looks();
  const { work, replies, undecided } = graph.decide([command], BOUNDS);
  // A command that is refused for another reason proves nothing about work.
  expect(replies.get(command) ?? { ok: true }, `${shape}: ${event}`).toMatchObject({ ok: true });
  expect(replies.has(command), `${shape}: ${event}`).toBe(!undecided.tooMuch.has(command));
  return { event, looks: graph.looks(), work };
}

const shapes = Object.keys(GRAPHS);
const events = Object.keys(COMMAND_CASES);
/** The sum of both bounds, the list whose copy exceeded one of them, and the text of an entry. */
const MOST_WORK = 2 * BOUNDS.command.changes + 1_000;

test.each(shapes)(
  '[LIM5] on a node that %s each command, repeated beside others, stays within the bound or leaves the group',
  (shape) => {
    for (const event of events) {
      const { looks, work } = toggled(shape, event, 200, 250);
      expect({ event, isPast: looks > MOST_LOOKS || work > MOST_WORK, looks, work }).toMatchObject({ isPast: false });
    }
  },
  TIMEOUT_MS,
);

test(
  '[LIM5] the bound holds at any size of the graph and any repetition',
  () => {
    const [size, repeats] = [fc.integer({ min: 5, max: 500 }), fc.integer({ min: 1, max: 250 })];
    fc.assert(
      fc.property(fc.constantFrom(...shapes), fc.constantFrom(...events), size, repeats, (...randomSteps) => {
        const { looks, work } = toggled(...randomSteps);
        expect(looks).toBeLessThanOrEqual(MOST_LOOKS);
        expect(work).toBeLessThanOrEqual(MOST_WORK);
      }),
      { numRuns: runs(20) },
    );
  },
  TIMEOUT_MS,
);

test(
  '[LIM5] a payload of 45 kB with 195,500 changes leaves the group before 5,000 changes, and alone counts as 782 calls',
  () => {
    const graph = createLoadedGraph();
    const hot = graph.node();
    for (const target of times(390, () => graph.node({ independent: true }))) graph.link(hot, target);
    const toggles = times(500, (at): Operation => ['node:update', { id: hot, status: at % 2 === 0 ? 3 : 0 }]);
    const payload = batch(toggles);
    expect(JSON.stringify(payload).length).toBeLessThan(60_000);
    const command = graph.command('batch:run', payload);
    const together = graph.decide([command], WORK_TOGETHER);
    expect([...together.undecided.tooMuch.keys()]).toEqual([command]);
    expect(together.work).toBeLessThanOrEqual(2 * WORK_TOGETHER.command.changes);
    const alone = graph.decide([command], WORK_ALONE);
    const { work = 0 } = alone.replies.get(command) ?? {};
    expect(work).toBeGreaterThanOrEqual(195_500);
    expect(Math.ceil(work / WORK_OF_A_CALL)).toBeGreaterThanOrEqual(782);
  },
  TIMEOUT_MS,
);

test(
  '[LIM5 BAT7] a batch of more than 200,000 changes is too large, and the refusal names the operation that exceeds the limit',
  () => {
    const graph = createLoadedGraph();
    const hot = graph.node();
    for (const target of times(500, () => graph.node())) graph.link(hot, target);
    const toggles = times(500, (at): Operation => ['node:update', { id: hot, status: at % 2 === 0 ? 3 : 0 }]);
    const command = graph.command('batch:run', batch(toggles));
    const error = graph.decide([command]).undecided.tooMuch.get(command) as TooMuchWork;
    // Each operation changes the node, and the count and status of each target.
    const index = Math.floor(200_000 / 1_001);
    const code = 'bad_request.too_large';
    expect(refuseTooMuchWork(error)).toMatchObject({ code, details: { most: 200_000, index } });
  },
  TIMEOUT_MS,
);

test("[LIM5] other commands are decided when one leaves the group, and those above the group's bound wait for the next", () => {
  const graph = createLoadedGraph();
  const hot = graph.node();
  for (const target of times(300, () => graph.node())) graph.link(hot, target);
  const heavy = graph.command(
    'batch:run',
    batch(times(100, (at) => ['node:update', { id: hot, status: at % 2 ? 0 : 3 }])),
  );
  const [one, other] = times(2, () => graph.command('node:add', {}, bob));
  const bounds = { ...BOUNDS, group: 400 };
  const decision = graph.decide(
    [one, heavy, other].filter((command) => command !== undefined),
    bounds,
  );
  expect([...decision.replies.keys()]).toEqual([one]);
  expect([...decision.undecided.tooMuch.keys()]).toEqual([heavy]);
  expect(decision.undecided.later).toEqual([other]);
});

test('[LIM6] an answer or refusal states its work if it exceeds that of one call', () => {
  const graph = createLoadedGraph();
  const hot = graph.node();
  for (const target of times(300, () => graph.node())) graph.link(hot, target);
  expect(graph.run('node:update', { id: hot, title: 'x' })).not.toHaveProperty('work');
  const done = graph.run('node:update', { id: hot, status: 3, dryRun: true });
  expect(done).toMatchObject({ ok: true, work: expect.any(Number) });
  const forbidden: Operation = ['node:update', { id: graph.node({ ownerId: bob.id }), title: 'x' }];
  const refused = graph.run('batch:run', batch([['node:update', { id: hot, status: 3 }], forbidden]));
  expect(refused).toMatchObject({ ok: false, details: { index: 1 }, work: expect.any(Number) });
});

test('[LIM5] a group of usual commands stays far below the bounds', () => {
  const graph = createLoadedGraph();
  const parents = times(128, () => graph.node());
  const by: ActingUser = ann;
  const commands = parents.map((target) => graph.command('node:add', { target, title: 'a task' }, by));
  const { undecided, work } = graph.decide(commands, WORK_TOGETHER);
  expect([undecided.later.length, undecided.tooMuch.size]).toEqual([0, 0]);
  expect(work).toBeLessThan(WORK_TOGETHER.group / 4);
});

test("[LIM5 DRY3] a dry run's visibility changes over many branches are bounded too", () => {
  const graph = createLoadedGraph();
  const roots = times(20, () => graph.node({ independent: true }));
  for (const root of roots) {
    graph.share(root);
    for (const below of times(60, () => graph.node({ independent: true }))) graph.link(below, root, { type: 1 });
  }
  const turn = (id: string): Operation => ['node:access:update', { id, email: bob.email, branch: false }];
  const bounds = { command: { changes: 2_000, steps: 2_000 }, group: 4_000 };
  const few = graph.command('batch:run', batch(roots.slice(0, 2).map(turn)));
  expect(graph.decide([few], bounds).replies.get(few)).toMatchObject({
    ok: true,
    body: { sight: { lost: [bob.email] } },
  });
  const many = graph.command('batch:run', batch(roots.map(turn)));
  expect([...graph.decide([many], bounds).undecided.tooMuch.keys()]).toEqual([many]);
});
