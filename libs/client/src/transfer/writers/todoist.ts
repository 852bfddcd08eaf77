// Writes a template of Todoist: each task with its blockers indented below it. Rule: IO2.
import { dayOf, dueDateForFile } from '../../values/days.ts';
import type { LossReport } from '../graph/loss-report.ts';
import { placeOf, push, type TransferGraph, type TransferNode, type WriteOptions } from '../graph/transfer-graph.ts';
import { writeTable } from '../text/csv-table.ts';
import { HIGHEST_PRIORITY } from './unsupported-fields.ts';

const HEADS = [
  'TYPE',
  'CONTENT',
  'DESCRIPTION',
  'PRIORITY',
  'INDENT',
  'AUTHOR',
  'RESPONSIBLE',
  'DATE',
  'DATE_LANG',
  'TIMEZONE',
  'DURATION',
  'DURATION_UNIT',
  'DEADLINE',
  'DEADLINE_LANG',
];
/** Todoist has a task and four levels below it. */
const MAXIMUM_DEPTH = 5;

/** Also reports links and levels that a tree of this depth cannot hold. */
export function writeTodoist({ nodes, links }: TransferGraph, _options: WriteOptions, losses: LossReport): string {
  const byKey = new Map(nodes.map((node) => [node.key, node]));
  const parents = new Map<string, string>();
  const children = new Map<string | null, TransferNode[]>();
  const nameOf = (key: string) => placeOf(byKey.get(key) as TransferNode);
  for (const { source, target, type } of links) {
    if (type === 1) continue;
    if (parents.has(source)) losses.note('a link to a second blocked task', `${nameOf(source)} → ${nameOf(target)}`);
    else parents.set(source, target);
  }
  for (const node of nodes) push(children, parents.get(node.key) ?? null, node);
  const rows: string[][] = [];
  const open = (children.get(null) ?? []).map((node) => ({ node, indent: 1 })).reverse();
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { node, indent } = next;
    rows.push(rowOf(node, Math.min(indent, MAXIMUM_DEPTH)));
    if (indent > MAXIMUM_DEPTH) losses.note(`being more than ${MAXIMUM_DEPTH} levels down`, placeOf(node));
    open.push(...(children.get(node.key) ?? []).map((child) => ({ node: child, indent: indent + 1 })).reverse());
  }
  return writeTable(HEADS, rows);
}

function rowOf(
  { title, tags, description, priority, assignee, dueDate, volume }: TransferNode,
  indent: number,
): string[] {
  const labels = tags.map((tag) => `@${tag.replaceAll('@', '').replaceAll(/\s+/g, '_')}`);
  const duration = volume === 0 ? ['', ''] : [String(volume), 'minute'];
  return [
    'task',
    [title, ...labels].join(' '),
    description,
    // 1 is the most urgent.
    String(4 - Math.min(HIGHEST_PRIORITY.todoist, priority)),
    String(indent),
    '',
    assignee[0] ?? '',
    dueDateForFile(dueDate),
    dueDate === null ? '' : 'en',
    dueDate === null || dayOf(dueDate) !== null ? '' : 'UTC',
    ...duration,
    '',
    '',
  ];
}
