// The tasks with changes that the service does not have: they wait to be sent, or were refused while
// the reader was away. Rule: CON39.
import { provisionalId, type Refusal } from '@taskgraph/client';

export type ChangeMark = 'waiting' | 'refused';
export type ChangeMarks = ReadonlyMap<string, ChangeMark>;

/** In a drawn card, beside the title. */
export const CHANGE_SIGNS: Readonly<Record<ChangeMark, string>> = { waiting: '⋯', refused: '!' };

type QueuedCommand = Pick<Refusal, 'key' | 'event' | 'payload'>;

/** A refusal needs the reader, so it counts more than a change that waits. */
export function changeMarks(waiting: readonly QueuedCommand[], refused: readonly QueuedCommand[]): ChangeMarks {
  const marks = new Map<string, ChangeMark>();
  for (const command of waiting) for (const id of tasksOf(command)) marks.set(id, 'waiting');
  for (const command of refused) for (const id of tasksOf(command)) marks.set(id, 'refused');
  return marks;
}

/** The tasks that a command adds or changes, or links anew. */
function tasksOf({ key, event, payload }: QueuedCommand): string[] {
  switch (event) {
    case 'node:add':
      return [provisionalId(key)];
    case 'node:update':
    case 'node:trash':
      return [String(payload.id)];
    case 'link:add':
      return [String(payload.source), String(payload.target)];
    case 'batch:run':
      return operationsOf(payload).flatMap((operation) => tasksOf({ key, ...operation }));
    default:
      return [];
  }
}

/** The operations that add a task are left out: only the answer has its id. */
function operationsOf({ operations }: QueuedCommand['payload']): Omit<QueuedCommand, 'key'>[] {
  const all = Array.isArray(operations) ? (operations as Omit<QueuedCommand, 'key'>[]) : [];
  return all.filter(({ event }) => event !== 'node:add');
}
