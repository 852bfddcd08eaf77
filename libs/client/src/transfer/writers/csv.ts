// Writes a table with one task in each row: all its fields, its time of completion, and the ids of
// its blockers. Rule: IO2.
import { dueDateForFile } from '../../values/days.ts';
import { push, STATUS_NAMES, type TransferGraph } from '../graph/transfer-graph.ts';
import { PLAIN_COLUMNS } from '../readers/tables/column-names.ts';
import { joinWords, writeTable } from '../text/csv-table.ts';

const HEADS = [
  'id',
  'title',
  'status',
  'due',
  'priority',
  'volume',
  'tags',
  'assignee',
  'waits for',
  'related',
  'description',
  ...PLAIN_COLUMNS,
  // Imports report it as not imported.
  'completed',
] as const;

export function writeCsv({ nodes, links }: TransferGraph): string {
  const [blockers, related] = [new Map<string, string[]>(), new Map<string, string[]>()];
  for (const { source, target, type } of links) push(type === 0 ? blockers : related, target, source);
  const rows = nodes.map((node) => [
    node.key,
    node.title,
    STATUS_NAMES[node.status],
    dueDateForFile(node.dueDate),
    String(node.priority),
    String(node.volume),
    joinWords(node.tags),
    joinWords(node.assignee),
    joinWords(blockers.get(node.key) ?? []),
    joinWords(related.get(node.key) ?? []),
    node.description,
    ...PLAIN_COLUMNS.map((name) => String(node[name])),
    (node.status === 3 ? node.completedTime : null) ?? '',
  ]);
  return writeTable(HEADS, rows);
}
