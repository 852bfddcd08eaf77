import { planOf as modelPlanOf } from '@taskgraph/testkit/model/plan';
import { graphOf } from '@taskgraph/testkit/model/reads';
import { addLink, addNode, ann, bob, NOW, world } from '@taskgraph/testkit/model/small-world';
import { runs } from '@taskgraph/testkit/runs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Entity } from '../merge-diff.ts';
import type { ReplicaEvents } from './changes.ts';
import { createEmitter } from './emitter.ts';
import { planIn, type ReplicaPlan, watchPlanOf } from './replica-plan.ts';
import { createView, type Snapshot } from './view.ts';

const byId = (entities: readonly { readonly id: string }[]) =>
  new Map(entities.map((entity) => [entity.id, entity as unknown as Entity]));

function snapshotOf(nodes: readonly { readonly id: string }[], links: readonly { readonly id: string }[]): Snapshot {
  return { nodes: byId(nodes), links: byId(links), state: 'live', revision: 1 };
}

const node = (id: string, more: object = {}) => ({
  ...{ id, status: 0, volume: 1, independent: false, priority: 0, dueDate: null },
  ...more,
});
const link = (id: string, more: object = {}) => ({
  ...{ id, source: id[0] as string, target: id[1] as string, type: 0, private: false },
  ...more,
});

const nodes = fc.array(
  fc.record({
    status: fc.constantFrom(0, 1, 3),
    volume: fc.nat({ max: 9 }),
    independent: fc.boolean(),
    priority: fc.nat({ max: 2 }),
    dueDate: fc.constantFrom(null, '2026-02-01T00:00:00.000Z', '2026-03-01T00:00:00.000Z'),
    isOwn: fc.boolean(),
  }),
  { minLength: 1, maxLength: 12 },
);
const pairs = fc.uniqueArray(fc.tuple(fc.nat({ max: 11 }), fc.nat({ max: 11 }), fc.constantFrom(0, 1)), {
  maxLength: 24,
  selector: ([from, to]) => `${from}-${to}`,
});

test('[PLAN7] a replica plans what the reference model plans on the same graph', () => {
  fc.assert(
    fc.property(nodes, pairs, (made, ends) => {
      const state = world();
      const all = made.map(({ isOwn, ...fields }, at) =>
        addNode(state, `n${String(at).padStart(2, '0')}`, isOwn ? ann : bob, fields),
      );
      for (const [from, to, type] of ends) {
        const [source, target] = [all[from], all[to]];
        if (source === undefined || target === undefined || from >= to) continue;
        addLink(state, source, target, ann, { type, mayConvey: false });
        const blocks = type === 0 && source.status !== 3 && !target.independent;
        if (blocks) Object.assign(target, { status: 2, statusBefore: target.status });
      }
      const graph = graphOf(state, ann, NOW);
      const plan = planIn(snapshotOf(graph.nodes, graph.links));
      const expected = modelPlanOf(state, ann, null, NOW);
      if ('error' in expected) throw new Error(expected.error);
      const plain = (list: ReplicaPlan['nodes'] | typeof expected.nodes) =>
        list.map(({ hidden: _, ...times }) => times);
      expect({ ...plan, nodes: plain(plan.nodes) }).toMatchObject({ ...expected, nodes: plain(expected.nodes) });
      // It says less of what is out of sight, and never anything else.
      const marked = (list: readonly { id: string; hidden?: true | undefined }[]) =>
        list.flatMap(({ id, hidden }) => (hidden ? [id] : []));
      expect(marked(expected.nodes)).toEqual(expect.arrayContaining(marked(plan.nodes)));
    }),
    { numRuns: runs(200) },
  );
});

test('[PLAN7 PLAN4 PLAN5] with dates, what is late and what a slip costs', () => {
  const dueDate = '2026-01-02T00:00:00.000Z';
  const snapshot = snapshotOf([node('a'), node('b', { status: 2, dueDate })], [link('ab')]);
  const start = '2026-01-01T00:00:00.000Z';
  expect(planIn(snapshot, { start, unit: 'day', slip: { id: 'a', by: 2 } })).toMatchObject({
    makespan: 2,
    nodes: [{ id: 'a', startDate: start, finishDate: dueDate }, { id: 'b' }],
    late: [{ id: 'b', finish: '2026-01-03T00:00:00.000Z' }],
    slip: { makespan: { before: 2, after: 4 }, nodes: [{ id: 'a' }, { id: 'b' }] },
  });
});

test('[PLAN7] of a branch, by links that are not private', () => {
  const snapshot = snapshotOf(
    [node('r'), node('a'), node('b'), node('c')],
    [link('ar'), link('br', { type: 1 }), link('cr', { private: true }), link('ab', { type: 1 })],
  );
  expect(planIn(snapshot, { root: 'r' }).nodes.map(({ id }) => id)).toEqual(['a', 'b', 'r']);
});

test.each([
  [{ root: 'x' }, 'not_found'],
  [{ start: '2026-01-01' }, 'bad_request.missing_unit'],
  [{ unit: 'day' as const }, 'bad_request.missing_start'],
  [{ start: 'today', unit: 'day' as const }, 'bad_request.invalid_start'],
  [{ slip: { id: 'x', by: 1 } }, 'not_found'],
  [{ slip: { id: 'a', by: 1 } }, 'conflict.not_open'],
  [{ slip: { id: 'a', by: 0 } }, 'bad_request.out_of_range'],
])('[PLAN7] %j is refused as graph:plan refuses it: %s', (options, code) => {
  const snapshot = snapshotOf([node('a', { status: 3 })], []);
  expect(() => planIn(snapshot, options)).toThrow(expect.objectContaining({ code }));
});

test('[PLAN6 PLAN7] more than 20,000 nodes are no plan', () => {
  const many = Array.from({ length: 20_001 }, (_, index) => node(String(index)));
  expect(() => planIn(snapshotOf(many, []))).toThrow(expect.objectContaining({ code: 'bad_request.too_large' }));
});

test('[PLAN7] a watcher is told where the plan moves, once for all that came in one turn', async () => {
  const graph = { nodes: byId([node('a'), node('b', { status: 2 })]), links: byId([link('ab')]) };
  const emitter = createEmitter<ReplicaEvents>();
  const view = createView({ emitter, current: (kind, id) => graph[kind].get(id) });
  const change = (kind: 'nodes' | 'links', entity: { id: string }) => {
    graph[kind].set(entity.id, entity as Entity);
    view.touch(kind, entity.id);
  };
  const turn = () => new Promise<void>((resolve) => setTimeout(resolve));
  for (const kind of ['nodes', 'links'] as const) for (const id of graph[kind].keys()) view.touch(kind, id);
  await turn();

  const told: (number | null)[] = [];
  const end = watchPlanOf({ subscribe: view.subscribe, on: emitter.on }, { root: 'b' }, (plan) =>
    told.push(plan === null ? null : plan.makespan),
  );
  change('nodes', node('a', { volume: 5 }));
  change('nodes', node('b', { status: 2, volume: 2 }));
  await turn();
  expect(told).toEqual([7]);
  change('nodes', node('a', { volume: 5, title: 'another title' }));
  await turn();
  expect(told).toEqual([7]);
  change('links', link('ab', { type: 1 }));
  await turn();
  graph.nodes.delete('b');
  view.touch('nodes', 'b');
  await turn();
  expect(told).toEqual([7, 5, null]);
  end();
  change('nodes', node('b'));
  await turn();
  expect(told).toHaveLength(3);
});
