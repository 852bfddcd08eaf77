// The graph as commands look at it: typed nodes, and the links by their ends.
import type { Entity, Node, PageLink } from '@taskgraph/client';

export type Task = Node;
export type TaskLink = PageLink;

export interface Graph {
  readonly nodes: ReadonlyMap<string, Task>;
  readonly links: ReadonlyMap<string, TaskLink>;
  /** Links to a node: from its children. */
  linksTo(id: string): readonly TaskLink[];
  /** Links from a node: to its parents. */
  linksFrom(id: string): readonly TaskLink[];
}

export const STATUSES = ['Available', 'InProgress', 'Blocked', 'Completed'] as const;

/** A replica's entities are whole nodes and links. */
export function graphOf(nodes: Iterable<Entity>, links: Iterable<Entity>): Graph {
  const byId = new Map([...nodes].map((node) => [node.id, node as unknown as Task]));
  const linksById = new Map([...links].map((link) => [link.id, link as unknown as TaskLink]));
  const index = (end: 'source' | 'target') => {
    const found = new Map<string, TaskLink[]>();
    for (const link of linksById.values()) {
      const there = found.get(link[end]);
      if (there === undefined) found.set(link[end], [link]);
      else there.push(link);
    }
    return found;
  };
  const [to, from] = [index('target'), index('source')];
  return {
    nodes: byId,
    links: linksById,
    linksTo: (id) => to.get(id) ?? [],
    linksFrom: (id) => from.get(id) ?? [],
  };
}
