// Writes issues.jsonl of Beads, for `bd import`. Rule: IO2.
import { jsonText } from '@taskgraph/wire/control-characters';
import { push, type TransferGraph, type WriteOptions } from '../graph/transfer-graph.ts';
import { HIGHEST_PRIORITY } from './unsupported-fields.ts';

const STATUSES = ['open', 'in_progress', 'open', 'closed'] as const;
/** Types of issues, which the reader makes tags. */
const TYPES = ['bug', 'feature', 'epic', 'chore', 'decision'];

/** An issue in each line. Ids are those of the nodes, so a later export updates the issues. */
export function writeBeads({ nodes, links }: TransferGraph, { now, ids }: WriteOptions): string {
  const idOf = (key: string) => `tg-${(ids.get(key) ?? key).replaceAll('-', '')}`;
  const dependencies = new Map<string, object[]>();
  for (const { source, target, type } of links) {
    const [issue, other] = type === 0 ? [target, source] : [source, target];
    push(dependencies, issue, {
      issue_id: idOf(issue),
      depends_on_id: idOf(other),
      type: type === 0 ? 'blocks' : 'related',
      created_at: now,
      created_by: 'taskgraph',
    });
  }
  const lines = nodes.map((node) => {
    const { key, title, description, status, dueDate, priority, tags, volume, assignee } = node;
    const type = tags.find((tag) => TYPES.includes(tag));
    const labels = tags.filter((tag) => tag !== type);
    return jsonText({
      id: idOf(key),
      title: title === '' ? '(no title)' : title,
      description,
      status: STATUSES[status],
      // 0 is the most urgent.
      priority: HIGHEST_PRIORITY.beads - Math.min(HIGHEST_PRIORITY.beads, priority),
      issue_type: type ?? 'task',
      ...(assignee.length === 0 ? {} : { assignee: assignee[0] }),
      ...(volume === 0 ? {} : { estimated_minutes: volume }),
      created_at: now,
      updated_at: now,
      // Beads requires a closing time of every closed issue.
      ...(status === 3 ? { closed_at: node.completedTime ?? now } : {}),
      ...(dueDate === null ? {} : { due_at: dueDate }),
      ...(labels.length === 0 ? {} : { labels }),
      ...(dependencies.has(key) ? { dependencies: dependencies.get(key) } : {}),
    });
  });
  return lines.map((line) => `${line}\n`).join('');
}
