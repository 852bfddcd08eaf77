// The order of the plan's rows: open tasks by earliest start, then completed ones, whose place in
// time is past.
import type { TaskTimes as PlannedTask } from '@taskgraph/domain/plan/schedule';
import type { ReadableGraph } from './blockers.ts';
import { COMPLETED, isPrimary } from './task.ts';

export type { PlannedTask };

type OrderedGraph = Pick<ReadableGraph, 'incoming' | 'task'>;

/**
 * The tasks in the order of the plan view. Among those that start together, critical ones come
 * first. A task comes after those for which it waits, also if they take no time.
 */
export function inPlanOrder(planned: readonly PlannedTask[], graph: OrderedGraph): PlannedTask[] {
  const [open, completed]: [PlannedTask[], PlannedTask[]] = [[], []];
  for (const task of planned) (graph.task(task.id)?.status === COMPLETED ? completed : open).push(task);
  open.sort((one, other) => compareTimes(one, other) || (one.id < other.id ? -1 : 1));
  const ordered: PlannedTask[] = [];
  for (let first = 0; first < open.length; ) {
    const task = open[first] as PlannedTask;
    let end = first + 1;
    while (end < open.length && compareTimes(task, open[end] as PlannedTask) === 0) end++;
    const together = open.slice(first, end);
    const takesTime = task.earliestFinish > task.earliestStart;
    for (const each of takesTime ? together : inLinkOrder(together, graph)) ordered.push(each);
    first = end;
  }
  return [...ordered, ...completed];
}

function compareTimes(one: PlannedTask, other: PlannedTask): number {
  return (
    one.earliestStart - other.earliestStart ||
    Number(one.slack > 0) - Number(other.slack > 0) ||
    one.earliestFinish - other.earliestFinish
  );
}

/** Each task after those of the list for which it waits. */
function inLinkOrder(tasks: readonly PlannedTask[], graph: OrderedGraph): PlannedTask[] {
  if (tasks.length === 1) return [...tasks];
  const byId = new Map(tasks.map((task) => [task.id, task]));
  const awaited = new Map<string, number>();
  const followers = new Map<string, PlannedTask[]>();
  for (const task of tasks) {
    const sources = graph.incoming(task.id).filter((link) => isPrimary(link) && byId.has(link.source));
    awaited.set(task.id, sources.length);
    for (const { source } of sources) {
      const known = followers.get(source);
      if (known === undefined) followers.set(source, [task]);
      else known.push(task);
    }
  }
  const ordered = tasks.filter(({ id }) => awaited.get(id) === 0);
  // The loop also visits the tasks that it adds.
  for (const { id } of ordered) {
    for (const follower of followers.get(id) ?? []) {
      const left = (awaited.get(follower.id) ?? 0) - 1;
      awaited.set(follower.id, left);
      if (left === 0) ordered.push(follower);
    }
  }
  return ordered;
}
