// What a change of several tasks sends: the operations of one batch, and the tasks that it skips, with
// the reason. Rule: CON26.
import { type Calls, isProvisional } from '@taskgraph/client';
import { blockersOf, type ReadableGraph } from '../graph/blockers.ts';
import { MOST_ITEMS } from '../graph/limits.ts';
import { homeOf, homesOf } from '../graph/outline.ts';
import {
  type AVAILABLE,
  BLOCKED,
  COMPLETED,
  type IN_PROGRESS,
  isPrimary,
  mayEdit,
  PRIMARY,
  type Task,
} from '../graph/task.ts';
import { canWait, mayRemove } from '../session/link-edits.ts';

export type Operation = Calls['batch:run']['payload']['operations'][number];
export type SettableStatus = typeof AVAILABLE | typeof IN_PROGRESS | typeof COMPLETED;

export type TaskChange =
  | { readonly kind: 'status'; readonly value: SettableStatus }
  | { readonly kind: 'volume' | 'priority'; readonly value: number }
  | { readonly kind: 'dueDate'; readonly value: string | null }
  | { readonly kind: 'tags' | 'assignee'; readonly item: string; readonly isAdded: boolean }
  | { readonly kind: 'trash' }
  /** Puts the tasks below another one. */
  | { readonly kind: 'move'; readonly target: string };

/**
 * Why a change skips a task. `blocked`: by a task that the change does not complete. `above`: it
 * waits for the tasks to which it would move. `with`: it moves with a task above it. `link`: the reader
 * may not remove the link that leads to its place.
 */
export type SkipReason = 'viewOnly' | 'blocked' | 'same' | 'full' | 'above' | 'with' | 'link';

export interface ChangePlan {
  readonly operations: readonly Operation[];
  /** For each operation, the task that it concerns. */
  readonly concerned: readonly Task[];
  /** The changed tasks. */
  readonly tasks: readonly Task[];
  readonly skipped: ReadonlyMap<SkipReason, readonly Task[]>;
}

/** The plan of a change. Tasks that are not in the graph are ignored. */
export function planChange(graph: ReadableGraph, ids: Iterable<string>, change: TaskChange): ChangePlan {
  const tasks = [...ids].map((id) => graph.task(id)).filter((task) => task !== undefined);
  const skipped = new Map<SkipReason, Task[]>();
  const reasonOf = reasonsFor(graph, tasks, change);
  const changed = tasks.filter((task) => {
    const reason = reasonOf(task);
    if (reason !== null) skipped.set(reason, [...(skipped.get(reason) ?? []), task]);
    return reason === null;
  });
  const ordered = change.kind === 'status' ? inStatusOrder(graph, changed, change.value) : changed;
  const steps = ordered.flatMap((task) =>
    operationsFor(graph, task, change).map((operation) => ({ operation, task }) as const),
  );
  return {
    operations: steps.map(({ operation }) => operation),
    concerned: steps.map(({ task }) => task),
    tasks: changed,
    skipped,
  };
}

function reasonsFor(
  graph: ReadableGraph,
  tasks: readonly Task[],
  change: TaskChange,
): (task: Task) => SkipReason | null {
  switch (change.kind) {
    case 'status': {
      const completed = change.value === COMPLETED ? completable(graph, tasks) : null;
      return editable((task) => {
        if (task.status === change.value) return 'same';
        const isSettable = task.status !== BLOCKED || completed?.has(task.id) === true;
        return isSettable ? null : 'blocked';
      });
    }
    case 'tags':
    case 'assignee':
      return editable((task) => {
        const items = task[change.kind] ?? [];
        if (items.includes(change.item) === change.isAdded) return 'same';
        return change.isAdded && items.length >= MOST_ITEMS ? 'full' : null;
      });
    case 'trash':
      return editable(() => null);
    case 'move':
      return moveReasons(graph, tasks, change.target);
    default:
      return editable((task) => (task[change.kind] === change.value ? 'same' : null));
  }
}

function editable(reasonOf: (task: Task) => SkipReason | null): (task: Task) => SkipReason | null {
  return (task) => (mayEdit(task) ? reasonOf(task) : 'viewOnly');
}

