// The tasks that a text of the reader finds, for fields with a list.
import { type Replica, TaskgraphError } from '@taskgraph/client';
import { type Task, taskOf } from '../graph/task.ts';

const MOST_TASKS = 8;

/** The first tasks for a text; none for one that no search may have (FIND4). */
export function tasksFor(replica: Pick<Replica, 'find'>, text: string): readonly Task[] {
  if (text.trim() === '') return [];
  try {
    return replica.find({ text: text.trim() }).slice(0, MOST_TASKS).map(taskOf);
  } catch (error) {
    if (error instanceof TaskgraphError) return [];
    throw error;
  }
}
