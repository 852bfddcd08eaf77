// Loading the part of the graph that a group of commands is decided on, under the locks, into a world.
// It is long because each part of the one statement has its keeper here.
import type { LinkState, NodeState } from '@taskgraph/domain/state';
import { type Needs, pairKey, pathKey, type World } from '@taskgraph/domain/world';
import { decodeBatches, type StoredBatch } from './batches.ts';
import { decodeLink, decodeNode, integer } from './codec.ts';
import type { OpenTransaction, Row } from './database.ts';

/** In: keys. Out: batches under these keys. Locks: none. Cost: one index look-up each. */
const BATCHES = `
  UNWIND $in.keys AS key
  MATCH (b:Batch {key: key})
  RETURN collect(properties(b)) AS batches`;

/** In: nodes (ids). Out: node, degree (its active links). Locks: none. Cost: one index look-up each. */
const NODES = `
  UNWIND $in.nodes AS id
  MATCH (n:Node {id: id})
  RETURN collect({node: properties(n), degree: COUNT { (n)-[:BLOCKS|RELATES]-() }}) AS nodes`;

/** In: links (ids). Out: type, properties, source, target (both nodes in full). Locks: none. Cost: three index look-ups each. */
const LINKS = `
  UNWIND $in.links AS id
  CALL (id) {
    MATCH (a)-[r:BLOCKS {id: id}]->(b) RETURN a, r, b
    UNION ALL
    MATCH (a)-[r:RELATES {id: id}]->(b) RETURN a, r, b
    UNION ALL
    MATCH (a)-[r:TRASHED {id: id}]->(b) RETURN a, r, b
  }
  RETURN collect({type: type(r), properties: properties(r), source: properties(a), target: properties(b)}) AS links`;

/** In: linksOn (ids), bound. Out: id, type, properties, source, target (nodes in full). Locks: none. Cost: the number of links. */
const LINKS_ON = `
  UNWIND $in.linksOn AS id
  MATCH (n:Node {id: id})
  CALL (n) { MATCH (n)-[r:BLOCKS|RELATES|TRASHED]-() RETURN r LIMIT $bound }
  RETURN collect({
    id: id, type: type(r), properties: properties(r), source: properties(startNode(r)), target: properties(endNode(r))
  }) AS linksOn`;

/** In: between (pairs of ids). Out: type, properties, source, target (ids). Locks: none. Cost: the smaller degree of each pair. */
const BETWEEN = `
  UNWIND $in.between AS pair
  MATCH (a:Node {id: pair[0]}), (b:Node {id: pair[1]})
  MATCH (a)-[r:BLOCKS|RELATES|TRASHED]-(b)
  RETURN collect({
    type: type(r), properties: properties(r), source: startNode(r).id, target: endNode(r).id
  }) AS between`;

/** In: targetsOf (ids), bound. Out: id, properties, target of active primary links that leave a node. Locks: none. Cost: their number. */
const TARGETS = `
  UNWIND $in.targetsOf AS id
  MATCH (s:Node {id: id})
  CALL (s) { MATCH (s)-[r:BLOCKS]->(t) RETURN r, t LIMIT $bound }
  RETURN collect({id: id, properties: properties(r), target: properties(t)}) AS targetsOf`;

/** In: sourcesOf (ids), bound. Out: id, properties, source of active primary links that reach a node. Locks: none. Cost: their number. */
const SOURCES = `
  UNWIND $in.sourcesOf AS id
  MATCH (t:Node {id: id})
  CALL (t) { MATCH (t)<-[r:BLOCKS]-(s) RETURN r, s LIMIT $bound }
  RETURN collect({id: id, properties: properties(r), source: properties(s)}) AS sourcesOf`;

/** In: blockersOf (ids), shown. Out: like SOURCES, for sources that block, cut. Locks: none. Cost: up to their number. */
const BLOCKERS = `
  UNWIND $in.blockersOf AS id
  MATCH (t:Node {id: id})
  CALL (t) { MATCH (t)<-[r:BLOCKS]-(s) WHERE s.status <> 3 RETURN r, s LIMIT $shown }
  RETURN collect({id: id, properties: properties(r), source: properties(s)}) AS blockersOf`;

