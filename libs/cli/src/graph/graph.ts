// The graph for commands: typed nodes, and links indexed by their ends.
import type { Entity, Node, PageLink } from '@taskgraph/client';

export type Task = Node;
export type TaskLink = PageLink;

export interface Graph {
  readonly nodes: ReadonlyMap<string, Task>;
  readonly links: ReadonlyMap<string, TaskLink>;
  /** The name of its user; null if it is unknown. */
  readonly username: string | null;
  /** Links whose target is this node: from its children. */
  linksTo(id: string): readonly TaskLink[];
  /** Links whose source is this node: to its parents. */
  linksFrom(id: string): readonly TaskLink[];
}

export const STATUSES = ['Available', 'InProgress', 'Blocked', 'Completed'] as const;

/** Builds the graph of a replica's entities, which are complete nodes and links. */
export function graphOf(nodes: Iterable<Entity>, links: Iterable<Entity>, username: string | null = null): Graph {
  const byId = new Map([...nodes].map((node) => [node.id, node as unknown as Task]));
  const linksById = new Map([...links].map((link) => [link.id, link as unknown as TaskLink]));
  const index = (end: 'source' | 'target') => {
    const found = new Map<string, TaskLink[]>();
    for (const link of linksById.values()) {
      const existing = found.get(link[end]);
      if (existing === undefined) found.set(link[end], [link]);
      else existing.push(link);
    }
    return found;
  };
  const [to, from] = [index('target'), index('source')];
  return {
    nodes: byId,
    links: linksById,
    username,
    linksTo: (id) => to.get(id) ?? [],
    linksFrom: (id) => from.get(id) ?? [],
  };
}
