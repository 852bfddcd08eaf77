// Writes Task Master's tasks.json with the tag `master`. Rule: IO2.
import { jsonText } from '@taskgraph/wire/control-characters';
import { push, type TransferGraph, type WriteOptions } from '../graph/transfer-graph.ts';
import { HIGHEST_PRIORITY } from './unsupported-fields.ts';

const STATUSES = ['pending', 'in-progress', 'pending', 'done'] as const;
const PRIORITIES = ['', 'low', 'medium', 'high', 'critical'] as const;

/** All tasks are in one list, because a subtask blocks only its own task there. */
export function writeTaskMaster({ nodes, links }: TransferGraph, { now }: WriteOptions): string {
  const numbers = new Map(nodes.map(({ key }, index) => [key, index + 1]));
  const blockers = new Map<string, number[]>();
  for (const { source, target, type } of links) {
    const number = numbers.get(source);
    if (type === 0 && number !== undefined) push(blockers, target, number);
  }
  const tasks = nodes.map(({ key, title, description, status, priority, tags, volume, assignee }) => ({
    id: numbers.get(key),
    title: title === '' ? '(no title)' : title,
    description,
    status: STATUSES[status],
    dependencies: blockers.get(key) ?? [],
    ...(priority === 0 ? {} : { priority: PRIORITIES[Math.min(HIGHEST_PRIORITY['task-master'], priority)] }),
    details: '',
    testStrategy: '',
    subtasks: [],
    ...(volume === 0 ? {} : { effort: volume }),
    ...(tags.length === 0 ? {} : { tags }),
    ...(assignee.length === 0 ? {} : { assignee: assignee[0] }),
  }));
  const metadata = { created: now, updated: now, description: 'Tasks of Taskgraph' };
  return `${jsonText({ master: { tasks, metadata } }, 2)}\n`;
}
