// The acts of the reader on tasks. Each shows at once, and says how it ended.
import type { Calls, Replica } from '@taskgraph/client';
import { AVAILABLE, BLOCKED, COMPLETED, IN_PROGRESS, type Task, taskOf } from '../graph/task.ts';
import { messages, refusalText, titleOf } from '../messages/messages.ts';
import { note } from './notices.ts';
import { noteChange } from './undo.ts';

type SettableStatus = typeof AVAILABLE | typeof IN_PROGRESS | typeof COMPLETED;
type Diff = Calls['node:update']['answer']['diff'];
type Operation = Calls['batch:run']['payload']['operations'][number];

/** Freed tasks that a message names. */
const MOST_NAMED = 5;
const NONE: ReadonlySet<string> = new Set();

const DONE: Readonly<Record<SettableStatus, (title: string) => string>> = {
  [AVAILABLE]: messages.reopened,
  [IN_PROGRESS]: messages.started,
  [COMPLETED]: messages.completed,
};

export async function setStatus(replica: Replica, task: Task, status: SettableStatus): Promise<void> {
  try {
    const { diff } = await replica.send('node:update', { id: task.id, status });
    const freed = freedIn(replica, diff);
    const done = DONE[status](titleOf(task));
    noteChange(replica, freed.length === 0 ? done : `${done} ${messages.nowAvailable(freed)}`, diff.batchId);
  } catch (error) {
    note('refused', `${messages.quoted(titleOf(task))}: ${refusalText(error)}`);
  }
}

/**
 * Puts a task before another one, as one batch: it removes the links, and adds one to the target if
 * there is one.
 */
export async function move(
  replica: Replica,
  task: Task,
  { links, target }: { readonly links: readonly string[]; readonly target: string | null },
): Promise<void> {
  const operations: Operation[] = links.map((id) => ({ event: 'link:trash', payload: { id } }));
  if (target !== null) operations.push({ event: 'link:add', payload: { source: task.id, target } });
  try {
    const { diff } = await replica.send('batch:run', { operations });
    noteChange(replica, messages.moved(titleOf(task)), diff.batchId);
  } catch (error) {
    note('refused', `${messages.quoted(titleOf(task))}: ${refusalText(error)}`);
  }
}

/** Adds a task, which `target` waits for if it is given. Returns whether the service did. */
export async function addTask(replica: Replica, title: string, target?: string): Promise<boolean> {
  return (await createTask(replica, title, target)) !== null;
}

/** The same, and returns the id of the task; null if the service refuses it. */
export async function createTask(replica: Replica, title: string, target?: string): Promise<string | null> {
  try {
    const { diff } = await replica.send('node:add', target === undefined ? { title } : { title, target });
    noteChange(replica, messages.added(title), diff.batchId);
    return String(diff.nodes[0]?.after.id);
  } catch (error) {
    note('refused', `${messages.quoted(title)}: ${refusalText(error)}`);
    return null;
  }
}

/** The titles of the visible tasks that the change has unblocked, without those that it `changed` itself. */
export function freedIn(replica: Replica, { nodes }: Diff, changed: ReadonlySet<string> = NONE): string[] {
  const titles = nodes.flatMap(({ before, after }) => {
    if (before.status !== BLOCKED || after.status === BLOCKED || after.status === undefined) return [];
    const id = String(after.id);
    const node = changed.has(id) ? undefined : replica.snapshot().nodes.get(id);
    return node === undefined ? [] : [titleOf(taskOf(node))];
  });
  const more = titles.length - MOST_NAMED;
  return more <= 0 ? titles : [...titles.slice(0, MOST_NAMED), messages.panel.more(more)];
}
