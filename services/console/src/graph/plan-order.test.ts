import { expect, test } from 'vitest';
import { inPlanOrder, type PlannedTask } from './plan-order.ts';
import type { Link, Task } from './task.ts';

const planned = (id: string, earliestStart: number, earliestFinish: number, slack: number) =>
  ({ id, earliestStart, earliestFinish, slack }) as PlannedTask;

/** `ab` is a primary link from `a` to `b`. */
const graphOf = (ends: readonly string[], completed = '') => ({
  task: (id: string) => ({ id, status: completed.includes(id) ? 3 : 0 }) as Task,
  incoming: (id: string) =>
    ends
      .filter((text) => text[1] === id)
      .map((text): Link => ({ id: text, source: text[0] ?? '', target: id, type: 0 })),
});

const ids = (tasks: readonly PlannedTask[]) => tasks.map(({ id }) => id).join('');

test('[CON12] tasks come by earliest start, critical ones first, completed ones last', () => {
  const tasks = [planned('a', 3, 5, 0), planned('b', 0, 2, 1), planned('c', 0, 4, 0), planned('d', 0, 0, 5)];
  expect(ids(inPlanOrder(tasks, graphOf([], 'd')))).toBe('cbad');
});

test('[CON12] tasks without effort come after those for which they wait', () => {
  const tasks = ['a', 'b', 'c', 'd'].map((id) => planned(id, 0, 0, 0));
  expect(ids(inPlanOrder(tasks, graphOf(['ba', 'cb', 'da', 'dc'])))).toBe('dcba');
  expect(ids(inPlanOrder(tasks, graphOf([])))).toBe('abcd');
});
