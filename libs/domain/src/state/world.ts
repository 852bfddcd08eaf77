// The world: the loaded part of the graph on which a group is decided, and layers for tentative
// changes.
import type { BatchHead, LaterBatch, StoredBatch } from './batch.ts';
import type { FeedState, GrantState, LinkState, NodeState } from './state.ts';
import type { Work } from './work.ts';

/** Active primary links that reach a node. */
export interface InboundLinks {
  readonly links: ReadonlySet<string>;
  /** False if the list was shortened for display. */
  readonly exhaustive: boolean;
}

export function pairKey(one: string, other: string): string {
  return one < other ? `${one}|${other}` : `${other}|${one}`;
}

/** An entry that is absent is not loaded; null means that the entity does not exist. */
export interface World {
  readonly nodes: Map<string, NodeState | null>;
  readonly links: Map<string, LinkState | null>;
  /** The number of active links on a node, of both types and directions. */
  readonly degrees: Map<string, number>;
  /** By pairKey of a node and a user: the number of the user's active links on the node. */
  readonly linksBy: Map<string, number>;
  /** Ids of all links on a node, including trashed ones. */
  readonly linksOn: Map<string, ReadonlySet<string>>;
  /** Ids of the active links on a node. */
  readonly activeOn: Map<string, ReadonlySet<string>>;
  /**
   * Ids of trashed links on a node that may return with it (TRS3), and perhaps of other links on
   * it.
   */
  readonly returningOn: Map<string, ReadonlySet<string>>;
  /** By pairKey: ids of all links between two nodes. */
  readonly between: Map<string, ReadonlySet<string>>;
  /** All active primary links from a node: link id to target id. */
  readonly primaryFrom: Map<string, ReadonlyMap<string, string>>;
  /** Active primary links to a node: all if `exhaustive`, otherwise some for display. */
  readonly primaryInto: Map<string, InboundLinks>;
  /** By pathKey: a shortest path that the database found, for graphs that are too large to load. */
  readonly paths: Map<string, readonly string[] | null>;
  /** By node: all its feeds, each with the link that gave it; null for the feed's own node. */
  readonly members: Map<string, Rows>;
  /** Owners of nodes that were only visited by a walk. */
  readonly owners: Map<string, string>;
  /** All propagating links to a node: link id to source id. */
  readonly propagatingInto: Map<string, ReadonlyMap<string, string>>;
  /** All propagating links from a node: link id to target id. */
  readonly propagatingFrom: Map<string, ReadonlyMap<string, string>>;
  /** All active public links on a node: link id to the id at the other end. */
  readonly neighbours: Map<string, ReadonlyMap<string, string>>;
  readonly feeds: Map<string, FeedState | null>;
  /** By grantKey. */
  readonly grants: Map<string, GrantState | null>;
  /** By node: the keys of all grants on it. */
  readonly grantsOn: Map<string, ReadonlySet<string>>;
  /** By grantKey: the keys of all grants copied from it. */
  readonly copies: Map<string, ReadonlySet<string>>;
  /** By e-mail: the id of its user, read under a lock; null if there is none. */
  readonly principals: Map<string, string | null>;
  /** By e-mail: the id of its user, read without a lock. A user is final; null may change. */
  readonly readers: Map<string, string | null>;
  /** By countKey: the number of an e-mail's grants on an owner's nodes. */
  readonly grantCounts: Map<string, number>;
  readonly batches: Map<string, StoredBatch | null>;
  /** Batches that were loaded without their changes. */
  readonly batchHeads: Map<string, BatchHead | null>;
  /** By the id of a deleted entity: ids of the users who may learn that it existed (TRS5). */
  readonly deleted: Map<string, readonly string[]>;
  /** By entity: the batches that touched it after others. */
  readonly later: Map<string, LaterBatches>;
}

/** Batches that touched one entity. */
export interface LaterBatches {
  /** By the id of a batch: the newest stored batches after it, newest first. */
  readonly since: ReadonlyMap<string, readonly LaterBatch[]>;
  /** Batches of the current group, newest first. */
  readonly made: readonly LaterBatch[];
}

/** The feeds of a node, each with the link that gave it. The owner's `user:` feed is implied. */
export type Rows = ReadonlyMap<string, string | null>;

