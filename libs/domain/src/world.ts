// The loaded part of the graph that a group of commands is decided on, and the draft in which one command tries its changes.
import { LinkType } from '@taskgraph/wire/codes';
import { branchFeed, nodeFeed } from '@taskgraph/wire/messages';
import { conveys } from './access.ts';
import { type Change, grantKey } from './change.ts';
import type { StoredBatch } from './history.ts';
import type { FeedState, GrantState, LinkState, NodeState } from './state.ts';

/** What a command wants loaded. A hint: whatever `decide` touches beyond it is loaded by another round. */
export interface Needs {
  readonly nodes?: readonly string[];
  /** Links by id, with both end nodes. */
  readonly links?: readonly string[];
  /** All links on these nodes, trashed ones included, with the nodes at their other ends. */
  readonly linksOn?: readonly string[];
  /** All links, trashed ones included, between two nodes. */
  readonly between?: readonly (readonly [string, string])[];
  /** Active primary links that leave these nodes, with their target nodes. */
  readonly targetsOf?: readonly string[];
  /** All active primary links that reach these nodes, with their source nodes. */
  readonly sourcesOf?: readonly string[];
  /** Some links that block these nodes, with their source nodes: enough to show who blocks. */
  readonly blockersOf?: readonly string[];
  /** All that active primary links reach from these nodes. */
  readonly closuresOf?: readonly string[];
  /** Whether a path of active primary links leads from one node to another; `without` leaves one link out. */
  readonly paths?: readonly { readonly from: string; readonly to: string; readonly without?: string }[];
  /** Nodes whose feeds are wanted, but not the nodes themselves. */
  readonly members?: readonly string[];
  /** All that belongs below these nodes over conveying links, with its feeds and conveying links, for moves of membership. */
  readonly below?: readonly string[];
  /** Feeds by name. */
  readonly feeds?: readonly string[];
  /** Grants by key. */
  readonly grants?: readonly string[];
  /** What a reader's grants give on a node: the grants on it and on the roots of the branches that it belongs to. */
  readonly access?: readonly Access[];
  /** The same for both ends of a link. */
  readonly linkAccess?: readonly Access[];
  /** How many active links a user has on a node. */
  readonly linksBy?: readonly { readonly node: string; readonly owner: string }[];
  /** All grants on these nodes, with their grantees. */
  readonly grantsOn?: readonly string[];
  /** Grants, by key, whose copies are wanted, and their copies' copies (NODE3). */
  readonly copiesOf?: readonly string[];
  /** E-mails whose users are wanted. */
  readonly principals?: readonly string[];
  /** Batches by id. */
  readonly batches?: readonly string[];
  /** Batches that touched an entity after a timestamp, the newest ones, to name who changed it since. */
  readonly laterThan?: readonly { readonly entity: string; readonly ts: string }[];
}

/** A node or link, and a reader whose grants on it are wanted. */
export interface Access {
  readonly id: string;
  readonly readerId: string;
  readonly email: string;
}

/** Thrown by a draft that is asked for something that is not loaded; the group loads it under the same locks and decides again. */
export class Unloaded extends Error {
  readonly needs: Needs;
  constructor(needs: Needs) {
    super(`not loaded: ${JSON.stringify(needs)}`);
    this.needs = needs;
  }
}

/** Thrown where users turn out to be concerned that the group has not locked: it starts again with them. */
export class Unlocked extends Error {
  readonly users: readonly string[];
  constructor(users: readonly string[]) {
    super(`not locked: ${users.join(', ')}`);
    this.users = users;
  }
}

/** Active primary links that reach a node. */
export interface Inbound {
  readonly links: ReadonlySet<string>;
  /** False where the list was cut for display. */
  readonly exhaustive: boolean;
}

export function pairKey(one: string, other: string): string {
  return one < other ? `${one}|${other}` : `${other}|${one}`;
}