/** The ids of the tasks that can be completed one after the other: each blocker is another one of them. */
function completable(graph: ReadableGraph, tasks: readonly Task[]): ReadonlySet<string> {
  const found = new Set<string>();
  for (const task of inOrder(graph, tasks)) {
    const blockers = blockersOf(graph, task.id);
    const isFree = task.status !== BLOCKED || (blockers.length > 0 && blockers.every(({ id }) => found.has(id)));
    if (mayEdit(task) && isFree) found.add(task.id);
  }
  return found;
}

/**
 * Blockers are completed before the tasks that wait for them. Reopened tasks come after them, since a
 * reopened task blocks.
 */
function inStatusOrder(graph: ReadableGraph, tasks: readonly Task[], status: SettableStatus): readonly Task[] {
  const ordered = inOrder(graph, tasks);
  return status === COMPLETED ? ordered : ordered.reverse();
}

/** Tasks after those of them that they wait for. */
function inOrder(graph: ReadableGraph, tasks: readonly Task[]): Task[] {
  const remaining = new Map(tasks.map((task) => [task.id, task]));
  const ordered: Task[] = [];
  const visit = (task: Task) => {
    if (!remaining.delete(task.id)) return;
    for (const link of graph.incoming(task.id)) {
      const before = isPrimary(link) ? remaining.get(link.source) : undefined;
      if (before !== undefined) visit(before);
    }
    ordered.push(task);
  };
  for (const task of tasks) visit(task);
  return ordered;
}

function moveReasons(graph: ReadableGraph, tasks: readonly Task[], target: string): (task: Task) => SkipReason | null {
  const above = tasksAbove(graph, target);
  const moved = new Set(tasks.map(({ id }) => id));
  return (task) => {
    if (above.has(task.id)) return 'above';
    if (homeOf(graph, task.id) === target) return 'same';
    if (homesOf(graph, task.id).some((home) => moved.has(home) && !above.has(home))) return 'with';
    return homeLinks(graph, task).some(({ isRemovable }) => !isRemovable) ? 'link' : null;
  };
}

/** A task and all that wait for it: below it, each of them would wait for itself. */
function tasksAbove(graph: ReadableGraph, id: string): ReadonlySet<string> {
  const above = new Set([id]);
  // The loop also visits the tasks that it adds.
  for (const each of above) {
    for (const link of graph.outgoing(each)) if (isPrimary(link)) above.add(link.target);
  }
  return above;
}

/** The links of a task to the one below which it stands in full. */
function homeLinks(graph: ReadableGraph, task: Task) {
  const home = homeOf(graph, task.id);
  const waiting = home === null ? undefined : graph.task(home);
  return graph
    .outgoing(task.id)
    .filter((link) => isPrimary(link) && link.target === home)
    .map((link) => ({
      link,
      isRemovable: waiting !== undefined && mayRemove(link, { first: task, waiting }),
    }));
}

/** Whether tasks can be put below this one: it can wait for them. */
export function isParent(task: Task): boolean {
  return canWait({ waiting: task });
}

function operationsFor(graph: ReadableGraph, task: Task, change: TaskChange): Operation[] {
  const { id } = task;
  switch (change.kind) {
    case 'tags':
    case 'assignee': {
      const others = (task[change.kind] ?? []).filter((item) => item !== change.item);
      return [update(task, { [change.kind]: change.isAdded ? [...others, change.item] : others })];
    }
    case 'trash':
      return [{ event: 'node:trash', payload: { id } }];
    case 'move': {
      const { target } = change;
      const known = graph.outgoing(id).find((link) => link.target === target);
      const removed = homeLinks(graph, task).map(
        ({ link }): Operation => ({ event: 'link:trash', payload: { id: link.id } }),
      );
      if (known === undefined) return [...removed, { event: 'link:add', payload: { source: id, target } }];
      return isPrimary(known)
        ? removed
        : [...removed, { event: 'link:update', payload: { id: known.id, type: PRIMARY } }];
    }
    case 'status':
      return [{ event: 'node:update', payload: { id, status: change.value } }];
    default:
      return [{ event: 'node:update', payload: { id, [change.kind]: change.value } }];
  }
}

/** A list is replaced as a whole, so the service has to compare the version that the page has seen. */
function update({ id, version }: Task & { readonly version?: number }, fields: object): Operation {
  const guard = isProvisional(id) || version === undefined ? {} : { version };
  return { event: 'node:update', payload: { id, ...guard, ...fields } };
}
