import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type PlannedTask, type Precedence, type Schedule, schedule, type TaskTimes } from './schedule.ts';

const task = (id: string, duration: number): PlannedTask => ({ id, duration, independent: false });
const before = (source: string, target: string): Precedence => ({ source, target });

function planned(tasks: readonly PlannedTask[], precedences: readonly Precedence[]): Schedule {
  const plan = schedule(tasks, precedences);
  if (plan === null) throw new Error('there is a circle');
  return plan;
}

test('[PLAN2] an empty plan takes no time', () => {
  expect(schedule([], [])).toEqual({ makespan: 0, times: [], critical: [] });
});

test('[PLAN1 PLAN2] a task begins when its predecessors have ended, and may slip until its followers begin', () => {
  const { makespan, times, critical } = planned(
    [task('a', 2), task('b', 5), task('c', 1), task('d', 4)],
    [before('a', 'c'), before('b', 'c'), before('a', 'd')],
  );
  expect(makespan).toBe(6);
  expect(critical).toEqual(['a', 'd']);
  expect(times).toEqual([
    { id: 'a', earliestStart: 0, earliestFinish: 2, latestStart: 0, latestFinish: 2, slack: 0 },
    { id: 'b', earliestStart: 0, earliestFinish: 5, latestStart: 0, latestFinish: 5, slack: 0 },
    { id: 'c', earliestStart: 5, earliestFinish: 6, latestStart: 5, latestFinish: 6, slack: 0 },
    { id: 'd', earliestStart: 2, earliestFinish: 6, latestStart: 2, latestFinish: 6, slack: 0 },
  ]);
});

test('[PLAN2] the chain includes tasks of no duration, from one without predecessors to one without followers', () => {
  const { critical } = planned(
    [task('source', 0), task('work', 3), task('aside', 1), task('sink', 0)],
    [before('source', 'work'), before('source', 'aside'), before('work', 'sink'), before('aside', 'sink')],
  );
  expect(critical).toEqual(['source', 'work', 'sink']);
});

test('[PLAN2] of several chains, the one whose ids come first is reported', () => {
  const chains = planned(
    [task('b', 1), task('a', 1), task('z', 1), task('y', 1)],
    [before('a', 'z'), before('a', 'y'), before('b', 'z')],
  );
  expect(chains.critical).toEqual(['a', 'y']);
});

test('a cycle is refused, even below tasks that can be planned', () => {
  expect(
    schedule([task('a', 1), task('b', 1), task('c', 1)], [before('a', 'b'), before('b', 'c'), before('c', 'b')]),
  ).toBeNull();
});

test('precedences with an unknown end are ignored', () => {
  expect(planned([task('a', 1)], [before('a', 'x'), before('x', 'a')]).makespan).toBe(1);
});

/** Tasks whose precedences lead from smaller to larger indexes, so there is no cycle. */
const network = fc.array(fc.integer({ min: 0, max: 9 }), { maxLength: 12 }).chain((durations) =>
  fc.record({
    tasks: fc.constant(durations.map((duration, index) => task(`t${index}`, duration))),
    precedences: fc
      .uniqueArray(fc.tuple(fc.nat({ max: 11 }), fc.nat({ max: 11 })), { maxLength: 20, selector: String })
      .map((pairs) => pairs.filter(([from, to]) => from < to && to < durations.length))
      .map((pairs) => pairs.map(([from, to]) => before(`t${from}`, `t${to}`))),
  }),
);

/** The longest path to the end of a task, by exhaustive search. */
function longestTo(id: string, tasks: readonly PlannedTask[], precedences: readonly Precedence[]): number {
  const ways = precedences
    .filter(({ target }) => target === id)
    .map(({ source }) => longestTo(source, tasks, precedences));
  return Math.max(0, ...ways) + (tasks.find((each) => each.id === id)?.duration ?? 0);
}

test('[PLAN1 PLAN2] earliest times are longest paths, slack delays nothing, and the chain is as long as the plan', () => {
  fc.assert(
    fc.property(network, ({ tasks, precedences }) => {
      const { makespan, times, critical } = planned(tasks, precedences);
      expect(makespan).toBe(Math.max(0, ...tasks.map(({ id }) => longestTo(id, tasks, precedences))));
      for (const each of tasks) {
        const { earliestFinish, slack } = times.find(({ id }) => id === each.id) as TaskTimes;
        expect(earliestFinish).toBe(longestTo(each.id, tasks, precedences));
        const longer = (by: number) =>
          planned(
            tasks.map((one) => (one === each ? task(one.id, one.duration + by) : one)),
            precedences,
          ).makespan;
        expect([longer(slack), longer(slack + 1)]).toEqual([makespan, makespan + 1]);
      }
      const lasts = critical.map((id) => tasks.find((one) => one.id === id)?.duration ?? 0);
      expect(lasts.reduce((sum, one) => sum + one, 0)).toBe(makespan);
      critical.slice(1).forEach((id, index) => {
        expect(precedences).toContainEqual(before(critical[index] as string, id));
      });
    }),
  );
});

test('[PLAN6] 20,000 tasks are planned quickly at any depth', () => {
  const tasks = Array.from({ length: 20_000 }, (_, index) => task(String(index).padStart(5, '0'), 1));
  const chain = tasks.slice(1).map(({ id }, index) => before((tasks[index] as PlannedTask).id, id));
  const { makespan, critical } = planned(tasks, chain);
  expect([makespan, critical.length]).toEqual([20_000, 20_000]);
});
