// Nodes as text for people: table rows, tree lines, and lines of a diff.
import { type Changed, dueText } from '@taskgraph/client';
import { type Graph, STATUSES, type Task } from '../graph/graph.ts';
import { shortIdsOf } from '../graph/references.ts';
import type { TreeLine } from '../graph/tree.ts';
import type { Output } from './output.ts';
import type { Paint } from './paint.ts';
import { tableOf } from './table.ts';

/** The effects of operations by the codes of the service. */
const DONE: Readonly<Record<number, string>> = {
  0: 'added',
  1: 'changed',
  3: 'moved to the trash',
  4: 'restored',
  5: 'deleted',
  10: 'linked',
  11: 'link changed',
  12: 'unlinked',
  13: 'link restored',
  14: 'link deleted',
  15: 'link reversed',
  20: 'shared',
  21: 'grant changed',
  22: 'grant ended',
};
const NODE_STATUS = 2;
export const NODE_PUBLICATION = 6;

const PUBLICATION_DONE = { begun: 'published', ended: 'publication ended', changed: 'publication changed' } as const;

/**
 * Publications begin, change and end with the same operation code. `token` is the public token
 * afterwards; it is undefined if unchanged or hidden from this user.
 */
export function publicationChange(token: unknown): keyof typeof PUBLICATION_DONE {
  if (token === undefined) return 'changed';
  return token === null ? 'ended' : 'begun';
}

export function statusText(status: unknown, { green, yellow, red, dim }: Paint): string {
  const colour = [green, yellow, red, dim][Number(status)] ?? String;
  return colour(STATUSES[Number(status)] ?? String(status));
}

/** A table of nodes, or the sentence `none` if there are no nodes. */
export function nodeTable(nodes: readonly Task[], graph: Graph, { columns, paint }: Output, none: string): string[] {
  if (nodes.length === 0) return [paint.dim(none)];
  const shortId = shortIdsOf(graph.nodes.values());
  const rows = nodes.map((node) => [
    paint.cyan(shortId(node.id)),
    statusText(node.status, paint),
    node.dueDate === null ? '' : dueText(node.dueDate),
    node.priority === 0 ? '' : String(node.priority),
    titleOf(node),
  ]);
  return tableOf(rows, { heads: ['id', 'status', 'due', 'priority', 'title'], columns, paintHead: paint.bold });
}

/** The title with its tags. */
function titleOf({ title, tags }: Task): string {
  return [title || '(no title)', ...tags.map((tag) => `#${tag}`)].join(' ');
}

/** The maximum indentation in levels. A deeper line begins with its level number. */
const MAXIMUM_INDENTED = 32;
const SUFFIXES = { all: '', repeated: ' (see above)', cut: ' (more below: see --depth)' } as const;

/** Lines of text, one at a time: a reader may stop early in a long tree. */
export function* treeLines(lines: Iterable<TreeLine>, graph: Graph, { paint }: Output): Generator<string> {
  const shortId = shortIdsOf(graph.nodes.values());
  for (const line of lines) {
    const { node, children } = line;
    const title = `${paint.cyan(shortId(node.id))} ${statusText(node.status, paint)} ${titleOf(node)}`;
    yield `${indentOf(line)}${title}${paint.dim(SUFFIXES[children])}`;
  }
}

function indentOf(line: TreeLine): string {
  if (line.parent === null) return '';
  let indent = line.hasNext ? '├─ ' : '└─ ';
  let above = line.parent;
  for (let levels = 1; above.parent !== null; above = above.parent) {
    if (levels++ >= MAXIMUM_INDENTED) return `${line.depth}: ${indent}`;
    indent = (above.hasNext ? '│  ' : '   ') + indent;
  }
  return indent;
}

/** The lines of a diff: one for each changed node, link and grant. */
export function changeLines(
  { nodes, links, access }: Changed['diff'],
  graph: Graph | null,
  { paint }: Output,
): string[] {
  const all = [...(graph?.nodes.values() ?? []), ...nodes.map(({ after }) => ({ id: after.id ?? '' }))];
  const shortId = shortIdsOf(new Map(all.map((node) => [node.id, node])).values());
  const nameOf = (id: string, title: string | undefined) =>
    `${paint.cyan(shortId(id))} ${title ?? graph?.nodes.get(id)?.title ?? ''}`.trimEnd();
  const ofNodes = nodes.map(({ op, before, after }) => {
    const id = after.id ?? before.id ?? '';
    const effect =
      op === NODE_STATUS
        ? `is now ${statusText(after.status, paint)}`
        : op === NODE_PUBLICATION
          ? PUBLICATION_DONE[publicationChange(after.publicToken)]
          : (DONE[op] ?? `operation ${op}`);
    return `${nameOf(id, after.title ?? before.title)} ${effect}`;
  });
  const ofLinks = links.map(({ op, before, after }) => {
    const link = { ...graph?.links.get(after.id ?? ''), ...before, ...after };
    return `${nameOf(link.source ?? '', undefined)} → ${nameOf(link.target ?? '', undefined)} ${DONE[op] ?? op}`;
  });
  const ofGrants = access.map(({ op, before, after }) => `${after.email ?? before.email}: ${DONE[op] ?? op}`);
  const lines = [...ofNodes, ...ofLinks, ...ofGrants];
  return lines.length === 0 ? [paint.dim('Nothing changed.')] : lines;
}
