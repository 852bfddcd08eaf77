// Wishes of decisions for loads and locks, said before they begin or, by throwing, when they touch it.

/**
 * Every kind of load, and from which node, or batch, an item of it walks on: null where it looks nothing but itself up. A load that starts at
 * one may bring more than a group may load. How each is loaded stands in a file of its own below `libs/graph-store/src/commit/load`.
 */
const KINDS = {
  nodes: lookUp<string>(),
  /** Links by id, with both end nodes. */
  links: lookUp<string>(),
  /** All links on these nodes, trashed ones included, with the nodes at their other ends. */
  linksOn: walk((id: string) => id),
  /** All active links on these nodes, with the nodes at their other ends. */
  activeOn: walk((id: string) => id),
  /** All links on these nodes that were trashed with a node and whose other end is active, with that and its number of links. */
  returningOn: walk((id: string) => id),
  /** All links, trashed ones included, between two nodes. */
  between: lookUp<readonly [string, string]>(),
  /** Active primary links that leave these nodes, with their target nodes. */
  targetsOf: walk((id: string) => id),
  /** All active primary links that reach these nodes, with their source nodes. */
  sourcesOf: walk((id: string) => id),
  /** Some links that block these nodes, with their source nodes: enough to show who blocks. */
  blockersOf: lookUp<string>(),
  /** All that active primary links reach from these nodes. */
  closuresOf: walk((id: string) => id),
  /** Whether a path of active primary links leads from one node to another; `without` leaves one link out. */
  paths: walk(({ from }: { readonly from: string; readonly to: string; readonly without?: string }) => from),
  /** Nodes whose feeds are wanted, but not the nodes themselves. */
  members: lookUp<string>(),
  /** Active links on these nodes that are not private, with the nodes at their other ends as far as their feeds tell. */
  neighbours: walk((id: string) => id),
  /** All that belongs below these nodes over conveying links, with its feeds and conveying links, for moves of membership. */
  below: walk((id: string) => id),
  /** Feeds by name. */
  feeds: lookUp<string>(),
  /** Grants by key. */
  grants: lookUp<string>(),
  /** The access that a reader's grants give on a node: the grants on it and on the roots of the branches that it belongs to. */
  access: lookUp<Access>(),
  /** The same for both ends of a link. */
  linkAccess: lookUp<Access>(),
  /** How many active links a user has on a node. */
  linksBy: lookUp<{ readonly node: string; readonly owner: string }>(),
  /** All grants on these nodes, with their grantees. */
  grantsOn: walk((id: string) => id),
  /** Grants, by key, whose copies are wanted, and their copies' copies (NODE3). */
  copiesOf: lookUp<string>(),
  /** How many grants an e-mail has on the nodes of a node's owner, who is named where the node is not stored yet. */
  grantsTo: lookUp<{ readonly node: string; readonly email: string; readonly owner?: string }>(),
  /** E-mails whose users are wanted, and whose grants may be written: they are locked. */
  principals: lookUp<string>(),
  /** E-mails whose users are wanted, and no lock: an e-mail that has a user keeps it. */
  readers: lookUp<string>(),
  /** Batches by id. The changes of one may be more than a group may load. */
  batches: walk((id: string) => id),
  /** Batches by id, without their changes. */
  batchHeads: lookUp<string>(),
  /** Entities that were deleted for good, by id, with those who may know that they were there. */
  deleted: lookUp<string>(),
  /** The newest of the batches that touched an entity since another batch, to name who changed it since. */
  laterThan: lookUp<{ readonly entity: string; readonly batch: string; readonly ts: string }>(),
};

type Kind<T> = (item: T) => string | null;

function lookUp<T>(): Kind<T> {
  return () => null;
}

function walk<T>(startOf: (item: T) => string): Kind<T> {
  return startOf;
}

export type ReadKind = keyof typeof KINDS;
export type ReadItem<K extends ReadKind> = Parameters<(typeof KINDS)[K]>[0];

/** The read set of a command. A hint: whatever `decide` touches beyond it is loaded by another round. */
export type ReadSet = { readonly [K in ReadKind]?: readonly ReadItem<K>[] };

/** A node or link, and a reader whose grants on it are wanted. */
export interface Access {
  readonly id: string;
  readonly readerId: string;
  readonly email: string;
}

/** How many things are asked for. */
export function sizeOf(readSet: ReadSet): number {
  return Object.values(readSet).reduce((sum, items) => sum + items.length, 0);
}

export function mergeReadSets(all: readonly ReadSet[]): ReadSet {
  const merged: Record<string, unknown[]> = {};
  for (const readSet of all) {
    for (const [kind, items] of Object.entries(readSet)) {
      merged[kind] ??= [];
      for (const item of items) merged[kind].push(item);
    }
  }
  return merged as ReadSet;
}

/** Whether anything is asked from a start whose surroundings pass the bound. */
export function touches(readSet: ReadSet, overflowing: ReadonlySet<string>): boolean {
  return Object.entries(readSet).some(([kind, items]) => {
    const startOf = KINDS[kind as ReadKind] as (item: unknown) => string | null;
    return items.some((item) => overflowing.has(startOf(item) ?? ''));
  });
}

/** Thrown by a draft that is asked for something that is not loaded; the group loads it under the same locks and decides again. */
export class NotLoaded extends Error {
  readonly readSet: ReadSet;
  constructor(readSet: ReadSet) {
    super(`not loaded: ${JSON.stringify(readSet)}`);
    this.readSet = readSet;
  }
}

/** Thrown where users turn out to be concerned that the group has not locked: it starts again with them. */
export class NotLocked extends Error {
  readonly users: readonly string[];
  constructor(users: readonly string[]) {
    super(`not locked: ${users.join(', ')}`);
    this.users = users;
  }
}
