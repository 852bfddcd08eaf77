// Orders of tasks that need no plan.
import { COMPLETED, IN_PROGRESS, type Task } from './task.ts';

/** After all dates. */
export const LAST = '\uffff';

/** By due date, none last, then by priority, the highest first, then by id. */
export function compareUrgency(one: Task, other: Task): number {
  return (
    compareTexts(one.dueDate ?? LAST, other.dueDate ?? LAST) ||
    other.priority - one.priority ||
    compareTexts(one.id, other.id)
  );
}

/**
 * The order of the leaves of one task. Those that take longest come early, since they have the least
 * slack.
 */
export function compareLeaves(one: Task, other: Task): number {
  return (
    Number(one.status === COMPLETED) - Number(other.status === COMPLETED) ||
    Number(other.status === IN_PROGRESS) - Number(one.status === IN_PROGRESS) ||
    other.volume - one.volume ||
    compareUrgency(one, other)
  );
}

export function compareTexts(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
