// A table of tasks, one in a row, with all their fields, and what each waits for by its id. Rule: IO2.
import { dueDateForFile } from '../../values/days.ts';
import { PLAIN_FIELDS } from '../csv-fields.ts';
import { joined, writeTable } from '../csv-source.ts';
import { createLedger, placeOf, push, STATUS_NAMES, type TransferGraph, type Written } from '../model.ts';

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
  ...PLAIN_FIELDS,
] as const;

export function writeCsv({ nodes, links }: TransferGraph): Written {
  const ledger = createLedger();
  const [waitsFor, related] = [new Map<string, string[]>(), new Map<string, string[]>()];
  const byKey = new Map(nodes.map((node) => [node.key, node]));
  for (const { source, target, type } of links) {
    push(type === 0 ? waitsFor : related, target, source);
    const target0 = byKey.get(target);
    if (type === 0 && target0?.independent)
      ledger.note('that a link to an independent task would block', placeOf(target0));
  }
  const rows = nodes.map((node) => [
    node.key,
    node.title,
    STATUS_NAMES[node.status],
    dueDateForFile(node.dueDate),
    String(node.priority),
    String(node.volume),
    joined(node.tags),
    joined(node.assignee),
    joined(waitsFor.get(node.key) ?? []),
    joined(related.get(node.key) ?? []),
    node.description,
    ...PLAIN_FIELDS.map((name) => String(node[name])),
  ]);
  return { text: writeTable(HEADS, rows), leftOut: ledger.list() };
}