/**
 * In: closuresOf (ids), bound. Out: start, node (ids) and out (pairs of link id and target id), for every node that active primary
 * links reach from the start, the start included. Locks: none. Cost: the part that is reached, cut at the bound.
 */
const CLOSURES = `
  UNWIND $in.closuresOf AS start
  MATCH (s:Node {id: start})
  CALL (s) { MATCH (s)-[:BLOCKS*0..]->(m) WITH DISTINCT m LIMIT $bound RETURN m }
  RETURN collect({start: start, node: m.id, out: [(m)-[r:BLOCKS]->(t) | [r.id, t.id]]}) AS closuresOf`;

/**
 * In: all of the above. Out: one row with a list for each. Locks: none. Cost: their sum; what is not asked for costs nothing.
 *
 * One statement, because each costs the server about as much as twenty rows do. All lists arrive in one map: the server plans anew
 * for lists of another order of magnitude, but does not look into maps.
 */
const LOAD_WORLD = `
CALL () {${BATCHES}
}
CALL () {${NODES}
}
CALL () {${LINKS}
}
CALL () {${LINKS_ON}
}
CALL () {${BETWEEN}
}
CALL () {${TARGETS}
}
CALL () {${SOURCES}
}
CALL () {${BLOCKERS}
}
CALL () {${CLOSURES}
}
RETURN batches, nodes, links, linksOn, between, targetsOf, sourcesOf, blockersOf, closuresOf`;

/**
 * In: start, bound. Out: like TARGETS, for the start and for every node that a cascade from it can turn from Completed to
 * Blocked: those reached over Completed, dependent nodes alone. Locks: none. Cost: what is reached, cut at the bound.
 */
const LOAD_CASCADE = `
MATCH (s:Node {id: $start})
CALL (s) {
  MATCH p = (s)-[:BLOCKS*0..]->(m)
  WHERE all(n IN nodes(p) WHERE n = s OR (n.status = 3 AND n.independent = false))
  WITH DISTINCT m LIMIT $bound RETURN m
}
MATCH (m)-[r:BLOCKS]->(t)
WITH m, r, t LIMIT $bound
RETURN m.id AS id, properties(r) AS properties, properties(t) AS target`;

/**
 * In: from, to, without (a link's id or null). Out: path (node ids). Locks: none.
 * Cost: breadth first from both ends, so in proportion to the smaller side.
 */
const FIND_PATH = `
MATCH (a:Node {id: $from}), (b:Node {id: $to})
MATCH p = shortestPath((a)-[:BLOCKS*1..]->(b))
WHERE all(r IN relationships(p) WHERE $without IS NULL OR r.id <> $without)
RETURN [n IN nodes(p) | n.id] AS path`;

