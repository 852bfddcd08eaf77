// Loading the part of the graph that a group of commands is decided on, under the locks, into a world.

import type { StoredBatch } from '@taskgraph/domain/state/batch';
import type { ReadSet } from '@taskgraph/domain/state/read-set';
import { isWhole } from '@taskgraph/domain/state/state';
import { countKey, pairKey, type World } from '@taskgraph/domain/state/world';
import { integer } from '../driver/codec.ts';
import type { OpenTransaction, Row } from '../driver/database.ts';
import { decodeBatches } from './batches.ts';
import {
  keepAccess,
  keepActiveOn,
  keepBelow,
  keepBetween,
  keepBlockers,
  keepClosures,
  keepCopies,
  keepFeeds,
  keepGrants,
  keepGrantsOn,
  keepLinks,
  keepLinksBy,
  keepLinksOn,
  keepMembers,
  keepNeighbours,
  keepNodes,
  keepReaders,
  keepReturningOn,
  keepSources,
  keepTargets,
} from './hydrate.ts';
import { findPaths, loadBranches, loadCascades } from './load-alone.ts';
import { type Limit, type LoadBounds, linksBoundOf } from './load-bounds.ts';
import { LOAD_WORLD } from './load-statement.ts';

/** Most blockers of one node that an error names. */
const SHOWN_BLOCKERS = 100;

export interface Loaded {
  /** Starts whose surroundings pass the bound; what they ask stays unloaded. */
  readonly overflowing: ReadonlySet<string>;
  readonly batches: ReadonlyMap<string, StoredBatch>;
}

/** Loads what is needed and not there yet, and the batches that are stored under `keys`. It must run after the locks. */
export async function loadInto(
  transaction: OpenTransaction,
  world: World,
  readSet: ReadSet,
  bounds: LoadBounds,
  keys: readonly string[],
): Promise<Loaded> {
  const overflowing = new Set<string>();
  const limit = { bounds, overflowing };
  const wanted = wantedOf(world, readSet, bounds, keys);
  const cascades = bounds.alone ? missing(readSet.targetsOf, world.primaryFrom) : [];
  const branches = bounds.alone ? missing(readSet.below, world.conveyedInto) : [];
  // Sent together, so that all of it is one round trip.
  const [[row]] = await Promise.all([
    transaction.run(
      LOAD_WORLD,
      {
        in: wanted,
        bound: integer(bounds.entities + 1),
        linksBound: integer(linksBoundOf(bounds) + 1),
        shown: integer(SHOWN_BLOCKERS),
      },
      'LOAD_WORLD',
    ),
    bounds.alone ? findPaths(transaction, world, readSet.paths ?? []) : undefined,
    loadCascades(transaction, world, cascades, limit),
    loadBranches(transaction, world, branches, limit),
  ]);
  const found = row as Record<string, Row[]>;
  keepSurroundings(world, wanted, found as Found, limit);
  keepAccessRights(world, wanted, found as Found, limit);
  return { overflowing, batches: decodeBatches(found.batches ?? []) };
}

type Wanted = ReturnType<typeof wantedOf>;
type Found = Record<keyof Wanted | 'batches' | 'copies' | 'batchesById' | 'later', Row[]>;

/** What is needed and not loaded yet, as the statement asks for it. */
function wantedOf(world: World, readSet: ReadSet, bounds: LoadBounds, keys: readonly string[]) {
  const copiesOf = missing(readSet.copiesOf, world.copies);
  const returningOn = missing(readSet.returningOn, world.returningOn);
  return {
    keys: [...keys],
    nodes: nodesOf(readSet).filter((id) => !isNodeLoaded(world, id)),
    links: missing(readSet.links, world.links),
    linksOn: missing(readSet.linksOn, world.linksOn),
    activeOn: missing(readSet.activeOn, world.activeOn),
    // A link between two of them comes back where both do, so that each is asked for again beside a new one.
    returningOn: returningOn.length > 0 ? [...new Set([...world.returningOn.keys(), ...returningOn])] : [],
    neighbours: missing(readSet.neighbours, world.neighbours),
    between: (readSet.between ?? [])
      .filter(([one, other]) => !world.between.has(pairKey(one, other)))
      .map((pair) => [...pair]),
    targetsOf: bounds.alone ? [] : missing(readSet.targetsOf, world.primaryFrom),
    sourcesOf: [...new Set(readSet.sourcesOf ?? [])].filter((id) => !world.primaryInto.get(id)?.exhaustive),
    blockersOf: missing(readSet.blockersOf, world.primaryInto),
    closuresOf: missing(closureStarts(readSet, bounds), new Map()),
    members: missing(readSet.members, world.members),
    below: bounds.alone ? [] : missing(readSet.below, world.conveyedInto),
    feeds: missing(readSet.feeds, world.feeds),
    grants: missing(readSet.grants, world.grants),
    access: (readSet.access ?? []).map((wish) => ({ ...wish })),
    linkAccess: (readSet.linkAccess ?? []).map((wish) => ({ ...wish })),
    linksBy: (readSet.linksBy ?? [])
      .filter(({ node, owner }) => !world.linksBy.has(pairKey(node, owner)))
      .map((wish) => ({ ...wish })),
    grantsOn: missing(readSet.grantsOn, world.grantsOn),
    copiesOf,
    copiesFor: [...new Set(copiesOf.map(emailOf))],
    grantsTo: (readSet.grantsTo ?? []).map((wish) => ({ ...wish })),
    readers: missing(readSet.readers, world.readers),
    batchIds: missing(readSet.batches, world.batches),
    deleted: missing(readSet.deleted, world.deleted),
    laterThan: (readSet.laterThan ?? []).filter(({ entity }) => !world.later.has(entity)).map((wish) => ({ ...wish })),
  };
}

