// Moves a task to the trash.
import type { Replica } from '@taskgraph/client';
import type { Task } from '../graph/task.ts';
import { refusalText, titleOf } from '../messages/messages.ts';
import { edit } from '../messages/texts/edit.ts';
import { note } from './notices.ts';
import { noteChange } from './undo.ts';

/** Its links go with it. A message reports a refusal. */
export async function trashTask(replica: Replica, task: Task): Promise<void> {
  try {
    const { diff } = await replica.send('node:trash', { id: task.id });
    const gone = diff.links.filter(({ after }) => after.inTrash === true).length;
    noteChange(replica, edit.trashed(titleOf(task), gone), diff.batchId);
  } catch (error) {
    note('refused', edit.notTrashed(titleOf(task), refusalText(error)));
  }
}