export interface LoadBounds {
  /** Most entities that one start of a walk may bring. */
  readonly entities: number;
  /**
   * For one command whose surroundings are too large to load: paths are searched by the database, and cascades are loaded in
   * one go instead of a round a step.
   */
  readonly alone: boolean;
}

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
  needs: Needs,
  bounds: LoadBounds,
  keys: readonly string[],
): Promise<Loaded> {
  const overflowing = new Set<string>();
  const wanted = {
    keys: [...keys],
    nodes: [...new Set(needs.nodes ?? [])].filter((id) => !isNodeLoaded(world, id)),
    links: missing(needs.links, world.links),
    linksOn: missing(needs.linksOn, world.linksOn),
    between: (needs.between ?? [])
      .filter(([one, other]) => !world.between.has(pairKey(one, other)))
      .map((pair) => [...pair]),
    targetsOf: bounds.alone ? [] : missing(needs.targetsOf, world.primaryFrom),
    sourcesOf: [...new Set(needs.sourcesOf ?? [])].filter((id) => !world.primaryInto.get(id)?.exhaustive),
    blockersOf: missing(needs.blockersOf, world.primaryInto),
    closuresOf: missing(closureStarts(needs, bounds), new Map()),
  };
  // Sent together, so that all of it is one round trip.
  const [[row]] = await Promise.all([
    transaction.run(LOAD_WORLD, {
      in: wanted,
      bound: integer(bounds.entities + 1),
      shown: integer(SHOWN_BLOCKERS),
    }),
    bounds.alone ? findPaths(transaction, world, needs.paths ?? []) : undefined,
    bounds.alone
      ? loadCascades(transaction, world, missing(needs.targetsOf, world.primaryFrom), bounds, overflowing)
      : undefined,
  ]);
  const found = row as Record<keyof typeof wanted | 'batches', Row[]>;
  const limit = { bounds, overflowing };
  keepNodes(world, wanted.nodes, found.nodes);
  keepLinks(world, wanted.links, found.links);
  keepLinksOn(world, wanted.linksOn, found.linksOn, limit);
  keepBetween(world, wanted.between, found.between);
  keepTargets(world, wanted.targetsOf, found.targetsOf, limit);
  keepSources(world, wanted.sourcesOf, found.sourcesOf, limit);
  keepBlockers(world, wanted.blockersOf, found.blockersOf);
  keepClosures(world, wanted.closuresOf, found.closuresOf, limit);
  return { overflowing, batches: decodeBatches(found.batches) };
}

/** Alone, a path is searched by the database, and a closure is loaded only where the search would not do. */
function closureStarts(needs: Needs, bounds: LoadBounds): string[] {
  const forPaths = bounds.alone ? [] : (needs.paths ?? []).map(({ from }) => from);
  return [...(needs.closuresOf ?? []), ...forPaths];
}

/** A node that came as the end of a link came without its degree. */
function isNodeLoaded(world: World, id: string): boolean {
  return world.nodes.get(id) === null || (world.nodes.has(id) && world.degrees.has(id));
}

function missing(ids: readonly string[] | undefined, loaded: ReadonlyMap<string, unknown>): string[] {
  return ids === undefined ? [] : [...new Set(ids)].filter((id) => !loaded.has(id));
}

interface Limit {
  readonly bounds: LoadBounds;
  readonly overflowing: Set<string>;
}

function keepNode(world: World, properties: unknown): NodeState {
  const node = decodeNode(properties);
  if (!world.nodes.get(node.id)) world.nodes.set(node.id, node);
  return node;
}

function keepLink(world: World, row: Row, source: string, target: string): LinkState {
  const link = decodeLink({ type: row.type ?? 'BLOCKS', properties: row.properties, source, target });
  if (!world.links.get(link.id)) world.links.set(link.id, link);
  return link;
}

function keepNodes(world: World, ids: readonly string[], rows: Row[]): void {
  for (const row of rows) world.degrees.set(keepNode(world, row.node).id, row.degree as number);
  for (const id of ids) if (!world.nodes.has(id)) world.nodes.set(id, null);
}

function keepLinks(world: World, ids: readonly string[], rows: Row[]): void {
  for (const row of rows) keepLink(world, row, keepNode(world, row.source).id, keepNode(world, row.target).id);
  for (const id of ids) if (!world.links.has(id)) world.links.set(id, null);
}

/** Rows by their start; a start with more rows than the bound overflows and is left out. */
function byStart(rows: Row[], name: string, { bounds, overflowing }: Limit): Map<string, Row[]> {
  const grouped = new Map<string, Row[]>();
  for (const row of rows) {
    const start = row[name] as string;
    const group = grouped.get(start);
    if (group) group.push(row);
    else grouped.set(start, [row]);
  }
  for (const [start, group] of grouped) {
    if (group.length <= bounds.entities) continue;
    overflowing.add(start);
    grouped.delete(start);
  }
  return grouped;
}

