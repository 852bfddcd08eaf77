// The `data.json` of Vikunja: one project with all tasks. Rule: IO2.

import { jsonText } from '../control-characters.ts';
import {
  createLedger,
  placeOf,
  push,
  type TransferGraph,
  type TransferNode,
  type WriteOptions,
  type Written,
} from '../model.ts';

const NO_TIME = '0001-01-01T00:00:00Z';
/** Vikunja has priorities from 0 to 5. */
const HIGHEST = 5;

export function writeVikunja({ nodes, links }: TransferGraph, { now }: WriteOptions): Written {
  const ledger = createLedger();
  const number = new Map(nodes.map(({ key }, index) => [key, index + 1]));
  const relations = new Map<string, { readonly kind: string; readonly id: number }[]>();
  for (const { source, target, type } of links) {
    const [from, to] = [number.get(source) ?? 0, number.get(target) ?? 0];
    push(relations, target, { kind: type === 0 ? 'blocked' : 'related', id: from });
    push(relations, source, { kind: type === 0 ? 'blocking' : 'related', id: to });
  }
  const tasks = nodes.map((node) => {
    noteLosses(node, ledger.note);
    const related = new Map<string, { readonly id: number }[]>();
    for (const { kind, id } of relations.get(node.key) ?? []) push(related, kind, { id });
    return { ...taskOf(node, now), id: number.get(node.key), related_tasks: Object.fromEntries(related) };
  });
  const project = {
    id: 1,
    title: 'Taskgraph',
    description: '',
    parent_project_id: 0,
    is_archived: false,
    created: now,
    updated: now,
  };
  return { text: `${jsonText([{ ...project, tasks, buckets: [] }], 1)}\n`, leftOut: ledger.list() };
}

function taskOf({ title, description, status, dueDate, priority, tags, assignee }: TransferNode, now: string): object {
  return {
    title,
    description: escaped(description),
    done: status === 3,
    due_date: dueDate ?? NO_TIME,
    priority: Math.min(HIGHEST, priority),
    labels: tags.map((tag, index) => ({ id: index + 1, title: tag })),
    assignees: assignee.map((username, index) => ({ id: index + 1, username })),
    project_id: 1,
    created: now,
    updated: now,
    percent_done: 0,
  };
}

/** Descriptions are HTML there: what people wrote must not become marks. */
function escaped(text: string): string {
  const safe = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  return safe === '' ? '' : `<p>${safe.replaceAll(/\r?\n/g, '<br>')}</p>`;
}

function noteLosses(node: TransferNode, note: (what: string, place: string) => void): void {
  const place = placeOf(node);
  if (node.status === 1) note('being in progress', place);
  if (node.priority > HIGHEST) note(`a priority above ${HIGHEST}`, place);
  if (node.volume > 0) note('the volume', place);
  if (node.independent) note('being independent', place);
  if (node.pinned || node.collapsed || node.x !== 0 || node.y !== 0 || node.z !== 0) note('a position', place);
}
