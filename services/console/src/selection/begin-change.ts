// Begins an act on tasks: what needs no value and skips no task runs at once. The page asks about
// everything else.
import type { Replica } from '@taskgraph/client';
import type { ReadableGraph } from '../graph/blockers.ts';
import { AVAILABLE, COMPLETED, IN_PROGRESS, mayEdit } from '../graph/task.ts';
import { messages, titleOf } from '../messages/messages.ts';
import { replaceValue } from '../session/field-edits.ts';
import { note } from '../session/notices.ts';
import { trashTask } from '../session/trash-act.ts';
import { applyChange, problemOf } from './apply-change.ts';
import { planChange, type TaskChange } from './task-changes.ts';

/** The fields whose value a dialog asks for. */
export type DialogField = 'volume' | 'priority' | 'dueDate' | 'assignee' | 'tags' | 'move';

const DIRECT = {
  start: { kind: 'status', value: IN_PROGRESS },
  done: { kind: 'status', value: COMPLETED },
  reopen: { kind: 'status', value: AVAILABLE },
  'effort 1': { kind: 'volume', value: 1 },
  'effort 2': { kind: 'volume', value: 2 },
  'effort 3': { kind: 'volume', value: 3 },
  'effort 4': { kind: 'volume', value: 4 },
  'effort 5': { kind: 'volume', value: 5 },
  trash: { kind: 'trash' },
} as const satisfies Readonly<Record<string, TaskChange>>;

const DIALOG_FIELDS = {
  effort: 'volume',
  priority: 'priority',
  due: 'dueDate',
  assign: 'assignee',
  tags: 'tags',
  move: 'move',
} as const satisfies Readonly<Record<string, DialogField>>;

/** The acts on tasks, by the names of their commands. */
export type ActName = keyof typeof DIRECT | keyof typeof DIALOG_FIELDS;

/** A question before a change: about its value, or whether it may skip tasks. */
export type ChangeQuestion =
  | { readonly kind: 'field'; readonly field: DialogField; readonly ids: readonly string[] }
  | { readonly kind: 'change'; readonly change: TaskChange; readonly ids: readonly string[] };

/** Returns what to ask; null if the act has begun, or is refused with a message. */
export function beginChange(
  replica: Replica,
  graph: ReadableGraph,
  ids: readonly string[],
  name: ActName,
): ChangeQuestion | null {
  if (needsDialog(name)) return questionFor(graph, ids, DIALOG_FIELDS[name]);
  const change: TaskChange = DIRECT[name];
  const [only, ...others] = ids;
  if (only !== undefined && others.length === 0) {
    changeOne(replica, graph, only, change);
    return null;
  }
  const plan = planChange(graph, ids, change);
  const problem = problemOf(plan);
  if (problem !== null) note('refused', problem);
  // Tasks that have the value already need no question.
  else if ([...plan.skipped.keys()].some((reason) => reason !== 'same')) return { kind: 'change', change, ids };
  else void applyChange(replica, graph, ids, change);
  return null;
}

function needsDialog(name: ActName): name is keyof typeof DIALOG_FIELDS {
  return Object.hasOwn(DIALOG_FIELDS, name);
}

function questionFor(graph: ReadableGraph, ids: readonly string[], field: DialogField): ChangeQuestion | null {
  const tasks = ids.map((id) => graph.task(id)).filter((task) => task !== undefined);
  // Whoever sees a task may move it; the links decide.
  if (field === 'move' || tasks.some(mayEdit)) return { kind: 'field', field, ids };
  refuseViewer(tasks);
  return null;
}

function refuseViewer(tasks: readonly { readonly title: string }[]): void {
  const [first] = tasks;
  if (first !== undefined) note('refused', `${messages.quoted(titleOf(first))}: ${messages.panel.viewOnly}`);
}

/** The change of a single task shows before the service answers. */
function changeOne(replica: Replica, graph: ReadableGraph, id: string, change: TaskChange): void {
  const task = graph.task(id);
  if (task === undefined) return;
  if (!mayEdit(task)) refuseViewer([task]);
  else if (change.kind === 'trash') void trashTask(replica, task);
  else if (change.kind !== 'volume') void applyChange(replica, graph, [id], change);
  else if (task.volume !== change.value) {
    void replaceValue(replica, { id, field: 'volume', seen: task.volume, value: change.value });
  }
}
