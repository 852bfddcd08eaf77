// The loaded part of the graph that a group of commands is decided on, and the layers in which commands try their changes.
import type { BatchHead, LaterBatch, StoredBatch } from './batch.ts';
import type { FeedState, GrantState, LinkState, NodeState } from './state.ts';
import type { Work } from './work.ts';

/** Active primary links that reach a node. */
export interface Inbound {
  readonly links: ReadonlySet<string>;
  /** False where the list was cut for display. */
  readonly exhaustive: boolean;
}

export function pairKey(one: string, other: string): string {
  return one < other ? `${one}|${other}` : `${other}|${one}`;
}

/** The loaded part. Absent from a map means not loaded; null means that it does not exist. */
export interface World {
  readonly nodes: Map<string, NodeState | null>;
  readonly links: Map<string, LinkState | null>;
  /** Active links on a node, both types and directions. */
  readonly degrees: Map<string, number>;
  /** By pairKey of a node and a user: how many of the active links on the node are the user's. */
  readonly linksBy: Map<string, number>;
  /** Ids of all links on a node, trashed ones included. */
  readonly linksOn: Map<string, ReadonlySet<string>>;
  /** Ids of the active links on a node. */
  readonly activeOn: Map<string, ReadonlySet<string>>;
  /** Ids of the trashed links on a node that may come back with it (TRS3), and perhaps of others on it: judge each. */
  readonly returningOn: Map<string, ReadonlySet<string>>;
  /** By pairKey: ids of all links between the two. */
  readonly between: Map<string, ReadonlySet<string>>;
  /** Active primary links that leave a node: link id to target id, complete. */
  readonly primaryFrom: Map<string, ReadonlyMap<string, string>>;
  /** Active primary links that reach a node. Complete where `exhaustive`, else cut for display. */
  readonly primaryInto: Map<string, Inbound>;
  /** By `from|to|without`: a shortest path found by the database, for graphs too large to load. */
  readonly paths: Map<string, readonly string[] | null>;
  /** By node: the feeds that it belongs to, complete, each with the link that it came by, or null where the feed is the node's own. */
  readonly members: Map<string, Rows>;
  /** Owners of nodes that are known by a walk alone. */
  readonly owners: Map<string, string>;
  /** Conveying links into a node: link id to source id, complete. */
  readonly propagatingInto: Map<string, ReadonlyMap<string, string>>;
  /** Conveying links that leave a node: link id to target id, complete. */
  readonly propagatingFrom: Map<string, ReadonlyMap<string, string>>;
  /** Active links on a node that are not private: link id to the id at the other end, complete. */
  readonly neighbours: Map<string, ReadonlyMap<string, string>>;
  readonly feeds: Map<string, FeedState | null>;
  /** By grantKey. */
  readonly grants: Map<string, GrantState | null>;
  /** By node: the keys of all grants on it. */
  readonly grantsOn: Map<string, ReadonlySet<string>>;
  /** By grantKey: the keys of all grants copied from it. */
  readonly copies: Map<string, ReadonlySet<string>>;
  /** By e-mail: the id of its user, null where nobody has it yet. */
  readonly principals: Map<string, string | null>;
  /** The same as far as it was read without a lock: whom an e-mail has never changes, but that nobody has it may. */
  readonly readers: Map<string, string | null>;
  /** By `owner|e-mail`: how many grants the e-mail has on this owner's nodes. */
  readonly grantCounts: Map<string, number>;
  readonly batches: Map<string, StoredBatch | null>;
  /** Batches of which no more was asked for. */
  readonly batchHeads: Map<string, BatchHead | null>;
  /** By id of what was deleted for good: ids of those who may know that it was there (TRS5). */
  readonly deleted: Map<string, readonly string[]>;
  /** By entity: the batches that touched it since others. */
  readonly later: Map<string, LaterBatches>;
}

/** Batches that touched one entity. */
export interface LaterBatches {
  /** By the id of a batch: the newest of those that are stored and came after it, newest first. */
  readonly since: ReadonlyMap<string, readonly LaterBatch[]>;
  /** Those of the group itself, newest first. */
  readonly made: readonly LaterBatch[];
}

/** The feeds of a node. Its owner's `user:` feed is implied, not listed. */
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

/** A look-up beside each map of a world, by key; undefined where nothing is known. */
export type WorldLookups = { readonly [K in keyof World]?: (key: string) => ValueOf<World[K]> | undefined };

/** A world without anything loaded, whose reads fall through to what is known besides: the maps hold what is put into them alone. */
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
 * A layer over a world: reads fall through, writes stay in the layer. Layers make trying and discarding cheap. `work` counts the lists that
 * are copied into it.
 */
export function layerOver(world: World, work: Work | null = null): World {
  const layer: Record<string, Map<string, unknown>> = {};
  for (const [name, map] of Object.entries(world)) layer[name] = new LayeredMap(map as Map<string, unknown>, work);
  return layer as unknown as World;
}

/** Takes all that a layer holds into the world right below it, of which nothing else was made meanwhile; the layer is done with. */
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
  /** Whether the value is this layer's own, and not one that shines through. */
  hasOwn(key: K): boolean {
    return super.has(key);
  }
}

/**
 * A list of the world that may be changed in place, or undefined where it is not loaded. A layer copies what shines through once, and from
 * then on changes its own: a copy for each change would make a node of 10,000 links cost their square.
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

/** The key under which the grants of one e-mail on one owner's nodes are counted. */
export function countKey(ownerId: string, email: string): string {
  return `${ownerId}|${email}`;
}

/** The key under which a path that the database found is kept. */
export function pathKey(from: string, to: string, without: string | undefined): string {
  return `${from}|${to}|${without ?? ''}`;
}
