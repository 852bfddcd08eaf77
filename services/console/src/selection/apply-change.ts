// Sends a change of several tasks as one batch: all of it is done, or nothing. Rule: CON26.
import { type Replica, TaskgraphError } from '@taskgraph/client';
import type { ReadableGraph } from '../graph/blockers.ts';
import { MOST_OPERATIONS } from '../graph/limits.ts';
import { COMPLETED, type Task } from '../graph/task.ts';
import { messages, titleOf } from '../messages/messages.ts';
import { selection as texts } from '../messages/texts/selection.ts';
import { freedIn } from '../session/acts.ts';
import { linkRefusal } from '../session/link-edits.ts';
import { note } from '../session/notices.ts';
import { noteChange } from '../session/undo.ts';
import { type ChangePlan, planChange, type SkipReason, type TaskChange } from './task-changes.ts';

/** Others may change the lists of the tasks meanwhile. More often than that, the change is refused. */
const MOST_ATTEMPTS = 5;

/** A message says how it ended. */
export async function applyChange(
  replica: Replica,
  graph: ReadableGraph,
  ids: readonly string[],
  change: TaskChange,
): Promise<void> {
  /** Tasks as the service has them, where the replica is behind. */
  const stored = new Map<string, Task>();
  const current: ReadableGraph = {
    incoming: graph.incoming,
    outgoing: graph.outgoing,
    task: (id) => graph.task(id) && (stored.get(id) ?? graph.task(id)),
  };
  for (let attempt = 1; ; attempt++) {
    const plan = planChange(current, ids, change);
    const problem = problemOf(plan);
    if (problem !== null) return note('refused', problem);
    try {
      const { diff } = await replica.send('batch:run', { operations: [...plan.operations] });
      const done = doneText(graph, plan, change);
      const changed = new Set(plan.tasks.map(({ id }) => id));
      const freed = isCompletion(change) ? freedIn(replica, diff, changed) : [];
      const text = freed.length === 0 ? done : `${done} ${messages.nowAvailable(freed)}`;
      return noteChange(replica, text, diff.batchId);
    } catch (error) {
      const task = plan.concerned[indexOf(error)];
      const isStale = error instanceof TaskgraphError && error.code === 'version_conflict' && task !== undefined;
      if (!isStale || attempt === MOST_ATTEMPTS) {
        return note('refused', texts.refused(linkRefusal(graph, error), task && titleOf(task)));
      }
      const known = await storedTask(replica, task.id);
      if (known !== undefined) stored.set(task.id, known);
    }
  }
}

/** Why a plan cannot be sent, in words; null if it can. */
export function problemOf({ operations, skipped }: ChangePlan): string | null {
  if (operations.length === 0) return texts.nothing(skipTexts(skipped));
  return operations.length > MOST_OPERATIONS ? texts.tooMany(MOST_OPERATIONS, operations.length) : null;
}

/** Why tasks are skipped, a sentence each. */
export function skipTexts(skipped: ReadonlyMap<SkipReason, readonly Task[]>): string[] {
  return [...skipped].map(([reason, { length }]) => texts.skipped[reason](length));
}

/** The tasks in words: a title, or a number. */
export function namedTasks(tasks: readonly Task[]): string {
  return texts.named(tasks.map(titleOf));
}

function isCompletion(change: TaskChange): boolean {
  return change.kind === 'status' && change.value === COMPLETED;
}

function doneText(graph: ReadableGraph, { tasks }: ChangePlan, change: TaskChange): string {
  const { done } = texts;
  const named = namedTasks(tasks);
  switch (change.kind) {
    case 'status':
      return done.status[change.value](named);
    case 'tags':
      return (change.isAdded ? done.tagAdded : done.tagRemoved)(change.item, named);
    case 'assignee':
      return (change.isAdded ? done.assigned : done.unassigned)(change.item, named);
    case 'trash':
      return done.trashed(named);
    case 'move': {
      const target = graph.task(change.target);
      return done.moved(named, target === undefined ? messages.untitled : titleOf(target));
    }
    default:
      return done[change.kind](named);
  }
}

/** The place of the refused operation; -1 if the refusal names none. */
function indexOf(error: unknown): number {
  const { index } = error instanceof TaskgraphError ? (error.details as { readonly index?: number }) : {};
  return index ?? -1;
}

async function storedTask(replica: Replica, id: string): Promise<Task | undefined> {
  const [node] = (await replica.call('node:get', { ids: [id] })).nodes;
  return node !== undefined && 'description' in node ? node : undefined;
}
