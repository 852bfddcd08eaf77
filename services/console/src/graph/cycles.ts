// The cycle that a new link would close, before the service is asked. Rule: LNK4.
import type { GraphIndex } from './graph-index.ts';
import { isPrimary } from './task.ts';

/** Nodes that a walk visits at most. Beyond them, the service decides. */
const MOST_VISITED = 20_000;

/**
 * The ids of a shortest path along primary links from the target to the source: with a primary link
 * from the source to the target, each of them would wait for itself. Null if there is none.
 */
export function cycleOf(graph: Pick<GraphIndex, 'outgoing'>, source: string, target: string): string[] | null {
  const previous = new Map<string, string | null>([[target, null]]);
  // The loop also visits the nodes that it adds: nearest first.
  for (const id of previous.keys()) {
    if (id === source) return pathTo(id, previous);
    for (const link of graph.outgoing(id)) {
      if (isPrimary(link) && !previous.has(link.target) && previous.size < MOST_VISITED) previous.set(link.target, id);
    }
  }
  return null;
}

function pathTo(end: string, previous: ReadonlyMap<string, string | null>): string[] {
  const path: string[] = [];
  for (let id: string | null = end; id !== null; id = previous.get(id) ?? null) path.unshift(id);
  return path;
}
