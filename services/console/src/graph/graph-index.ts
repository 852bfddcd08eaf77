// An index over a replica: the links of each node, the roots, and the number of nodes by status. Each change
// costs as much as the changed entity, whatever the size of the graph.
import type { Entity, Replica } from '@taskgraph/client';
import { isPrimary, type Link, linkOf, taskOf } from './task.ts';

/** The number of nodes by status: Available, In progress, Blocked, Completed. */
export type StatusCounts = readonly [number, number, number, number];

/** Lists and counts are the same objects until they change. */
export interface GraphIndex {
  /** The links that lead to a node. */
  incoming(id: string): readonly Link[];
  /** The links that lead away from a node. */
  outgoing(id: string): readonly Link[];
  counts(): StatusCounts;
  /** The ids of the nodes for which no other waits, in order: no primary link leads away from them. */
  roots(): readonly string[];
  /** Grows whenever a node or link comes or goes, or a link leads elsewhere or changes its kind. */
  structure(): number;
  /** Ends the index. */
  stop(): void;
}

type IndexedReplica = Pick<Replica, 'snapshot' | 'on'>;
type End = 'source' | 'target';

const NO_LINKS: readonly Link[] = [];

export function createGraphIndex(replica: IndexedReplica): GraphIndex {
  const links = new Map<string, Link>();
  let lists: Readonly<Record<End, Map<string, readonly Link[]>>>;
  const statuses = new Map<string, number>();
  const rootIds = new Set<string>();
  let roots: readonly string[] | null = null;
  let counts: StatusCounts = [0, 0, 0, 0];
  let structure = 0;

  function count(status: number | undefined, by: 1 | -1): void {
    if (status !== undefined) counts = counts.map((each, place) => each + (place === status ? by : 0)) as never;
  }
  function checkRoot(id: string): void {
    const isRoot = statuses.has(id) && !(lists.source.get(id) ?? NO_LINKS).some(isPrimary);
    if (isRoot === rootIds.has(id)) return;
    if (isRoot) rootIds.add(id);
    else rootIds.delete(id);
    roots = null;
  }
  // An entity of the first snapshot may be reported again, so each step replaces what is known.
  function setNode(node: Entity): void {
    const { id, status } = taskOf(node);
    if (statuses.get(id) === status) return;
    if (!statuses.has(id)) structure++;
    count(statuses.get(id), -1);
    statuses.set(id, status);
    count(status, 1);
    checkRoot(id);
  }
  function removeNode(id: string): void {
    count(statuses.get(id), -1);
    if (statuses.delete(id)) structure++;
    checkRoot(id);
  }
  /** The first snapshot as a whole: lists that grow in place take half the time of single changes. */
  function fill(): void {
    const { nodes, links: first } = replica.snapshot();
    const numbers = [0, 0, 0, 0];
    for (const node of nodes.values()) {
      const { id, status } = taskOf(node);
      statuses.set(id, status);
      numbers[status] = (numbers[status] ?? 0) + 1;
      rootIds.add(id);
    }
    counts = numbers as never;
    const growing: Readonly<Record<End, Map<string, Link[]>>> = { source: new Map(), target: new Map() };
    for (const entity of first.values()) {
      const link = linkOf(entity);
      links.set(link.id, link);
      if (isPrimary(link)) rootIds.delete(link.source);
      for (const end of ['source', 'target'] as const) {
        const list = growing[end].get(link[end]);
        if (list === undefined) growing[end].set(link[end], [link]);
        else list.push(link);
      }
    }
    lists = growing;
  }
  function removeLink(id: string): void {
    const known = links.get(id);
    links.delete(id);
    if (known === undefined) return;
    structure++;
    for (const end of ['source', 'target'] as const) {
      const left = (lists[end].get(known[end]) ?? NO_LINKS).filter((each) => each.id !== id);
      if (left.length === 0) lists[end].delete(known[end]);
      else lists[end].set(known[end], left);
    }
    checkRoot(known.source);
  }
  function setLink(entity: Entity): void {
    const link = linkOf(entity);
    const known = links.get(link.id);
    if (known === link) return;
    const before = structure;
    removeLink(link.id);
    // A link also changes when its source is completed, which moves nothing.
    structure = known !== undefined && isSamePlace(known, link) ? before : structure + 1;
    links.set(link.id, link);
    for (const end of ['source', 'target'] as const) {
      lists[end].set(link[end], [...(lists[end].get(link[end]) ?? NO_LINKS), link]);
    }
    checkRoot(link.source);
  }

  fill();
  const ends = [
    replica.on('node:added', ({ node }) => setNode(node)),
    replica.on('node:changed', ({ node }) => setNode(node)),
    replica.on('node:removed', ({ id }) => removeNode(id)),
    replica.on('link:added', ({ link }) => setLink(link)),
    replica.on('link:changed', ({ link }) => setLink(link)),
    replica.on('link:removed', ({ id }) => removeLink(id)),
  ];
  return {
    incoming: (id) => lists.target.get(id) ?? NO_LINKS,
    outgoing: (id) => lists.source.get(id) ?? NO_LINKS,
    counts: () => counts,
    structure: () => structure,
    roots() {
      roots ??= [...rootIds].sort();
      return roots;
    },
    stop() {
      for (const end of ends) end();
    },
  };
}

function isSamePlace(one: Link, other: Link): boolean {
  return one.source === other.source && one.target === other.target && one.type === other.type;
}
