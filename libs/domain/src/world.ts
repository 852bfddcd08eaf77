// The loaded part of the graph that a group of commands is decided on, and the draft in which one command tries its changes.
import { LinkType } from '@taskgraph/wire/codes';
import type { Change } from './change.ts';
import type { GrantState, LinkState, NodeState } from './state.ts';

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
}

/** Thrown by a draft that is asked for something that is not loaded; the group loads it under the same locks and decides again. */
export class Unloaded extends Error {
  readonly needs: Needs;
  constructor(needs: Needs) {
    super(`not loaded: ${JSON.stringify(needs)}`);
    this.needs = needs;
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
  readonly grants: readonly GrantState[];
}

export function emptyWorld(): World {
  return {
    nodes: new Map(),
    links: new Map(),
    degrees: new Map(),
    linksOn: new Map(),
    between: new Map(),
    primaryFrom: new Map(),
    primaryInto: new Map(),
    paths: new Map(),
    grants: [],
  };
}

/** A layer over a world: reads fall through, writes stay in the layer. Layers make trying and discarding cheap. */
export function layerOver(world: World): World {
  return {
    nodes: new LayeredMap(world.nodes),
    links: new LayeredMap(world.links),
    degrees: new LayeredMap(world.degrees),
    linksOn: new LayeredMap(world.linksOn),
    between: new LayeredMap(world.between),
    primaryFrom: new LayeredMap(world.primaryFrom),
    primaryInto: new LayeredMap(world.primaryInto),
    paths: new LayeredMap(world.paths),
    grants: world.grants,
  };
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
  if (change.kind === 'counter') {
    const node = world.nodes.get(change.id);
    if (node) world.nodes.set(change.id, { ...node, openBlockers: change.openBlockers });
    return;
  }
  if (change.kind === 'mark') {
    const link = world.links.get(change.id);
    if (link) world.links.set(change.id, { ...link, trashedWithNode: false });
    return;
  }
  if (change.kind === 'node') {
    world.nodes.set(change.id, change.after);
    if (change.before === null) indexNewNode(world, change.id);
    return;
  }
  world.links.set(change.id, change.after);
  if (change.before !== null) unindexLink(world, change.before);
  if (change.after !== null) indexLink(world, change.after);
  else if (change.before !== null) forgetLink(world, change.before);
}

function indexNewNode(world: World, id: string): void {
  world.degrees.set(id, 0);
  world.linksOn.set(id, new Set());
  world.primaryFrom.set(id, new Map());
  world.primaryInto.set(id, { links: new Set(), exhaustive: true });
}

function unindexLink(world: World, link: LinkState): void {
  if (link.inTrash) return;
  shiftDegree(world, link, -1);
  if (link.type !== LinkType.PRIMARY) return;
  const from = world.primaryFrom.get(link.source);
  if (from) {
    const copy = new Map(from);
    copy.delete(link.id);
    world.primaryFrom.set(link.source, copy);
  }
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
  if (link.type !== LinkType.PRIMARY) return;
  const from = world.primaryFrom.get(link.source);
  if (from) world.primaryFrom.set(link.source, new Map(from).set(link.id, link.target));
  const into = world.primaryInto.get(link.target);
  if (into)
    world.primaryInto.set(link.target, { links: new Set(into.links).add(link.id), exhaustive: into.exhaustive });
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
  }
}

/** The key under which a path that the database found is kept. */
export function pathKey(from: string, to: string, without: string | undefined): string {
  return `${from}|${to}|${without ?? ''}`;
}
