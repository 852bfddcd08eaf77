// The planner: the plan of its copy, what it answers to changes, and its bounds.
import { planOf } from '@taskgraph/domain/plan/plan';
import { expect, test } from 'vitest';
import { createPlanner, NUMBERS_A_TASK, type PlanAnswer, type PlanChanges } from './planner.ts';

const NOTHING: PlanChanges = { nodes: [], removedNodes: [], links: [], removedLinks: [] };
const node = (id: string, volume = 1, status: 0 | 1 | 2 | 3 = 0) =>
  ({ id, status, volume, independent: false, priority: 0, dueDate: null }) as const;
const link = (source: string, target: string) => ({ id: `${source}-${target}`, source, target });

/** The last number of each task. */
function slackOf(answer: PlanAnswer): number[] {
  if (answer.kind !== 'plan') throw new Error(`it is ${answer.kind}`);
  return Array.from(answer.times).filter((_, place) => place % NUMBERS_A_TASK === NUMBERS_A_TASK - 1);
}

test('[PLAN7] the answer is the plan of all changes so far', () => {
  const planner = createPlanner();
  const nodes = [node('a', 3), node('b', 1), node('c', 2, 2)];
  const links = [link('a', 'c'), link('b', 'c')];
  const answer = planner.change({ ...NOTHING, nodes, links });
  const expected = planOf({ nodes, links, calendar: null });
  expect(answer).toMatchObject({
    kind: 'plan',
    ids: ['a', 'b', 'c'],
    makespan: 5,
    ready: expected?.ready,
    critical: ['a', 'c'],
  });
  expect(slackOf(answer)).toEqual([0, 2, 0]);
  const changed = planner.change({ ...NOTHING, nodes: [node('b', 4)] });
  expect(changed).toMatchObject({ kind: 'plan', ids: null, makespan: 6, critical: ['b', 'c'] });
  expect(slackOf(changed)).toEqual([1, 0, 0]);
  const removed = planner.change({ ...NOTHING, removedNodes: ['b'], removedLinks: ['b-c'] });
  expect(removed).toMatchObject({ kind: 'plan', ids: ['a', 'c'], makespan: 5 });
});

test('a change that moves nothing says so, also when the page has the buffer of the last answer', () => {
  const planner = createPlanner();
  const first = planner.change({ ...NOTHING, nodes: [node('a'), node('b')], links: [link('a', 'b')] });
  if (first.kind === 'plan') structuredClone(first.times, { transfer: [first.times.buffer] });
  expect(planner.change({ ...NOTHING, nodes: [node('a')] })).toEqual({ kind: 'same' });
  expect(planner.change({ ...NOTHING, nodes: [node('a', 2)] })).toMatchObject({ kind: 'plan', ids: null });
});

test('[PLAN6] links in a circle and more than 20,000 tasks have no plan, until they are gone', () => {
  const planner = createPlanner();
  const nodes = [node('a'), node('b')];
  expect(planner.change({ ...NOTHING, nodes, links: [link('a', 'b'), link('b', 'a')] })).toEqual({ kind: 'none' });
  expect(planner.change({ ...NOTHING, removedLinks: ['b-a'] })).toMatchObject({ kind: 'plan', ids: ['a', 'b'] });
  const more = Array.from({ length: 19_999 }, (_, index) => node(`more ${index}`));
  expect(planner.change({ ...NOTHING, nodes: more })).toEqual({ kind: 'none' });
  expect(planner.change({ ...NOTHING, removedNodes: ['b'] })).toMatchObject({ kind: 'plan', makespan: 1 });
});
