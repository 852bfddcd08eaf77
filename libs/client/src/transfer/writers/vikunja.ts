// Writes the `data.json` of Vikunja: one project with all tasks. Rule: IO2.

import { jsonText } from '@taskgraph/wire/control-characters';
import { NO_TIME } from '../fields/source-field.ts';
import { push, type TransferGraph, type TransferNode, type WriteOptions } from '../graph/transfer-graph.ts';
import { HIGHEST_PRIORITY } from './unsupported-fields.ts';

export function writeVikunja({ nodes, links }: TransferGraph, { now }: WriteOptions): string {
  const numbers = new Map(nodes.map(({ key }, index) => [key, index + 1]));
  const relations = new Map<string, { readonly kind: string; readonly id: number }[]>();
  for (const { source, target, type } of links) {
    const [from, to] = [numbers.get(source) ?? 0, numbers.get(target) ?? 0];
    push(relations, target, { kind: type === 0 ? 'blocked' : 'related', id: from });
    push(relations, source, { kind: type === 0 ? 'blocking' : 'related', id: to });
  }
  const tasks = nodes.map((node) => {
    const related = new Map<string, { readonly id: number }[]>();
    for (const { kind, id } of relations.get(node.key) ?? []) push(related, kind, { id });
    return { ...taskOf(node, now), id: numbers.get(node.key), related_tasks: Object.fromEntries(related) };
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
  return `${jsonText([{ ...project, tasks, buckets: [] }], 1)}\n`;
}

function taskOf(node: TransferNode, now: string): object {
  const { title, description, status, dueDate, priority, tags, assignee, completedTime } = node;
  return {
    title,
    description: htmlOf(description),
    done: status === 3,
    done_at: (status === 3 ? completedTime : null) ?? NO_TIME,
    due_date: dueDate ?? NO_TIME,
    priority: Math.min(HIGHEST_PRIORITY.vikunja, priority),
    labels: tags.map((tag, index) => ({ id: index + 1, title: tag })),
    assignees: assignee.map((username, index) => ({ id: index + 1, username })),
    project_id: 1,
    created: now,
    updated: now,
    percent_done: 0,
  };
}

/** Vikunja's descriptions are HTML. Escapes the text, so that it never acts as markup. */
function htmlOf(text: string): string {
  const safe = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  return safe === '' ? '' : `<p>${safe.replaceAll(/\r?\n/g, '<br>')}</p>`;
}
