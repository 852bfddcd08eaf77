// The columns of the board: tasks by status, in order. A change of a task costs a look-up in its
// column; the columns are sorted anew only after many changes.
import type { Replica } from '@taskgraph/client';
import type { ShownTasks } from './shown-tasks.ts';
import { COMPLETED, type Task, taskOf } from './task.ts';
import { compareTexts, compareUrgency, LAST } from './urgency.ts';

export interface BoardColumns {
  /** The tasks of a status, the most urgent or the most recently completed first. */
  column(status: number): readonly Task[];
  /** Grows whenever a task changes. */
  version(): number;
  subscribe(changed: () => void): () => void;
  stop(): void;
}

/** More changes than that are sorted together. */
const MOST_MOVES = 200;
const STATUSES = 4;

export function createBoardColumns(replica: Pick<Replica, 'snapshot' | 'on'>, shown: ShownTasks): BoardColumns {
  const listeners = new Set<() => void>();
  const placed = new Map<string, Task>();
  const touched = new Set<string>();
  const columns: Task[][] = Array.from({ length: STATUSES }, () => []);
  let version = 0;

  const touch = (id: string) => {
    touched.add(id);
    version++;
    for (const listener of [...listeners]) listener();
  };
  function move(id: string): void {
    const before = placed.get(id);
    const column = before === undefined ? undefined : columns[before.status];
    if (before !== undefined && column !== undefined) column.splice(placeOf(column, before), 1);
    placed.delete(id);
    const after = shownTask(id);
    const next = after === undefined ? undefined : columns[after.status];
    if (after === undefined || next === undefined) return;
    next.splice(placeOf(next, after), 0, after);
    placed.set(id, after);
  }
  function shownTask(id: string): Task | undefined {
    const node = shown.has(id) ? replica.snapshot().nodes.get(id) : undefined;
    return node === undefined ? undefined : taskOf(node);
  }
  function rebuild(): void {
    for (const column of columns) column.length = 0;
    placed.clear();
    for (const id of replica.snapshot().nodes.keys()) {
      const task = shownTask(id);
      if (task === undefined) continue;
      columns[task.status]?.push(task);
      placed.set(id, task);
    }
    for (const column of columns) column.sort(compare);
  }
  function refresh(): void {
    if (touched.size > MOST_MOVES) rebuild();
    else for (const id of touched) move(id);
    touched.clear();
  }

  rebuild();
  const ends = [
    replica.on('node:added', ({ node }) => touch(node.id)),
    replica.on('node:changed', ({ node }) => touch(node.id)),
    replica.on('node:removed', ({ id }) => touch(id)),
    shown.subscribe(touch),
  ];
  return {
    column(status) {
      refresh();
      return columns[status] ?? [];
    },
    version: () => version,
    subscribe(changed) {
      listeners.add(changed);
      return () => void listeners.delete(changed);
    },
    stop() {
      for (const end of ends) end();
    },
  };
}

/** The first place of a sorted column whose task does not come before this one. */
function placeOf(column: readonly Task[], task: Task): number {
  let [first, end] = [0, column.length];
  while (first < end) {
    const middle = (first + end) >> 1;
    if (compare(column[middle] as Task, task) < 0) first = middle + 1;
    else end = middle;
  }
  return first;
}

function compare(one: Task, other: Task): number {
  if (one.status === COMPLETED) {
    // The service has not told the time of one that was completed here just now.
    const [completed, otherCompleted] = [one.completedTime ?? LAST, other.completedTime ?? LAST];
    return compareTexts(otherCompleted, completed) || compareTexts(one.id, other.id);
  }
  return compareUrgency(one, other);
}
