// The acts of commands that change tasks at once. The first load does not have them.
import type { Replica } from '@taskgraph/client';
import { blockersOf, type ReadableGraph } from '../graph/blockers.ts';
import { BLOCKED, COMPLETED, type IN_PROGRESS, mayEdit } from '../graph/task.ts';
import { messages, titleOf } from '../messages/messages.ts';
import { blockedReason } from '../panel/blocked-reason.ts';
import { setStatus } from '../session/acts.ts';
import { note } from '../session/notices.ts';
import { leaveTasks } from '../session/task-elements.ts';
import { redoLast, undoLast } from '../session/undo.ts';

export function changeStatus(
  replica: Replica,
  graph: ReadableGraph,
  id: string,
  status: typeof IN_PROGRESS | typeof COMPLETED,
): void {
  const task = graph.task(id);
  if (task === undefined || task.status === status) return;
  const title = messages.quoted(titleOf(task));
  if (!mayEdit(task)) note('refused', `${title}: ${messages.panel.viewOnly}`);
  else if (task.status === BLOCKED) note('refused', `${title}: ${blockedReason(blockersOf(graph, task.id))}`);
  else {
    // Ready does not list completed tasks.
    if (status === COMPLETED && document.activeElement?.closest('.rows') !== null) leaveTasks(new Set([id]));
    void setStatus(replica, task, status);
  }
}

export function undo(replica: Replica): Promise<void> {
  return undoLast(replica);
}

export function redo(replica: Replica): Promise<void> {
  return redoLast(replica);
}
