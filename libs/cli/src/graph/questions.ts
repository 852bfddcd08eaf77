// The questions that commands ask of the graph: what may be begun, what waits for what, what matches words, and what hangs below a node.
import { compareText, dueMs, foldText } from '@taskgraph/client';
import type { Graph, Task } from './graph.ts';

export const Status = { AVAILABLE: 0, IN_PROGRESS: 1, BLOCKED: 2, COMPLETED: 3 } as const;

/** Nodes that are due first come first, then the most urgent, then by title. */
export function inOrder(nodes: Iterable<Task>): Task[] {
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

/** Nodes that can be begun now. */
export function readyIn(graph: Graph): Task[] {
  return inOrder([...graph.nodes.values()].filter(({ status }) => status === Status.AVAILABLE));
}

/** A node, and those that keep it Blocked as far as they are seen. */
export interface Waiting {
  readonly node: Task;
  readonly blockers: readonly Task[];
}

export function blockedIn(graph: Graph): Waiting[] {
  const blocked = [...graph.nodes.values()].filter(({ status }) => status === Status.BLOCKED);
  return inOrder(blocked).map((node) => ({ node, blockers: blockersOf(graph, node.id) }));
}

function blockersOf(graph: Graph, id: string): Task[] {
  const sources = graph.linksTo(id).flatMap(({ source, type }) => (type === 0 ? [graph.nodes.get(source)] : []));
  return inOrder(sources.filter((node): node is Task => node !== undefined && node.status !== Status.COMPLETED));
}

/** Nodes that have all words in their title, tags or description: those with all in the title first. */
export function searchIn(graph: Graph, words: readonly string[]): Task[] {
  const wanted = words.flatMap((each) => foldText(each).split(/\s+/)).filter(Boolean);
  const hasAll = (text: string) => {
    const folded = foldText(text);
    return wanted.every((word) => folded.includes(word));
  };
  const [inTitle, elsewhere]: [Task[], Task[]] = [[], []];
  for (const node of graph.nodes.values()) {
    if (hasAll(node.title)) inTitle.push(node);
    else if (hasAll([node.title, ...node.tags, node.description].join('\n'))) elsewhere.push(node);
  }
  return [...inOrder(inTitle), ...inOrder(elsewhere)];
}

/** Nodes that lead to none that is seen: the tops of all there is. */
export function topsOf(graph: Graph): Task[] {
  const isTop = ({ id }: Task) => graph.linksFrom(id).every(({ target }) => !graph.nodes.has(target));
  return inOrder([...graph.nodes.values()].filter(isTop));
}

export function childrenOf(graph: Graph, id: string): Task[] {
  const sources = new Set(graph.linksTo(id).map(({ source }) => source));
  return inOrder([...sources].flatMap((source) => graph.nodes.get(source) ?? []));
}
