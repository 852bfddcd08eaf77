import { planOf as modelPlanOf } from '@taskgraph/reference-model/plan';
import { graphOf } from '@taskgraph/reference-model/reads';
import { addLink, addNode, ann, bob, NOW, world } from '@taskgraph/reference-model/small-world';
import { runs } from '@taskgraph/testkit/runs';
import { timestamp } from '@taskgraph/wire/fields';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { byId, link, node, plannedGraph, turn } from '../test/support/small-graph.ts';
import { createEntities } from './entities.ts';
import { planIn, type ReplicaPlan } from './replica-plan.ts';
import type { Snapshot } from './view.ts';

function snapshotOf(nodes: readonly { readonly id: string }[], links: readonly { readonly id: string }[]): Snapshot {
  return { nodes: byId(nodes), links: byId(links), state: 'live', revision: 1 };
}

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
        addLink(state, source, target, ann, { type, mayPropagate: false });
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
      // Of a node that something blocks in sight it can't tell whether there is more; of all others
      // it says the same.
      const open = new Set(graph.nodes.filter(({ status }) => status !== 3).map(({ id }) => id));
      const blocked = new Set(
        graph.links.flatMap(({ source, target, type }) => (type === 0 && open.has(source) ? [target] : [])),
      );
      const marked = (list: readonly { id: string; hidden?: true | undefined }[]) =>
        list.flatMap(({ id, hidden }) => (hidden && !blocked.has(id) ? [id] : []));
      expect(marked(plan.nodes)).toEqual(marked(expected.nodes));
      expect(plan.nodes.filter(({ id, hidden }) => hidden && blocked.has(id))).toEqual([]);
    }),
    { numRuns: runs(200) },
  );
});

test('[PLAN7 PLAN2] in a branch, a node with a visible blocker outside of the branch is not `hidden`', () => {
  const blocked = { status: 2 };
  const snapshot = snapshotOf(
    [node('r', blocked), node('b', blocked), node('c', blocked), node('a')],
    [link('br'), link('cr'), link('ab', { private: true })],
  );
  const marked = planIn(snapshot, { root: 'r' }).nodes.flatMap(({ id, hidden }) => (hidden ? [id] : []));
  expect(marked).toEqual(['c']);
});

test('[PLAN7 PLAN2] a pending command does not make a node `hidden`: the copy still has its blocker', () => {
  const entities = createEntities(() => undefined);
  for (const entity of byId([node('a'), node('b', { status: 2 })]).values())
    entities.setNode(entity.id, { entity, via: new Set(), isDoubtful: false, isLevelDerived: false });
  for (const entity of byId([link('ab')]).values()) entities.setLink(entity);
  for (const shown of [
    snapshotOf([node('a', { status: 3 }), node('b', { status: 2 })], [link('ab')]),
    snapshotOf([node('b', { status: 2 })], []),
    snapshotOf([node('a'), node('b', { status: 2 })], [link('ab', { type: 1 })]),
  ]) {
    const marks = planIn(shown, {}, entities.hasBlocker).nodes.map(({ hidden }) => hidden);
    expect(marks).not.toContain(true);
  }
  entities.dropLink('ab');
  const left = planIn(snapshotOf([node('a'), node('b', { status: 2 })], []), {}, entities.hasBlocker);
  expect(left.nodes).toMatchObject([{ id: 'a' }, { id: 'b', hidden: true }]);
});

test('[PLAN7 PLAN4 PLAN5] with dates, the plan has late nodes and the cost of a slip', () => {
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

test('[PLAN7] a branch follows only links that are not private', () => {
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
  [{ start: '2026-01-01T00:00:00Z', unit: 'year' as 'day' }, 'bad_request.invalid_unit'],
  [{ slip: { id: 'x', by: 1 } }, 'not_found'],
  [{ slip: { id: 'a', by: 1 } }, 'conflict.not_open'],
  [{ slip: { id: 'a', by: 0 } }, 'bad_request.out_of_range'],
])('[PLAN7] %j is refused as graph:plan refuses it: %s', (options, code) => {
  const snapshot = snapshotOf([node('a', { status: 3 })], []);
  expect(() => planIn(snapshot, options)).toThrow(expect.objectContaining({ code }));
});

test('[PLAN4 PLAN7] a start means the same time as for the service, or is refused', () => {
  const two = fc.integer({ min: 0, max: 99 }).map((number) => String(number).padStart(2, '0'));
  const usual = (most: number) => fc.integer({ min: 0, max: most }).map((number) => String(number).padStart(2, '0'));
  const number = fc.oneof({ weight: 5, arbitrary: usual(23) }, { weight: 1, arbitrary: two });
  const start = fc
    .record({
      year: fc.constantFrom('2026', '2024', '0000', '9999', '10000', '+02026', '26'),
      day: fc.tuple(fc.oneof(usual(12), two), fc.oneof(usual(31), two)),
      between: fc.constantFrom('T', 'T', 'T', 't', ' ', ''),
      clock: fc.tuple(number, number, fc.option(number), fc.constantFrom('', '', '.5', '.123456789', '.', ',5')),
      offset: fc.constantFrom('Z', 'Z', '+02:00', '-0530', '+02', '', 'z', '+2', '+24:00', ' Z', `Z${' '.repeat(100)}`),
    })
    .map(({ year, day, between, clock: [hour, minute, second, part], offset }) => {
      const seconds = second === null ? '' : `:${second}${part}`;
      return `${year}-${day.join('-')}${between}${hour}:${minute}${seconds}${offset}`;
    });
  const snapshot = snapshotOf([node('a')], []);
  const property = fc.property(fc.oneof(start, fc.string({ maxLength: 30 })), (given) => {
    const { data } = timestamp.safeParse(given);
    const plan = () => planIn(snapshot, { start: given, unit: 'day' });
    if (data === undefined) expect(plan).toThrow(expect.objectContaining({ code: 'bad_request.invalid_start' }));
    else expect(plan().nodes[0]?.startDate).toBe(data);
  });
  fc.assert(property, { numRuns: runs(2_000) });
});

test('[PLAN6 PLAN7] more than 20,000 nodes are refused', () => {
  const many = Array.from({ length: 20_001 }, (_, index) => node(String(index)));
  expect(() => planIn(snapshotOf(many, []))).toThrow(expect.objectContaining({ code: 'bad_request.too_large' }));
});

test('[PLAN7] a watcher receives each changed plan, once for all changes of one turn', async () => {
  const graph = await plannedGraph([node('a'), node('b', { status: 2 })], [link('ab')]);
  const told: (number | null)[] = [];
  const end = graph.watchPlan({ root: 'b' }, (plan) => told.push(plan === null ? null : plan.makespan));
  graph.change('nodes', node('a', { volume: 5 }));
  graph.change('nodes', node('b', { status: 2, volume: 2 }));
  await turn();
  expect(told).toEqual([7]);
  graph.change('nodes', node('a', { volume: 5, title: 'another title' }));
  await turn();
  expect(told).toEqual([7]);
  graph.change('links', link('ab', { type: 1 }));
  await turn();
  graph.remove('nodes', 'b');
  await turn();
  expect(told).toEqual([7, 5, null]);
  end();
  graph.change('nodes', node('b'));
  await turn();
  expect(told).toHaveLength(3);
});
