// The nodes and links of a replica: whole entities, the feeds by which each node is read, and which links hang on which nodes.
import type { Entity } from '../merge-diff.ts';

export type Kind = 'nodes' | 'links';

/** A node that is here. */
export interface HeldNode {
  entity: Entity;
  /** The feeds by which it is read, as far as that is known. */
  readonly via: Set<string>;
  /** No feed that is known to be read explains why it is shown: it may be one of which no word came yet. */
  isDoubtful: boolean;
  /** Its level follows from its feeds' levels, since the service has not told it yet. */
  isLevelDerived: boolean;
}

export interface Entities {
  readonly nodes: ReadonlyMap<string, HeldNode>;
  readonly links: ReadonlyMap<string, Entity>;
  setNode(id: string, held: HeldNode): void;
  setLink(link: Entity): void;
  /** Takes a node away, and all links on it. */
  dropNode(id: string): void;
  dropLink(id: string): void;
  entity(kind: Kind, id: string): Entity | undefined;
  linksOn(nodeId: string): Iterable<string>;
  /** Whether a link that is here blocks the node (BLK1); of its target's independence the status tells. */
  hasBlocker(nodeId: string): boolean;
  clear(): void;
}

const PRIMARY = 0;
const COMPLETED = 3;

/** `touched` is told of each entity that comes, changes or goes. */
export function createEntities(touched: (kind: Kind, id: string) => void): Entities {
  const nodes = new Map<string, HeldNode>();
  const links = new Map<string, Entity>();
  const incident = new Map<string, Set<string>>();
  const endsOf = ({ source, target }: Entity) => [String(source), String(target)];
  const linksOn = (nodeId: string) => incident.get(nodeId) ?? [];
  const dropLink = (id: string) => {
    const link = links.get(id);
    if (link === undefined) return;
    for (const end of endsOf(link)) {
      const there = incident.get(end);
      there?.delete(id);
      if (there?.size === 0) incident.delete(end);
    }
    links.delete(id);
    touched('links', id);
  };
  return {
    nodes,
    links,
    setNode(id, held) {
      nodes.set(id, held);
      touched('nodes', id);
    },
    setLink(link) {
      const known = links.get(link.id);
      if (known !== undefined && endsOf(known).join() !== endsOf(link).join()) dropLink(link.id);
      links.set(link.id, link);
      for (const end of endsOf(link)) incident.set(end, (incident.get(end) ?? new Set()).add(link.id));
      touched('links', link.id);
    },
    dropNode(id) {
      for (const link of [...(incident.get(id) ?? [])]) dropLink(link);
      if (nodes.delete(id)) touched('nodes', id);
    },
    dropLink,
    entity: (kind, id) => (kind === 'nodes' ? nodes.get(id)?.entity : links.get(id)),
    linksOn,
    hasBlocker: (nodeId) =>
      [...linksOn(nodeId)].some((id) => {
        const { source, target, type } = links.get(id) as Entity;
        const blocker = nodes.get(String(source))?.entity;
        return target === nodeId && type === PRIMARY && blocker !== undefined && blocker.status !== COMPLETED;
      }),
    clear() {
      for (const id of [...links.keys()]) dropLink(id);
      for (const id of nodes.keys()) touched('nodes', id);
      nodes.clear();
    },
  };
}
