// The loads and locks that a decision needs: named before it begins, or thrown when it touches
// missing data.

/**
 * The kinds of loads. A walk may load more than a group may hold, so its item names the start; a
 * look-up returns null. Each kind has a loader in `libs/graph-store/src/commit/load`.
 */
const KINDS = {
  nodes: lookUp<string>(),
  /** Links by id, with both end nodes. */
  links: lookUp<string>(),
  /** All links on these nodes, including trashed ones, with the nodes at their other ends. */
  linksOn: walk((id: string) => id),
  /** All active links on these nodes, with the nodes at their other ends. */
  activeOn: walk((id: string) => id),
  /**
   * All links on these nodes that were trashed with a node and have an active other end, with that
   * end and its number of links.
   */
  returningOn: walk((id: string) => id),
  /** All links between two nodes, including trashed ones. */
  between: lookUp<readonly [string, string]>(),
  /** Active primary links from these nodes, with their target nodes. */
  targetsOf: walk((id: string) => id),
  /** All active primary links to these nodes, with their source nodes. */
  sourcesOf: walk((id: string) => id),
  /** Some links that block these nodes, with their source nodes, for display. */
  blockersOf: lookUp<string>(),
  /** Everything that active primary links reach from these nodes. */
  closuresOf: walk((id: string) => id),
  /** A path of active primary links from one node to another; `without` excludes one link. */
  paths: walk(({ from }: { readonly from: string; readonly to: string; readonly without?: string }) => from),
  /** The feeds of these nodes, without the nodes. */
  members: lookUp<string>(),
  /** Active public links on these nodes, with the feeds of the nodes at their other ends. */
  neighbours: walk((id: string) => id),
  /**
   * The nodes below these over propagating links, with their feeds and propagating links, for
   * membership changes.
   */
  below: walk((id: string) => id),
  /** Feeds by name. */
  feeds: lookUp<string>(),
  /** Grants by key. */
  grants: lookUp<string>(),
  /** The grants that give a reader access to a node: those on it and on its share roots. */
  access: lookUp<Access>(),
  /** The same for both ends of a link. */
  linkAccess: lookUp<Access>(),
  /** The number of a user's active links on a node. */
  linksBy: lookUp<{ readonly node: string; readonly owner: string }>(),
  /** All grants on these nodes, with their grantees. */
  grantsOn: walk((id: string) => id),
  /** The copies of grants, by key, and the copies of those copies (NODE3). */
  copiesOf: lookUp<string>(),
  /**
   * The number of an e-mail's grants on the nodes of a node's owner. `owner` is set if the node is
   * not stored yet.
   */
  grantsTo: lookUp<{ readonly node: string; readonly email: string; readonly owner?: string }>(),
  /** The users of e-mails, locked, because their grants may be written. */
  principals: lookUp<string>(),
  /** The users of e-mails, without a lock: an e-mail keeps its user. */
  readers: lookUp<string>(),
  /** Batches by id. One may have more changes than a group may load. */
  batches: walk((id: string) => id),
  /** Batches by id, without their changes. */
  batchHeads: lookUp<string>(),
  /** The users who may learn of deleted entities, by the entities' ids. */
  deleted: lookUp<string>(),
  /** The newest batches that touched an entity after another batch. Conflicts name them. */
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

/** The read set of a command. It is a hint: if `decide` needs more, another round loads it. */
export type ReadSet = { readonly [K in ReadKind]?: readonly ReadItem<K>[] };

/** A node or link, and the reader whose grants on it are needed. */
export interface Access {
  readonly id: string;
  readonly readerId: string;
  readonly email: string;
}

/** The number of items. */
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

/** Whether an item starts a walk that exceeded the bound. */
export function touches(readSet: ReadSet, overflowing: ReadonlySet<string>): boolean {
  return Object.entries(readSet).some(([kind, items]) => {
    const startOf = KINDS[kind as ReadKind] as (item: unknown) => string | null;
    return items.some((item) => overflowing.has(startOf(item) ?? ''));
  });
}

/**
 * Thrown when a decision touches missing data. The group loads it under the same locks and decides
 * again.
 */
export class NotLoaded extends Error {
  readonly readSet: ReadSet;
  constructor(readSet: ReadSet) {
    super(`not loaded: ${JSON.stringify(readSet)}`);
    this.readSet = readSet;
  }
}

/**
 * Thrown when a decision concerns users that the group has not locked. The group starts again with
 * them.
 */
export class NotLocked extends Error {
  readonly users: readonly string[];
  constructor(users: readonly string[]) {
    super(`not locked: ${users.join(', ')}`);
    this.users = users;
  }
}
