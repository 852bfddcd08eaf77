// Everything that a task waits for, directly or through others.
import type { GraphIndex } from './graph-index.ts';
import { isPrimary } from './task.ts';

/** Nodes that a walk visits at most. */
const MOST_VISITED = 20_000;

/** The ids of the visible tasks before this one, and its own. A link from it to one of them closes a cycle. */
export function tasksBefore(graph: Pick<GraphIndex, 'incoming'>, id: string): ReadonlySet<string> {
  const before = new Set([id]);
  // The loop also visits the tasks that it adds.
  for (const each of before) {
    for (const link of graph.incoming(each)) {
      if (isPrimary(link) && before.size < MOST_VISITED) before.add(link.source);
    }
  }
  return before;
}
