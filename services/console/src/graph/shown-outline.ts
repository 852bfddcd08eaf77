// The part of a graph that the outline shows under a filter: the tasks that meet it, and those above
// them. In the branch of a task, nothing above that task shows.
import { homeOf, type OutlineGraph } from './outline.ts';
import type { ShownTasks } from './shown-tasks.ts';
import type { Link } from './task.ts';

/** The work is proportional to the shown tasks. */
export function shownOutline(
  graph: OutlineGraph,
  shown: Pick<ShownTasks, 'ids' | 'inScope'>,
  root: string | null,
): OutlineGraph {
  const scoped = limited(graph, shown.inScope);
  const included = new Set<string>();
  const roots: string[] = [];
  for (const first of shown.ids()) {
    let id: string | null = first;
    while (id !== null && !included.has(id)) {
      included.add(id);
      const home: string | null = id === root ? null : homeOf(scoped, id);
      if (home === null && id !== root) roots.push(id);
      id = home;
    }
  }
  roots.sort();
  // Tasks that only secondary links lead to the root have no place below it.
  if (root !== null && included.has(root)) roots.unshift(root);
  return { ...limited(scoped, (id) => included.has(id)), roots: () => roots };
}

function limited(graph: OutlineGraph, has: (id: string) => boolean): OutlineGraph {
  const within = (links: readonly Link[], end: 'source' | 'target') => links.filter((link) => has(link[end]));
  return {
    task: graph.task,
    roots: graph.roots,
    incoming: once((id) => within(graph.incoming(id), 'source')),
    outgoing: once((id) => within(graph.outgoing(id), 'target')),
  };
}

/** The same list each time, as an index has it. */
function once(read: (id: string) => readonly Link[]): (id: string) => readonly Link[] {
  const lists = new Map<string, readonly Link[]>();
  return (id) => {
    const known = lists.get(id) ?? read(id);
    lists.set(id, known);
    return known;
  };
}
