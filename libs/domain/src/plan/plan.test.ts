import { Status } from '@taskgraph/wire/codes';
import { expect, test } from 'vitest';
import { datesOf, type PlanInput, type PlanNode, planOf, slipOf } from './plan.ts';

const node = (id: string, more: Partial<PlanNode> = {}): PlanNode => ({
  id,
  status: Status.AVAILABLE,
  volume: 1,
  independent: false,
  priority: 0,
  dueDate: null,
  ...more,
});
const graph = (nodes: PlanNode[], links: string[] = [], calendar: PlanInput['calendar'] = null): PlanInput => ({
  nodes,
  links: links.map((link) => ({ source: link[0] as string, target: link[1] as string })),
  calendar,
});
const day = { start: '2026-01-01T00:00:00.000Z', unit: 'day' } as const;

test('[PLAN1] a Completed node takes no time, and an independent node has no predecessors', () => {
  const nodes = [
    node('a', { status: Status.COMPLETED, volume: 9 }),
    node('b', { volume: 2 }),
    node('c', { independent: true, volume: 4 }),
  ];
  const plan = planOf(graph(nodes, ['ab', 'bc']));
  expect(plan).toMatchObject({ makespan: 4, critical: ['c'], late: null });
  expect(plan?.nodes.map(({ id, earliestFinish, slack }) => [id, earliestFinish, slack])).toEqual([
    ['a', 0, 2],
    ['b', 2, 2],
    ['c', 4, 0],
  ]);
});

test('[PLAN3] ready nodes are sorted by progress, slack, due date, priority and id', () => {
  const nodes = [
    node('a', { volume: 10 }),
    node('b'),
    node('c', { dueDate: '2026-02-01T00:00:00.000Z' }),
    node('d', { dueDate: '2026-01-01T00:00:00.000Z' }),
    node('e', { priority: 3 }),
    node('f', { status: Status.IN_PROGRESS }),
    node('g', { status: Status.BLOCKED }),
    node('h', { status: Status.COMPLETED }),
  ];
  expect(planOf(graph(nodes))?.ready).toEqual(['f', 'a', 'd', 'c', 'e', 'b']);
});

test('[PLAN4] a calendar gives dates, and the open nodes that end after their due date', () => {
  const due = '2026-01-03T00:00:00.000Z';
  const nodes = [
    node('a', { volume: 2, dueDate: due }),
    node('b', { volume: 1, dueDate: due, status: Status.BLOCKED }),
    node('c', { volume: 7, dueDate: '2020-01-01T00:00:00.000Z', status: Status.COMPLETED }),
  ];
  const plan = planOf(graph(nodes, ['ab'], day));
  expect(plan?.late).toEqual([{ id: 'b', dueDate: due, finish: '2026-01-04T00:00:00.000Z' }]);
  expect(plan?.nodes.map((each) => [each.id, datesOf(each, day)])).toContainEqual([
    'b',
    { startDate: '2026-01-03T00:00:00.000Z', finishDate: '2026-01-04T00:00:00.000Z' },
  ]);
  const [first] = planOf(graph([node('a', { volume: 2 })]))?.nodes ?? [];
  expect(first && datesOf(first, { ...day, unit: 'week' }).finishDate).toBe('2026-01-15T00:00:00.000Z');
});

test('[PLAN4 IO6] a node that is due on a day may end during that day', () => {
  const dueDate = '2026-01-02T23:59:59.000Z';
  const lateIds = (volume: number) =>
    planOf(graph([node('a', { volume, dueDate })], [], day))?.late?.map(({ id }) => id);
  // The plan starts on 1 January.
  expect(lateIds(2)).toEqual([]);
  expect(lateIds(3)).toEqual(['a']);
  const hours = { start: '2026-01-02T00:00:00.000Z', unit: 'minute' } as const;
  const minutes = (volume: number) => planOf(graph([node('a', { volume, dueDate })], [], hours))?.late?.length;
  expect([minutes(24 * 60), minutes(24 * 60 + 1)]).toEqual([0, 1]);
});

test('[PLAN4] a date after the year 9999 is null, and later than any due date', () => {
  const nodes = [node('a', { volume: 1_000_000, dueDate: '2100-01-01T00:00:00.000Z' })];
  const calendar = { ...day, unit: 'week' } as const;
  const plan = planOf(graph(nodes, [], calendar));
  expect(plan?.late).toMatchObject([{ id: 'a', finish: null }]);
  expect(plan?.nodes.map((each) => datesOf(each, calendar).finishDate)).toEqual([null]);
});

test('[PLAN5] a slip shows delayed nodes, the new end and the new late nodes', () => {
  const due = '2026-01-07T00:00:00.000Z';
  const nodes = [node('a', { volume: 2 }), node('b', { volume: 4 }), node('c', { volume: 1, dueDate: due })];
  const input = graph(nodes, ['ac', 'bc'], day);
  expect(slipOf(input, { id: 'a', by: 2 })).toEqual({
    makespan: { before: 5, after: 5 },
    late: { before: [], after: [] },
    nodes: [],
  });
  expect(slipOf(input, { id: 'a', by: 4 })).toEqual({
    makespan: { before: 5, after: 7 },
    late: { before: [], after: [{ id: 'c', dueDate: due, finish: '2026-01-08T00:00:00.000Z' }] },
    nodes: [
      { id: 'a', latestFinish: 4, earliestFinish: 6 },
      { id: 'c', latestFinish: 5, earliestFinish: 7 },
    ],
  });
});

test('[PLAN5] only an open node of the plan can slip', () => {
  const input = graph([node('a', { status: Status.COMPLETED })]);
  expect([slipOf(input, { id: 'a', by: 1 }), slipOf(input, { id: 'x', by: 1 })]).toEqual([null, null]);
});

test('a cycle has no plan', () => {
  const input = graph([node('a'), node('b')], ['ab', 'ba']);
  expect([planOf(input), slipOf(input, { id: 'a', by: 1 })]).toEqual([null, null]);
});
