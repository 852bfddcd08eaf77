// Nodes as people see them: rows of a table, lines of a tree, and what a change did.
import type { Changed } from '@taskgraph/client';
import { type Graph, STATUSES, type Task } from '../graph/graph.ts';
import type { Branching } from '../graph/questions.ts';
import { shortIdsOf } from '../graph/references.ts';
import type { Output } from './output.ts';
import type { Paint } from './paint.ts';
import { tableOf } from './table.ts';

/** The codes of operations, as the service counts them. */
const DONE: Readonly<Record<number, string>> = {
  ...{ 0: 'added', 1: 'changed', 3: 'moved to the trash', 4: 'restored', 5: 'deleted' },
  ...{ 10: 'linked', 11: 'link changed', 12: 'unlinked', 13: 'linked again', 14: 'link deleted', 15: 'link turned' },
  ...{ 20: 'shared', 21: 'sharing changed', 22: 'sharing ended' },
};
const NODE_STATUS = 2;
const NODE_PUBLICATION = 6;

const PUBLICATION_DONE = { begun: 'published', ended: 'published no longer', changed: 'publication changed' } as const;

/** One operation begins and ends publications. `token`: the public token after it; undefined where that stayed, or is not shown to this user. */
export function publicationChange(token: unknown): keyof typeof PUBLICATION_DONE {
  if (token === undefined) return 'changed';
  return token === null ? 'ended' : 'begun';
}

export function statusText(status: unknown, { green, yellow, red, dim }: Paint): string {
  const painted = [green, yellow, red, dim][Number(status)] ?? String;
  return painted(STATUSES[Number(status)] ?? String(status));
}

export function dayOf(time: string | null): string {
  return time === null ? '' : time.slice(0, 10);
}

/** A table of nodes; a sentence where there are none. */
export function nodeTable(nodes: readonly Task[], graph: Graph, { columns, paint }: Output, none: string): string[] {
  if (nodes.length === 0) return [paint.dim(none)];
  const shortId = shortIdsOf(graph.nodes.values());
  const rows = nodes.map((node) => [
    paint.cyan(shortId(node.id)),
    statusText(node.status, paint),
    dayOf(node.dueDate),
    node.priority === 0 ? '' : String(node.priority),
    titleOf(node),
  ]);
  return tableOf(rows, { heads: ['id', 'status', 'due', 'priority', 'title'], columns, paintHead: paint.bold });
}

/** The title with its tags. */
function titleOf({ title, tags }: Task): string {
  return [title || '(no title)', ...tags.map((tag) => `#${tag}`)].join(' ');
}

export function treeLines(lines: readonly Branching[], graph: Graph, { paint }: Output): string[] {
  const shortId = shortIdsOf(graph.nodes.values());
  return lines.map(({ node, marks, isRepeated }) => {
    const above = marks.slice(0, -1).map((goesOn) => (goesOn ? '│  ' : '   '));
    const own = marks.length === 0 ? '' : marks.at(-1) ? '├─ ' : '└─ ';
    const tail = isRepeated ? paint.dim(' (see above)') : '';
    return `${above.join('')}${own}${paint.cyan(shortId(node.id))} ${statusText(node.status, paint)} ${titleOf(node)}${tail}`;
  });
}

/** A line for each node that changed, and one for the links. */
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
    const did =
      op === NODE_STATUS
        ? `is ${statusText(after.status, paint)} now`
        : op === NODE_PUBLICATION
          ? PUBLICATION_DONE[publicationChange(after.publicToken)]
          : (DONE[op] ?? `operation ${op}`);
    return `${nameOf(id, after.title ?? before.title)} ${did}`;
  });
  const ofLinks = links.map(({ op, before, after }) => {
    const link = { ...graph?.links.get(after.id ?? ''), ...before, ...after };
    return `${nameOf(link.source ?? '', undefined)} → ${nameOf(link.target ?? '', undefined)} ${DONE[op] ?? op}`;
  });
  const ofGrants = access.map(({ op, before, after }) => `${after.email ?? before.email}: ${DONE[op] ?? op}`);
  const lines = [...ofNodes, ...ofLinks, ...ofGrants];
  return lines.length === 0 ? [paint.dim('Nothing changed.')] : lines;
}
