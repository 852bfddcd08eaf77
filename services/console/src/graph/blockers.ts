// Why a task waits, where to begin, and what its completion would free. Each walk is bounded.
import type { GraphIndex } from './graph-index.ts';
import { BLOCKED, COMPLETED, isPrimary, type Task } from './task.ts';

/** A graph as these functions read it. `task` is undefined for a node that is not visible. */
export interface ReadableGraph extends Pick<GraphIndex, 'incoming' | 'outgoing'> {
  task(id: string): Task | undefined;
}

/** Tasks that a walk visits at most. */
const MOST_VISITED = 2_000;

/** The open tasks that block this one, by its primary links. Each occurs once. */
export function blockersOf(graph: ReadableGraph, id: string): Task[] {
  const found = new Map<string, Task>();
  for (const link of graph.incoming(id)) {
    const blocker = graph.task(link.source);
    if (isPrimary(link) && blocker !== undefined && blocker.status !== COMPLETED) found.set(blocker.id, blocker);
  }
  return [...found.values()];
}

/** The nearest open task that waits for nothing visible, and whose completion brings this one nearer. */
export function firstStepTo(graph: ReadableGraph, id: string): Task | undefined {
  const visited = new Set([id]);
  // The loop also visits the tasks that it adds: nearest first.
  for (const each of visited) {
    for (const blocker of blockersOf(graph, each)) {
      if (blocker.status !== BLOCKED) return blocker;
      if (visited.size < MOST_VISITED) visited.add(blocker.id);
    }
  }
  return undefined;
}

/** The tasks that become Available or continue if this one is completed. */
export function freedBy(graph: ReadableGraph, id: string): Task[] {
  const waiting = new Set(
    graph
      .outgoing(id)
      .filter(isPrimary)
      .map(({ target }) => target),
  );
  return [...waiting].flatMap((target) => {
    const task = graph.task(target);
    if (task === undefined || task.status !== BLOCKED) return [];
    return blockersOf(graph, target).every((blocker) => blocker.id === id) ? [task] : [];
  });
}
