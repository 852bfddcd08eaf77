// Queries on the graph: ready nodes, blocked nodes, search results, roots and children.
import { compareText, dueMs, type Entity, findNodes } from '@taskgraph/client';
import type { Graph, Task } from './graph.ts';

export const Status = { AVAILABLE: 0, IN_PROGRESS: 1, BLOCKED: 2, COMPLETED: 3 } as const;

/** Sorts by due date, then by urgency, then by title. */
export function sortNodes(nodes: Iterable<Task>): Task[] {
  const due = new Map<Task, number>();
  for (const node of nodes) due.set(node, node.dueDate === null ? Number.MAX_SAFE_INTEGER : dueMs(node.dueDate));
  return [...due.keys()].sort(
    (one, other) =>
      (due.get(one) ?? 0) - (due.get(other) ?? 0) ||
      other.priority - one.priority ||
      compareText(one.title, other.title) ||
      compare(one.id, other.id),
  );
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

/** Nodes that can begin now. */
export function readyIn(graph: Graph): Task[] {
  return sortNodes([...graph.nodes.values()].filter(({ status }) => status === Status.AVAILABLE));
}

/** A node, and its open blockers that are visible. */
export interface BlockedNode {
  readonly node: Task;
  readonly blockers: readonly Task[];
}

export function blockedIn(graph: Graph): BlockedNode[] {
  const blocked = [...graph.nodes.values()].filter(({ status }) => status === Status.BLOCKED);
  return sortNodes(blocked).map((node) => ({ node, blockers: blockersOf(graph, node.id) }));
}

function blockersOf(graph: Graph, id: string): Task[] {
  const sources = graph.linksTo(id).flatMap(({ source, type }) => (type === 0 ? [graph.nodes.get(source)] : []));
  return sortNodes(sources.filter((node): node is Task => node !== undefined && node.status !== Status.COMPLETED));
}

/**
 * The hits of `node:find` for these words: each begins a word of the title, a tag or the
 * description. Matches in titles come first, then matches in tags, then matches in descriptions;
 * within each, the last edited comes first.
 */
export function searchIn({ nodes, links, username }: Graph, words: readonly string[]): Task[] {
  // Tasks and links are entities of a replica.
  const graph = { nodes, links } as unknown as Parameters<typeof findNodes>[0];
  const hits: Entity[] = findNodes(graph, { text: words.join(' ') }, { username });
  return hits as unknown as Task[];
}

/** Nodes without a visible parent. */
export function rootsOf(graph: Graph): Task[] {
  const isRoot = ({ id }: Task) => graph.linksFrom(id).every(({ target }) => !graph.nodes.has(target));
  return sortNodes([...graph.nodes.values()].filter(isRoot));
}

export function childrenOf(graph: Graph, id: string): Task[] {
  const sources = new Set(graph.linksTo(id).map(({ source }) => source));
  return sortNodes([...sources].flatMap((source) => graph.nodes.get(source) ?? []));
}
