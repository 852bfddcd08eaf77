// The outline of a graph: below each task the tasks that it waits for. A task that several tasks wait
// for stands in full below one of them, its home, and as a reference below the others.
import type { ReadableGraph } from './blockers.ts';
import type { GraphIndex } from './graph-index.ts';
import { isPrimary, type Link } from './task.ts';

export type OutlineGraph = ReadableGraph & Pick<GraphIndex, 'roots'>;

export interface OutlineRow {
  /** Unique among the rows. */
  readonly key: string;
  readonly id: string;
  /** The key of the row above it in the tree; null for a root. */
  readonly parent: string | null;
  /** 1 for a root. */
  readonly level: number;
  /** Its place among its siblings, from 1. */
  readonly place: number;
  readonly siblings: number;
  /** Whether the task stands in full elsewhere, so that nothing is below this row. */
  readonly isReference: boolean;
  readonly hasChildren: boolean;
  readonly isExpanded: boolean;
}

/** The rows that show, from top to bottom, at most `most`. The work is proportional to them. */
export function outlineRows(
  graph: OutlineGraph,
  isExpanded: (id: string, level: number) => boolean,
  most = Number.POSITIVE_INFINITY,
): OutlineRow[] {
  const rows: OutlineRow[] = [];
  // Changes that are not confirmed may close a cycle: a task does not stand below itself.
  const expanded = new Set<string>();
  // The next rows, the first of them last.
  const next: OutlineRow[] = [];
  const push = (ids: readonly string[], parent: OutlineRow | null) => {
    for (let index = ids.length - 1; index >= 0; index--) {
      const id = ids[index] as string;
      const level = (parent?.level ?? 0) + 1;
      const isReference = parent !== null && (expanded.has(id) || homeOf(graph, id) !== parent.id);
      const hasChildren = !isReference && childrenOf(graph, id).length > 0;
      next.push({
        key: parent === null ? id : `${parent.id}/${id}`,
        id,
        parent: parent?.key ?? null,
        level,
        place: index + 1,
        siblings: ids.length,
        isReference,
        hasChildren,
        isExpanded: hasChildren && isExpanded(id, level),
      });
    }
  };
  push(graph.roots(), null);
  for (let row = next.pop(); row !== undefined && rows.length < most; row = next.pop()) {
    rows.push(row);
    if (!row.isExpanded) continue;
    expanded.add(row.id);
    push(childrenOf(graph, row.id), row);
  }
  return rows;
}

/** The visible tasks that a task waits for by primary links, those linked first at the top. */
function childrenOf(graph: ReadableGraph, id: string): readonly string[] {
  const sources = sourcesOf(graph.incoming(id));
  const isVisible = (source: string) => graph.task(source) !== undefined;
  return sources.every(isVisible) ? sources : sources.filter(isVisible);
}

/** Lists of links are immutable, so each is read once. */
const SOURCES = new WeakMap<readonly Link[], readonly string[]>();
const HOMES = new WeakMap<readonly Link[], string | null>();

function sourcesOf(links: readonly Link[]): readonly string[] {
  const known = SOURCES.get(links);
  if (known !== undefined) return known;
  const sources = [
    ...new Set(
      links
        .filter(isPrimary)
        .sort(byId)
        .map(({ source }) => source),
    ),
  ];
  SOURCES.set(links, sources);
  return sources;
}

/** The task below which this one stands in full: the one linked first. Null for a root. */
export function homeOf(graph: ReadableGraph, id: string): string | null {
  const links = graph.outgoing(id);
  const known = HOMES.get(links);
  if (known !== undefined) return known;
  let home: { readonly id: string; readonly target: string } | null = null;
  for (const link of links) {
    if (isPrimary(link) && (home === null || link.id < home.id)) home = link;
  }
  const target = home?.target ?? null;
  HOMES.set(links, target);
  return target;
}

/**
 * The homes of a task from its root down, without the task itself: what must be expanded to show it.
 * In a cycle of links that are not confirmed, each occurs once.
 */
export function homesOf(graph: ReadableGraph, id: string): string[] {
  const line = new Set([id]);
  for (let home = homeOf(graph, id); home !== null && !line.has(home); home = homeOf(graph, home)) line.add(home);
  return [...line].slice(1).reverse();
}

function byId(one: { readonly id: string }, other: { readonly id: string }): number {
  return one.id < other.id ? -1 : 1;
}
