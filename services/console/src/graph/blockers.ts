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
    for (const link of graph.incoming(each)) {
      const blocker = isPrimary(link) ? graph.task(link.source) : undefined;
      if (blocker === undefined || blocker.status === COMPLETED) continue;
      if (blocker.status !== BLOCKED) return blocker;
      if (visited.size < MOST_VISITED) visited.add(blocker.id);
    }
  }
  return undefined;
}

/**
 * Caches the first step of one task until a status or a link changes, because the walk is long and most
 * changes are of other fields.
 */
export function createFirstStepCache(
  graph: ReadableGraph,
  index: Pick<GraphIndex, 'counts' | 'structure'>,
): (id: string) => Task | undefined {
  let cached: { readonly id: string; readonly versions: readonly unknown[]; readonly step: string | undefined } | null =
    null;
  return (id) => {
    // The counts are another object after each change of a status.
    const versions = [index.counts(), index.structure()];
    if (cached?.id !== id || !versions.every((each, at) => each === cached?.versions[at])) {
      cached = { id, versions, step: firstStepTo(graph, id)?.id };
    }
    return cached.step === undefined ? undefined : graph.task(cached.step);
  };
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
    return isBlockedByOthers(graph, target, id) ? [] : [task];
  });
}

/** Each row of a list asks this at each change, so it ends at the first other blocker. */
function isBlockedByOthers(graph: ReadableGraph, target: string, id: string): boolean {
  return graph.incoming(target).some((link) => {
    if (!isPrimary(link) || link.source === id) return false;
    const blocker = graph.task(link.source);
    return blocker !== undefined && blocker.status !== COMPLETED;
  });
}