function keepLinksOn(world: World, ids: readonly string[], rows: Row[], limit: Limit): void {
  const grouped = byStart(rows, 'id', limit);
  for (const id of ids) {
    if (limit.overflowing.has(id)) continue;
    const links = (grouped.get(id) ?? []).map(
      (row) => keepLink(world, row, keepNode(world, row.source).id, keepNode(world, row.target).id).id,
    );
    world.linksOn.set(id, new Set(links));
  }
}

function keepBetween(world: World, pairs: readonly string[][], rows: Row[]): void {
  const found = new Map<string, Set<string>>(pairs.map(([one = '', other = '']) => [pairKey(one, other), new Set()]));
  for (const row of rows) {
    const link = keepLink(world, row, row.source as string, row.target as string);
    found.get(pairKey(link.source, link.target))?.add(link.id);
  }
  for (const [pair, links] of found) world.between.set(pair, links);
}

function keepTargets(world: World, ids: readonly string[], rows: Row[], limit: Limit): void {
  const grouped = byStart(rows, 'id', limit);
  for (const id of ids) {
    if (limit.overflowing.has(id)) continue;
    const links = new Map<string, string>();
    for (const row of grouped.get(id) ?? []) {
      const target = keepNode(world, row.target);
      links.set(keepLink(world, row, id, target.id).id, target.id);
    }
    world.primaryFrom.set(id, links);
  }
}

function keepSources(world: World, ids: readonly string[], rows: Row[], limit: Limit): void {
  const grouped = byStart(rows, 'id', limit);
  for (const id of ids) {
    if (limit.overflowing.has(id)) continue;
    const links = (grouped.get(id) ?? []).map((row) => keepLink(world, row, keepNode(world, row.source).id, id).id);
    world.primaryInto.set(id, { links: new Set(links), exhaustive: true });
  }
}

function keepBlockers(world: World, ids: readonly string[], rows: Row[]): void {
  const found = new Map<string, Set<string>>(ids.map((id) => [id, new Set()]));
  for (const row of rows) {
    const target = row.id as string;
    found.get(target)?.add(keepLink(world, row, keepNode(world, row.source).id, target).id);
  }
  // What is loaded in full already stays so: a cut list must not take its place.
  for (const [id, links] of found)
    if (!world.primaryInto.has(id)) world.primaryInto.set(id, { links, exhaustive: false });
}

function keepClosures(world: World, ids: readonly string[], rows: Row[], limit: Limit): void {
  for (const group of byStart(rows, 'start', limit).values()) {
    for (const row of group) {
      const id = row.node as string;
      if (!world.primaryFrom.has(id)) world.primaryFrom.set(id, new Map(row.out as [string, string][]));
    }
  }
  // A start that does not exist leads nowhere.
  for (const id of ids)
    if (!limit.overflowing.has(id) && !world.primaryFrom.has(id)) world.primaryFrom.set(id, new Map());
}

async function loadCascades(
  transaction: OpenTransaction,
  world: World,
  starts: string[],
  bounds: LoadBounds,
  overflowing: Set<string>,
): Promise<void> {
  for (const start of starts) {
    if (world.primaryFrom.has(start)) continue;
    const rows = await transaction.run(LOAD_CASCADE, { start, bound: integer(bounds.entities + 1) });
    if (rows.length > bounds.entities) {
      overflowing.add(start);
      continue;
    }
    const found = new Map<string, Map<string, string>>([[start, new Map()]]);
    for (const row of rows) {
      const id = row.id as string;
      const target = keepNode(world, row.target);
      const links = found.get(id) ?? new Map<string, string>();
      found.set(id, links.set(keepLink(world, row, id, target.id).id, target.id));
    }
    for (const [id, links] of found) world.primaryFrom.set(id, links);
  }
}

async function findPaths(
  transaction: OpenTransaction,
  world: World,
  wanted: readonly { from: string; to: string; without?: string }[],
): Promise<void> {
  await Promise.all(
    wanted.map(async ({ from, to, without }) => {
      const rows = await transaction.run(FIND_PATH, { from, to, without: without ?? null });
      world.paths.set(pathKey(from, to, without), (rows[0]?.path as string[] | undefined) ?? null);
    }),
  );
}