/** What is loaded. Absent from a map means not loaded; null means that it does not exist. */
export interface World {
  readonly nodes: Map<string, NodeState | null>;
  readonly links: Map<string, LinkState | null>;
  /** Active links on a node, both types and directions. */
  readonly degrees: Map<string, number>;
  /** By pairKey of a node and a user: how many of the active links on the node are the user's. */
  readonly linksBy: Map<string, number>;
  /** Ids of all links on a node, trashed ones included. */
  readonly linksOn: Map<string, ReadonlySet<string>>;
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
  readonly conveyedInto: Map<string, ReadonlyMap<string, string>>;
  /** Conveying links that leave a node: link id to target id, complete. */
  readonly conveyedFrom: Map<string, ReadonlyMap<string, string>>;
  readonly feeds: Map<string, FeedState | null>;
  /** By grantKey. */
  readonly grants: Map<string, GrantState | null>;
  /** By node: the keys of all grants on it. */
  readonly grantsOn: Map<string, ReadonlySet<string>>;
  /** By grantKey: the keys of all grants copied from it. */
  readonly copies: Map<string, ReadonlySet<string>>;
  /** By e-mail: the id of its user, null where nobody has it yet. */
  readonly principals: Map<string, string | null>;
  /** By e-mail: how many grants it has. */
  readonly grantCounts: Map<string, number>;
  readonly batches: Map<string, StoredBatch | null>;
  /** By entity: newest first, what touched it after some timestamp. */
  readonly later: Map<string, readonly StoredBatch[]>;
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
    between: new Map(),
    primaryFrom: new Map(),
    primaryInto: new Map(),
    paths: new Map(),
    members: new Map(),
    owners: new Map(),
    conveyedInto: new Map(),
    conveyedFrom: new Map(),
    feeds: new Map(),
    grants: new Map(),
    grantsOn: new Map(),
    copies: new Map(),
    principals: new Map(),
    grantCounts: new Map(),
    batches: new Map(),
    later: new Map(),
  };
}

/** A layer over a world: reads fall through, writes stay in the layer. Layers make trying and discarding cheap. */
export function layerOver(world: World): World {
  const layer: Record<string, Map<string, unknown>> = {};
  for (const [name, map] of Object.entries(world)) layer[name] = new LayeredMap(map as Map<string, unknown>);
  return layer as unknown as World;
}

class LayeredMap<K, V> extends Map<K, V> {
  readonly #below: Map<K, V>;
  constructor(below: Map<K, V>) {
    super();
    this.#below = below;
  }
  override get(key: K): V | undefined {
    return super.has(key) ? super.get(key) : this.#below.get(key);
  }
  override has(key: K): boolean {
    return super.has(key) || this.#below.has(key);
  }
}

/** Writes one change into a world, keeping the indexes that are loaded in step. */
export function applyChange(world: World, change: Change): void {
  switch (change.kind) {
    case 'counter': {
      const node = world.nodes.get(change.id);
      if (node) world.nodes.set(change.id, { ...node, openBlockers: change.openBlockers });
      return;
    }
    case 'mark': {
      const link = world.links.get(change.id);
      if (link) world.links.set(change.id, { ...link, trashedWithNode: false });
      return;
    }
    case 'node':
      world.nodes.set(change.id, change.after);
      if (change.before === null) indexNewNode(world, change.id);
      return;
    case 'link':
      world.links.set(change.id, change.after);
      if (change.before !== null) unindexLink(world, change.before);
      if (change.after !== null) indexLink(world, change.after);
      else if (change.before !== null) forgetLink(world, change.before);
      return;
    case 'grant':
      applyGrant(world, change.before, change.after);
      return;
    case 'showing': {
      const key = grantKey(change.id, change.email);
      const grant = world.grants.get(key);
      if (grant) world.grants.set(key, { ...grant, showing: change.showing });
      return;
    }
    case 'member': {
      const rows = new Map(world.members.get(change.id));
      if (change.after === null) rows.delete(change.feed);
      else rows.set(change.feed, change.after.via);
      world.members.set(change.id, rows);
      return;
    }
    case 'feed':
      world.feeds.set(change.id, change.after);
      return;
    case 'undone': {
      const batch = world.batches.get(change.id);
      if (batch) world.batches.set(change.id, { ...batch, undone: change.undone });
    }
  }
}

