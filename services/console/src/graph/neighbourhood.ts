// The neighbourhood of a task: what it waits for and what waits for it, up to a number of links.
import type { GraphIndex } from './graph-index.ts';

/** The tasks that at most this many links lead to from a task, in either direction. */
export interface Neighbourhood {
  readonly id: string;
  readonly steps: number;
}

interface IndexedGraph {
  readonly nodes: ReadonlyMap<string, unknown>;
  readonly index: Pick<GraphIndex, 'outgoing' | 'incoming'>;
}

/**
 * The ids of the tasks up to this many steps away, the task itself included; none if it is not visible.
 * Each step goes on in its first direction: what else a blocker blocks is no neighbour.
 */
export function neighbourhoodOf({ nodes, index }: IndexedGraph, { id, steps }: Neighbourhood): ReadonlySet<string> {
  if (!nodes.has(id)) return new Set();
  const visible = (ids: readonly string[]) => ids.filter((each) => nodes.has(each));
  const before = reach(id, steps, (each) => visible(index.incoming(each).map(({ source }) => source)));
  const after = reach(id, steps, (each) => visible(index.outgoing(each).map(({ target }) => target)));
  return new Set([...before, ...after]);
}

function reach(id: string, steps: number, next: (id: string) => readonly string[]): ReadonlySet<string> {
  const reached = new Set([id]);
  let edge: readonly string[] = [id];
  for (let step = 0; step < steps && edge.length > 0; step++) {
    edge = edge.flatMap(next).filter((each) => {
      const isNew = !reached.has(each);
      reached.add(each);
      return isNew;
    });
  }
  return reached;
}
