// The acts of the reader on tasks. Each shows at once, and says how it ended.
import type { Calls, Replica } from '@taskgraph/client';
import { AVAILABLE, BLOCKED, COMPLETED, IN_PROGRESS, type Task, taskOf } from '../graph/task.ts';
import { messages, refusalText, titleOf } from '../messages/messages.ts';
import { note } from './notices.ts';

type SettableStatus = typeof AVAILABLE | typeof IN_PROGRESS | typeof COMPLETED;
type Diff = Calls['node:update']['answer']['diff'];

/** Freed tasks that a message names. */
const MOST_NAMED = 5;

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
    note('done', freed.length === 0 ? done : `${done} ${messages.nowAvailable(freed)}`);
  } catch (error) {
    note('refused', `${messages.quoted(titleOf(task))}: ${refusalText(error)}`);
  }
}

/** Returns whether the task was added. */
export async function addTask(replica: Replica, title: string): Promise<boolean> {
  try {
    await replica.send('node:add', { title });
    note('done', messages.added(title));
    return true;
  } catch (error) {
    note('refused', `${messages.quoted(title)}: ${refusalText(error)}`);
    return false;
  }
}

/** The titles of the visible tasks that the change has unblocked. */
function freedIn(replica: Replica, { nodes }: Diff): string[] {
  const titles = nodes.flatMap(({ before, after }) => {
    if (before.status !== BLOCKED || after.status === BLOCKED || after.status === undefined) return [];
    const node = replica.snapshot().nodes.get(String(after.id));
    return node === undefined ? [] : [titleOf(taskOf(node))];
  });
  const more = titles.length - MOST_NAMED;
  return more <= 0 ? titles : [...titles.slice(0, MOST_NAMED), messages.panel.andMore(more)];
}