export function emptyWorld(): World {
  return {
    nodes: new Map(),
    links: new Map(),
    degrees: new Map(),
    linksBy: new Map(),
    linksOn: new Map(),
    activeOn: new Map(),
    returningOn: new Map(),
    between: new Map(),
    primaryFrom: new Map(),
    primaryInto: new Map(),
    paths: new Map(),
    members: new Map(),
    owners: new Map(),
    propagatingInto: new Map(),
    propagatingFrom: new Map(),
    neighbours: new Map(),
    feeds: new Map(),
    grants: new Map(),
    grantsOn: new Map(),
    copies: new Map(),
    principals: new Map(),
    readers: new Map(),
    grantCounts: new Map(),
    batches: new Map(),
    batchHeads: new Map(),
    deleted: new Map(),
    later: new Map(),
  };
}

type ValueOf<M> = M extends Map<string, infer V> ? V : never;

/** A look-up for each map of a world; undefined for an unknown key. */
export type WorldLookups = { readonly [K in keyof World]?: (key: string) => ValueOf<World[K]> | undefined };

/** A world whose reads fall back to look-ups. Its maps hold only the values that were set. */
export function worldFromLookups(lookups: WorldLookups): World {
  const world: Record<string, Map<string, unknown>> = { ...emptyWorld() };
  for (const [name, lookup] of Object.entries(lookups)) world[name] = new LookupMap<unknown>(lookup);
  return world as unknown as World;
}

class LookupMap<V> extends Map<string, V> {
  readonly #lookup: (key: string) => V | undefined;
  constructor(lookup: (key: string) => V | undefined) {
    super();
    this.#lookup = lookup;
  }
  override get(key: string): V | undefined {
    return super.has(key) ? super.get(key) : this.#lookup(key);
  }
  override has(key: string): boolean {
    return super.has(key) || this.#lookup(key) !== undefined;
  }
}

/**
 * A layer over a world: reads fall through, writes stay in the layer. So a tentative change is
 * cheap to discard. `work` counts the lists that the layer copies.
 */
export function layerOver(world: World, work: Work | null = null): World {
  const layer: Record<string, Map<string, unknown>> = {};
  for (const [name, map] of Object.entries(world)) layer[name] = new LayeredMap(map as Map<string, unknown>, work);
  return layer as unknown as World;
}

/**
 * Moves a layer's values into the world directly below it. No other layer over that world may be in
 * use, and this one must not be used again.
 */
export function mergeLayer(world: World, layer: World): void {
  for (const [name, map] of Object.entries(layer)) {
    const below = world[name as keyof World] as Map<string, unknown>;
    for (const [key, value] of map as Map<string, unknown>) below.set(key, value);
  }
}

class LayeredMap<K, V> extends Map<K, V> {
  readonly #below: Map<K, V>;
  readonly work: Work | null;
  constructor(below: Map<K, V>, work: Work | null) {
    super();
    this.#below = below;
    this.work = work;
  }
  override get(key: K): V | undefined {
    return super.has(key) ? super.get(key) : this.#below.get(key);
  }
  override has(key: K): boolean {
    return super.has(key) || this.#below.has(key);
  }
  /** Whether the value belongs to this layer and does not fall through. */
  hasOwn(key: K): boolean {
    return super.has(key);
  }
}

/**
 * A list of the world that may be changed in place; undefined if it is not loaded. A layer copies a
 * list once and then changes its own copy, because one copy per change would make a node of 10,000
 * links cost the square of that.
 */
export function writableList<V extends object>(
  lists: Map<string, V>,
  key: string,
  copyOf: (list: V) => V,
): V | undefined {
  const list = lists.get(key);
  if (list === undefined || (lists instanceof LayeredMap && lists.hasOwn(key))) return list;
  if (lists instanceof LayeredMap) lists.work?.pass(lengthOf(list));
  const own = copyOf(list);
  lists.set(key, own);
  return own;
}

function lengthOf(list: object): number {
  const { size } = 'links' in list ? (list.links as ReadonlySet<string>) : (list as ReadonlySet<string>);
  return size;
}

/** The key of the number of an e-mail's grants on an owner's nodes. */
export function countKey(ownerId: string, email: string): string {
  return `${ownerId}|${email}`;
}

/** The key of a path that the database found. */
export function pathKey(from: string, to: string, without: string | undefined): string {
  return `${from}|${to}|${without ?? ''}`;
}