function emailOf(key: string): string {
  return key.slice(key.indexOf('|') + 1);
}

function keepSurroundings(world: World, wanted: Wanted, found: Found, limit: Limit): void {
  keepNodes(world, wanted.nodes, found.nodes);
  keepLinks(world, wanted.links, found.links);
  keepLinksOn(world, wanted.linksOn, found.linksOn, limit);
  keepActiveOn(world, wanted.activeOn, found.activeOn, limit);
  keepReturningOn(world, wanted.returningOn, found.returningOn, limit);
  keepBetween(world, wanted.between, found.between);
  keepTargets(world, wanted.targetsOf, found.targetsOf, limit);
  keepSources(world, wanted.sourcesOf, found.sourcesOf, limit);
  keepBlockers(world, wanted.blockersOf, found.blockersOf);
  keepClosures(world, wanted.closuresOf, found.closuresOf, limit);
}

function keepAccessRights(world: World, wanted: Wanted, found: Found, limit: Limit): void {
  keepMembers(world, wanted.members, found.members);
  keepNeighbours(world, wanted.neighbours, found.neighbours, limit);
  keepBelow(world, found.below, limit);
  keepFeeds(world, wanted.feeds, found.feeds);
  keepGrants(world, wanted.grants, found.grants);
  keepAccess(world, found.access);
  keepAccess(world, found.linkAccess);
  keepLinksBy(world, found.linksBy);
  keepGrantsOn(world, wanted.grantsOn, found.grantsOn, limit);
  keepCopies(world, wanted.copiesOf, found.copies);
  keepReaders(world, wanted.readers, found.readers);
  for (const { owner, email, count } of found.grantsTo as { owner: string; email: string; count: number }[]) {
    world.grantCounts.set(countKey(owner, email), count);
  }
  for (const id of wanted.batchIds) world.batches.set(id, null);
  for (const batch of decodeBatches(found.batchesById).values()) world.batches.set(batch.id, batch);
  for (const id of wanted.deleted) world.deleted.set(id, []);
  for (const { id, readers } of found.deleted as { id: string; readers: string[] }[]) world.deleted.set(id, readers);
  for (const { entity } of wanted.laterThan) world.later.set(entity, []);
  for (const { entity, batch } of found.later as { entity: string; batch: Row }[]) {
    world.later.set(entity, [...(world.later.get(entity) ?? []), ...decodeBatches([batch]).values()]);
  }
}

/** Alone, a path is searched by the database, and a closure is loaded only where the search would not do. */
function closureStarts(readSet: ReadSet, bounds: LoadBounds): string[] {
  const forPaths = bounds.alone ? [] : (readSet.paths ?? []).map(({ from }) => from);
  return [...(readSet.closuresOf ?? []), ...forPaths];
}

/** Links on a node come without the node. */
function nodesOf({ nodes = [], linksOn = [], activeOn = [], returningOn = [] }: ReadSet): string[] {
  return [...new Set([...nodes, ...linksOn, ...activeOn, ...returningOn])];
}

/** A node that came as the end of a link came without its content, and mostly without its degree. */
function isNodeLoaded(world: World, id: string): boolean {
  const node = world.nodes.get(id);
  return node === null || (node !== undefined && isWhole(node) && world.degrees.has(id));
}

function missing(ids: readonly string[] | undefined, loaded: ReadonlyMap<string, unknown>): string[] {
  return ids === undefined ? [] : [...new Set(ids)].filter((id) => !loaded.has(id));
}
