import { expect, test } from 'vitest';
import type { ReadableGraph } from '../graph/blockers.ts';
import type { Link, Task } from '../graph/task.ts';
import { type ChangePlan, planChange, type TaskChange } from './task-changes.ts';

const [AVAILABLE, IN_PROGRESS, BLOCKED, COMPLETED] = [0, 1, 2, 3] as const;
const [ADMIN, VIEWER] = [1, 3];

/** `ab` is a primary link from `a` to `b`, so `b` waits for `a`. */
function graphOf(
  tasks: Readonly<Record<string, Partial<Task> & { readonly version?: number }>>,
  ends: readonly string[] = [],
): ReadableGraph {
  const links = ends.map((text, index): Link => {
    const [source = '', target = ''] = text;
    return { id: `link ${text} ${index}`, source, target, type: 0 };
  });
  return {
    incoming: (id) => links.filter(({ target }) => target === id),
    outgoing: (id) => links.filter(({ source }) => source === id),
    task(id) {
      const fields = tasks[id];
      if (fields === undefined) return undefined;
      return { id, title: id, status: AVAILABLE, tags: [], priority: 0, volume: 0, dueDate: null, ...fields } as Task;
    },
  };
}

const ids = (tasks: readonly Task[] = []) => tasks.map(({ id }) => id).join('');
const skippedIn = ({ skipped }: ChangePlan) =>
  Object.fromEntries([...skipped].map(([reason, tasks]) => [reason, ids(tasks)]));
const sent = ({ operations }: ChangePlan) => operations.map(({ event, payload }) => [event, payload]);
const status = (value: 0 | 1 | 3): TaskChange => ({ kind: 'status', value });

test('[CON26] a value goes to each task that may be changed and has another one', () => {
  const graph = graphOf({ a: {}, b: { priority: 2 }, c: { access: VIEWER }, d: {} });
  const plan = planChange(graph, ['a', 'b', 'c', 'd', 'gone'], { kind: 'priority', value: 2 });
  expect(sent(plan)).toEqual([
    ['node:update', { id: 'a', priority: 2 }],
    ['node:update', { id: 'd', priority: 2 }],
  ]);
  expect([ids(plan.concerned), skippedIn(plan)]).toEqual(['ad', { same: 'b', viewOnly: 'c' }]);
});

test('[CON26] blockers are completed before the tasks that wait for them', () => {
  // `x` is not selected, so `d` and what waits for it stay.
  const tasks = {
    a: {},
    b: { status: BLOCKED },
    c: { status: BLOCKED },
    d: { status: BLOCKED },
    e: { status: BLOCKED },
    x: {},
  };
  const graph = graphOf(tasks, ['ab', 'bc', 'xd', 'de']);
  const plan = planChange(graph, [...'ecdba'], status(COMPLETED));
  expect([ids(plan.tasks), ids(plan.concerned), skippedIn(plan)]).toEqual(['cba', 'abc', { blocked: 'ed' }]);
  const started = planChange(graph, [...'ab'], status(IN_PROGRESS));
  expect([ids(started.concerned), skippedIn(started)]).toEqual(['a', { blocked: 'b' }]);
});

test('[CON26] a blocker that the reader cannot see or change keeps its task Blocked', () => {
  const graph = graphOf({ a: { access: VIEWER }, b: { status: BLOCKED }, c: { status: BLOCKED } }, ['ab']);
  expect(skippedIn(planChange(graph, [...'abc'], status(COMPLETED)))).toEqual({ viewOnly: 'a', blocked: 'bc' });
});

test('[CON26] reopened tasks come after those that wait for them, which they block', () => {
  const graph = graphOf({ a: { status: COMPLETED }, b: { status: COMPLETED } }, ['ab']);
  expect(ids(planChange(graph, [...'ab'], status(AVAILABLE)).concerned)).toBe('ba');
});

test('[CON26] an item joins or leaves each list, under the version that the page has seen', () => {
  const full = Array.from({ length: 64 }, (_, index) => `tag ${index}`);
  const graph = graphOf({
    a: { tags: ['x'], version: 7 },
    b: { tags: ['y', 'x'] },
    c: { tags: ['y'] },
    d: { tags: full },
  });
  const added = planChange(graph, [...'abcd'], { kind: 'tags', item: 'y', isAdded: true });
  expect([sent(added), skippedIn(added)]).toEqual([
    [['node:update', { id: 'a', version: 7, tags: ['x', 'y'] }]],
    { same: 'bc', full: 'd' },
  ]);
  const removed = planChange(graph, [...'abc'], { kind: 'tags', item: 'x', isAdded: false });
  expect([sent(removed), skippedIn(removed)]).toEqual([
    [
      ['node:update', { id: 'a', version: 7, tags: [] }],
      ['node:update', { id: 'b', tags: ['y'] }],
    ],
    { same: 'c' },
  ]);
});

test('[CON26] a move leaves the place of a task, and takes what is below it along', () => {
  // `b` is below `a`, `c` below `b`, `d` already below `t`, and `t` waits for `s`, which is below it.
  const graph = graphOf({ a: {}, b: {}, c: {}, d: {}, t: {}, u: {} }, ['ba', 'cb', 'dt', 'tu']);
  const plan = planChange(graph, [...'bcdtu'], { kind: 'move', target: 't' });
  expect(sent(plan)).toEqual([
    ['link:trash', { id: 'link ba 0' }],
    ['link:add', { source: 'b', target: 't' }],
  ]);
  expect(skippedIn(plan)).toEqual({ with: 'c', same: 'd', above: 'tu' });
});

test('[CON26] a move needs the right to remove the link to the place of the task', () => {
  const tasks = { a: { access: VIEWER }, b: { access: 2 }, c: { access: ADMIN }, t: {} };
  const plan = planChange(graphOf(tasks, ['ba', 'ca', 'ct']), [...'bc'], { kind: 'move', target: 't' });
  // `c` is linked to `t` already.
  expect([sent(plan), skippedIn(plan)]).toEqual([[['link:trash', { id: 'link ca 1' }]], { link: 'b' }]);
});

test('[CON26] the trash takes each task with an operation of its own', () => {
  const plan = planChange(graphOf({ a: {}, b: { access: VIEWER } }), [...'ab'], { kind: 'trash' });
  expect([sent(plan), skippedIn(plan)]).toEqual([[['node:trash', { id: 'a' }]], { viewOnly: 'b' }]);
});