function applyGrant(world: World, before: GrantState | null, after: GrantState | null): void {
  const grant = after ?? before;
  if (grant === null) return;
  const key = grantKey(grant.nodeId, grant.email);
  world.grants.set(key, after);
  const copy = (into: Map<string, ReadonlySet<string>>, at: string, present: boolean) => {
    const known = into.get(at);
    if (known) into.set(at, present ? new Set(known).add(key) : without(known, key));
  };
  copy(world.grantsOn, grant.nodeId, after !== null);
  if (before === null && !world.copies.has(key)) world.copies.set(key, new Set());
  for (const [state, present] of [[before, false] as const, [after, true] as const]) {
    if (state !== null && state.copyOf !== null) copy(world.copies, grantKey(state.copyOf, state.email), present);
  }
}

function indexNewNode(world: World, id: string): void {
  world.degrees.set(id, 0);
  world.linksOn.set(id, new Set());
  world.primaryFrom.set(id, new Map());
  world.primaryInto.set(id, { links: new Set(), exhaustive: true });
  world.members.set(id, new Map());
  world.conveyedInto.set(id, new Map());
  world.conveyedFrom.set(id, new Map());
  world.grantsOn.set(id, new Set());
  for (const feed of [branchFeed(id), nodeFeed(id)]) world.feeds.set(feed, null);
}

function unindexLink(world: World, link: LinkState): void {
  if (link.inTrash) return;
  shiftDegree(world, link, -1);
  if (conveys(link)) {
    dropFrom(world.conveyedInto, link.target, link.id);
    dropFrom(world.conveyedFrom, link.source, link.id);
  }
  if (link.type !== LinkType.PRIMARY) return;
  dropFrom(world.primaryFrom, link.source, link.id);
  const into = world.primaryInto.get(link.target);
  if (into) {
    const links = new Set(into.links);
    links.delete(link.id);
    world.primaryInto.set(link.target, { links, exhaustive: into.exhaustive });
  }
}

function indexLink(world: World, link: LinkState): void {
  const pair = pairKey(link.source, link.target);
  const known = world.between.get(pair);
  if (known && !known.has(link.id)) world.between.set(pair, new Set(known).add(link.id));
  for (const end of [link.source, link.target]) {
    const links = world.linksOn.get(end);
    if (links && !links.has(link.id)) world.linksOn.set(end, new Set(links).add(link.id));
  }
  if (link.inTrash) return;
  shiftDegree(world, link, 1);
  if (conveys(link)) {
    putInto(world.conveyedInto, link.target, link.id, link.source);
    putInto(world.conveyedFrom, link.source, link.id, link.target);
  }
  if (link.type !== LinkType.PRIMARY) return;
  putInto(world.primaryFrom, link.source, link.id, link.target);
  const into = world.primaryInto.get(link.target);
  if (into)
    world.primaryInto.set(link.target, { links: new Set(into.links).add(link.id), exhaustive: into.exhaustive });
}

type LinkIndex = Map<string, ReadonlyMap<string, string>>;

/** Only what is loaded is kept in step: a list that is not there stays so. */
function putInto(index: LinkIndex, at: string, link: string, other: string): void {
  const known = index.get(at);
  if (known) index.set(at, new Map(known).set(link, other));
}

function dropFrom(index: LinkIndex, at: string, link: string): void {
  const known = index.get(at);
  if (!known) return;
  const left = new Map(known);
  left.delete(link);
  index.set(at, left);
}

/** Takes a deleted link out of the indexes that hold trashed links too. */
function forgetLink(world: World, link: LinkState): void {
  const pair = pairKey(link.source, link.target);
  const between = world.between.get(pair);
  if (between) world.between.set(pair, without(between, link.id));
  for (const end of [link.source, link.target]) {
    const links = world.linksOn.get(end);
    if (links) world.linksOn.set(end, without(links, link.id));
  }
}

function without(ids: ReadonlySet<string>, id: string): ReadonlySet<string> {
  return new Set([...ids].filter((other) => other !== id));
}

function shiftDegree(world: World, link: LinkState, by: number): void {
  for (const end of [link.source, link.target]) {
    const degree = world.degrees.get(end);
    if (degree !== undefined) world.degrees.set(end, degree + by);
    const owned = pairKey(end, link.ownerId);
    const known = world.linksBy.get(owned);
    if (known !== undefined) world.linksBy.set(owned, known + by);
  }
}

/** The key under which a path that the database found is kept. */
export function pathKey(from: string, to: string, without: string | undefined): string {
  return `${from}|${to}|${without ?? ''}`;
}
