import { type PlanNode, planOf } from '@taskgraph/domain/plan/plan';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BLOCKED, COMPLETED, type Task } from './task.ts';
import { compareLeaves } from './urgency.ts';

const leaf = fc.record({
  status: fc.constantFrom(0, 1, COMPLETED),
  volume: fc.nat(3),
  priority: fc.nat(2),
  dueDate: fc.constantFrom(null, '2030-01-01T00:00:00.000Z', '2031-01-01T00:00:00.000Z'),
});

function taskOf(fields: Partial<Task>, id: string): Task {
  return Object.assign({ id, independent: false, dueDate: null, priority: 0, volume: 0, status: 0 }, fields) as Task;
}

test('[CON38 PLAN3] open leaves of a task have the order of Ready, and completed ones come last', () => {
  fc.assert(
    fc.property(fc.array(leaf, { minLength: 1, maxLength: 12 }), (fields) => {
      const leaves = fields.map((each, index) => taskOf(each, `leaf${String(index).padStart(2, '0')}`));
      const goal = taskOf({ status: BLOCKED, volume: 1 }, 'goal');
      const links = leaves.map(({ id }) => ({ id: `to ${id}`, source: id, target: 'goal' }));
      const plan = planOf({ nodes: [...leaves, goal] as PlanNode[], links, calendar: null });
      const sorted = leaves.sort(compareLeaves);
      const open = sorted.filter(({ status }) => status !== COMPLETED);
      expect(sorted.slice(0, open.length)).toEqual(open);
      expect(open.map(({ id }) => id)).toEqual(plan?.ready.filter((id) => id !== 'goal'));
    }),
  );
});
