// Todoist's template: tasks with those that they wait for indented below them. Rule: IO2.
import { dayOf, dueDateForFile } from '../../values/days.ts';
import { writeTable } from '../csv-source.ts';
import { createLedger, placeOf, push, type TransferGraph, type TransferNode, type Written } from '../model.ts';

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
const DEEPEST = 5;

export function writeTodoist({ nodes, links }: TransferGraph): Written {
  const ledger = createLedger();
  const byKey = new Map(nodes.map((node) => [node.key, node]));
  const parent = new Map<string, string>();
  const below = new Map<string | null, TransferNode[]>();
  for (const { source, target, type } of links) {
    const place = `${placeOf(byKey.get(source) as TransferNode)} → ${placeOf(byKey.get(target) as TransferNode)}`;
    if (type === 1) ledger.note('a link that does not block', place);
    else if (parent.has(source)) ledger.note('a link to a second task that waits', place);
    else parent.set(source, target);
  }
  for (const node of nodes) push(below, parent.get(node.key) ?? null, node);
  const rows: string[][] = [];
  const open = (below.get(null) ?? []).map((node) => ({ node, indent: 1 })).reverse();
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { node, indent } = next;
    rows.push(rowOf(node, Math.min(indent, DEEPEST)));
    noteLosses(node, indent, ledger.note);
    open.push(...(below.get(node.key) ?? []).map((child) => ({ node: child, indent: indent + 1 })).reverse());
  }
  return { text: writeTable(HEADS, rows), leftOut: ledger.list() };
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
    String(4 - Math.min(3, priority)),
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

function noteLosses(node: TransferNode, indent: number, note: (what: string, place: string) => void): void {
  const place = placeOf(node);
  if (indent > DEEPEST) note(`being more than ${DEEPEST} levels down`, place);
  if (/(^|\s)@[^\s@]/.test(node.title)) note('an @ in a title, which begins a label there', place);
  if (node.tags.some((tag) => tag.includes('@'))) note('an @ in a tag', place);
  if (node.status === 1 || node.status === 3) note('a status', place);
  if (node.priority > 3) note('a priority above 3', place);
  if (node.assignee.length > 1) note('a second assignee', place);
  if (node.tags.some((tag) => /\s/.test(tag))) note('the blanks of a tag', place);
  if (node.independent) note('being independent', place);
  if (node.pinned || node.collapsed || node.x !== 0 || node.y !== 0 || node.z !== 0) note('a position', place);
}
