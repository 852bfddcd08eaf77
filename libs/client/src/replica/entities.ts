// The nodes and links of a replica's copy, with the feeds of each node and an index of links by
// node.
import type { Entity } from '../merge-diff.ts';

export type Kind = 'nodes' | 'links';

/** A node of the copy. */
export interface NodeRecord {
  entity: Entity;
  /** The feeds that show it, as far as known. */
  readonly via: Set<string>;
  /** No known feed of the reader shows it. It may belong to a feed that is not known yet. */
  isDoubtful: boolean;
  /** Its level follows from the levels of its feeds, since the service has not sent it yet. */
  isLevelDerived: boolean;
}

export interface Entities {
  readonly nodes: ReadonlyMap<string, NodeRecord>;
  readonly links: ReadonlyMap<string, Entity>;
  setNode(id: string, record: NodeRecord): void;
  setLink(link: Entity): void;
  /** Adds a node to a feed, if the copy has the node. */
  joinFeed(id: string, feed: string): void;
  /** Takes a node out of a feed, but leaves it in the copy. Returns whether it was in the feed. */
  leaveFeed(id: string, feed: string): boolean;
  /** Removes a node and all links on it. */
  dropNode(id: string): void;
  dropLink(id: string): void;
  entity(kind: Kind, id: string): Entity | undefined;
  linksOn(nodeId: string): Iterable<string>;
  /**
   * Whether a link of the copy blocks the node (BLK1). The status reflects the node's independence.
   */
  hasBlocker(nodeId: string): boolean;
  clear(): void;
}

const PRIMARY = 0;
const COMPLETED = 3;

/** Receives each entity that is added, changed or removed, and each node that leaves a feed. */
export type TouchedListener = (kind: Kind, id: string, hasLeft?: boolean) => void;

export function createEntities(touched: TouchedListener): Entities {
  const nodes = new Map<string, NodeRecord>();
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
    setNode(id, record) {
      nodes.set(id, record);
      touched('nodes', id);
    },
    setLink(link) {
      const known = links.get(link.id);
      if (known !== undefined && endsOf(known).join() !== endsOf(link).join()) dropLink(link.id);
      links.set(link.id, link);
      for (const end of endsOf(link)) incident.set(end, (incident.get(end) ?? new Set()).add(link.id));
      touched('links', link.id);
    },
    joinFeed(id, feed) {
      const via = nodes.get(id)?.via;
      if (via === undefined || via.has(feed)) return;
      via.add(feed);
      touched('nodes', id);
    },
    leaveFeed(id, feed) {
      const wasMember = nodes.get(id)?.via.delete(feed) === true;
      if (wasMember) touched('nodes', id, true);
      return wasMember;
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
