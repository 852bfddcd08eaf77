// The acts of the reader on the picture that all readers share: collapsed branches and pinned cards.
// Each shows at once, and says how it ended. Rules: CON21, CON22.
import type { Replica } from '@taskgraph/client';
import type { ReadableGraph } from '../graph/blockers.ts';
import { MOST_OPERATIONS } from '../graph/limits.ts';
import { isPrimary, mayEdit, type Task } from '../graph/task.ts';
import { messages, refusalText, titleOf } from '../messages/messages.ts';
import { graphTexts as texts } from '../messages/texts/graph.ts';
import { note } from './notices.ts';
import { noteChange } from './undo.ts';

/** Collapses the branch of a task, or expands it. */
export async function setCollapsed(replica: Replica, graph: ReadableGraph, id: string, collapsed: boolean) {
  const task = graph.task(id);
  if (task === undefined) return;
  const title = titleOf(task);
  if (!mayEdit(task)) return note('refused', `${messages.quoted(title)}: ${messages.panel.viewOnly}`);
  if ((task.collapsed === true) === collapsed)
    return note('done', (collapsed ? texts.isCollapsed : texts.isExpanded)(title));
  if (collapsed && !hasBranch(graph, id)) return note('done', texts.nothingBelow(title));
  try {
    const { diff } = await replica.send('node:update', { id, collapsed });
    noteChange(replica, (collapsed ? texts.collapsed : texts.expanded)(title), diff.batchId);
  } catch (error) {
    note('refused', `${messages.quoted(title)}: ${refusalText(error)}`);
  }
}

/** Whether visible tasks are below a task. */
export function hasBranch(graph: ReadableGraph, id: string): boolean {
  return graph.incoming(id).some((link) => isPrimary(link) && graph.task(link.source) !== undefined);
}

/** Pins the card of a task at a point of the picture. Returns whether the service did. */
export async function pinTask(replica: Replica, task: Task, { x, y }: { readonly x: number; readonly y: number }) {
  try {
    const { diff } = await replica.send('node:update', { id: task.id, x, y, pinned: true });
    noteChange(replica, texts.pinned(titleOf(task)), diff.batchId);
    return true;
  } catch (error) {
    note('refused', `${messages.quoted(titleOf(task))}: ${refusalText(error)}`);
    return false;
  }
}

/** Unpins the cards of these tasks in one batch, as far as the reader may. */
export async function unpinTasks(replica: Replica, tasks: readonly Task[]): Promise<void> {
  const own = tasks.filter((task) => task.pinned === true && mayEdit(task));
  const chosen = own.slice(0, MOST_OPERATIONS);
  if (chosen.length === 0) return note('done', texts.nothingPinned);
  try {
    const { diff } = await replica.send('batch:run', {
      operations: chosen.map(({ id }) => ({ event: 'node:update', payload: { id, pinned: false } })),
    });
    const left = own.length - chosen.length;
    const text = left === 0 ? texts.unpinned(chosen.length) : texts.unpinnedFirst(chosen.length, left);
    noteChange(replica, text, diff.batchId);
  } catch (error) {
    note('refused', refusalText(error));
  }
}
