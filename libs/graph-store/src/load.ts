// Loading the part of the graph that a group of commands is decided on, under the locks, into a world.
import type { LinkState, NodeState } from '@taskgraph/domain/state';
import { type Needs, pairKey, pathKey, type World } from '@taskgraph/domain/world';
import { decodeLink, decodeNode, integer } from './codec.ts';
import type { OpenTransaction, Row } from './database.ts';

/** In: ids. Out: node, degree (its active links). Locks: none. Cost: one index look-up each. */
const LOAD_NODES = `
UNWIND $ids AS id
MATCH (n:Node {id: id})
RETURN properties(n) AS node, COUNT { (n)-[:BLOCKS|RELATES]-() } AS degree`;

/** In: ids. Out: type, properties, source, target (both nodes in full). Locks: none. Cost: three index look-ups each. */
const LOAD_LINKS = `
UNWIND $ids AS id
CALL (id) {
  MATCH (a)-[r:BLOCKS {id: id}]->(b) RETURN a, r, b
  UNION ALL
  MATCH (a)-[r:RELATES {id: id}]->(b) RETURN a, r, b
  UNION ALL
  MATCH (a)-[r:TRASHED {id: id}]->(b) RETURN a, r, b
}
RETURN type(r) AS type, properties(r) AS properties, properties(a) AS source, properties(b) AS target`;

/** In: ids, bound. Out: id, type, properties, source, target (both nodes in full). Locks: none. Cost: the number of links. */
const LOAD_LINKS_ON = `
UNWIND $ids AS id
MATCH (n:Node {id: id})
CALL (n) { MATCH (n)-[r:BLOCKS|RELATES|TRASHED]-() RETURN r LIMIT $bound }
RETURN id, type(r) AS type, properties(r) AS properties,
  properties(startNode(r)) AS source, properties(endNode(r)) AS target`;

/** In: pairs of node ids. Out: one, other, type, properties, source, target (ids). Locks: none. Cost: the smaller degree of each. */
const LOAD_BETWEEN = `
UNWIND $pairs AS pair
MATCH (a:Node {id: pair[0]}), (b:Node {id: pair[1]})
MATCH (a)-[r:BLOCKS|RELATES|TRASHED]-(b)
RETURN pair[0] AS one, pair[1] AS other, type(r) AS type, properties(r) AS properties,
  startNode(r).id AS source, endNode(r).id AS target`;

/** In: ids, bound. Out: id, properties, target (in full) of active primary links that leave a node. Locks: none. Cost: their number. */
const LOAD_TARGETS = `
UNWIND $ids AS id
MATCH (s:Node {id: id})
CALL (s) { MATCH (s)-[r:BLOCKS]->(t) RETURN r, t LIMIT $bound }
RETURN id, properties(r) AS properties, properties(t) AS target`;

/**
 * In: start, bound. Out: like LOAD_TARGETS, for the start and for every node that a cascade from it can turn from Completed to
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

/** In: ids, bound. Out: id, properties, source (in full) of active primary links that reach a node. Locks: none. Cost: their number. */
const LOAD_SOURCES = `
UNWIND $ids AS id
MATCH (t:Node {id: id})
CALL (t) { MATCH (t)<-[r:BLOCKS]-(s) RETURN r, s LIMIT $bound }
RETURN id, properties(r) AS properties, properties(s) AS source`;

/** In: ids, bound. Out: like LOAD_SOURCES, for nodes that are Blocked and sources that block. Locks: none. Cost: up to their number. */
const LOAD_BLOCKERS = `
UNWIND $ids AS id
MATCH (t:Node {id: id})
CALL (t) { MATCH (t)<-[r:BLOCKS]-(s) WHERE s.status <> 3 RETURN r, s LIMIT $bound }
RETURN id, properties(r) AS properties, properties(s) AS source`;

/**
 * In: ids, bound. Out: start, node (ids) and out (pairs of link id and target id), for every node that active primary links reach
 * from the start, the start included. Locks: none. Cost: the part that is reached, cut at the bound.
 */
const LOAD_CLOSURES = `
UNWIND $ids AS start
MATCH (s:Node {id: start})
CALL (s) { MATCH (s)-[:BLOCKS*0..]->(m) WITH DISTINCT m LIMIT $bound RETURN m }
RETURN start, m.id AS node, [(m)-[r:BLOCKS]->(t) | [r.id, t.id]] AS out`;

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

/** Loads what is needed and not there yet. Returns the starts whose surroundings pass the bound; what they ask stays unloaded. */
export async function loadInto(
  transaction: OpenTransaction,
  world: World,
  needs: Needs,
  bounds: LoadBounds,
): Promise<ReadonlySet<string>> {
  const overflowing = new Set<string>();
  // All are sent before the first answer is awaited: one round trip.
  await Promise.all([
    loadNodes(transaction, world, missing(needs.nodes, world.nodes)),
    loadLinks(transaction, world, missing(needs.links, world.links)),
    loadLinksOn(transaction, world, missing(needs.linksOn, world.linksOn), bounds, overflowing),
    loadBetween(transaction, world, needs.between ?? []),
    bounds.alone
      ? loadCascades(transaction, world, missing(needs.targetsOf, world.primaryFrom), bounds, overflowing)
      : loadTargets(transaction, world, missing(needs.targetsOf, world.primaryFrom), bounds, overflowing),
    loadSources(transaction, world, needs.sourcesOf ?? [], bounds, overflowing),
    loadBlockers(transaction, world, missing(needs.blockersOf, world.primaryInto)),
    bounds.alone ? findPaths(transaction, world, needs.paths ?? []) : undefined,
    loadClosures(transaction, world, closureStarts(needs, bounds), bounds, overflowing),
  ]);
  return overflowing;
}

/** Alone, a path is searched by the database, and a closure is loaded only where the search would not do. */
function closureStarts(needs: Needs, bounds: LoadBounds): string[] {
  const forPaths = bounds.alone ? [] : (needs.paths ?? []).map(({ from }) => from);
  return [...(needs.closuresOf ?? []), ...forPaths];
}

function missing(ids: readonly string[] | undefined, loaded: ReadonlyMap<string, unknown>): string[] {
  return ids === undefined ? [] : [...new Set(ids)].filter((id) => !loaded.has(id));
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

async function loadNodes(transaction: OpenTransaction, world: World, ids: string[]): Promise<void> {
  if (ids.length === 0) return;
  for (const row of await transaction.run(LOAD_NODES, { ids })) {
    world.degrees.set(keepNode(world, row.node).id, row.degree as number);
  }
  for (const id of ids) if (!world.nodes.has(id)) world.nodes.set(id, null);
}

async function loadLinks(transaction: OpenTransaction, world: World, ids: string[]): Promise<void> {
  if (ids.length === 0) return;
  for (const row of await transaction.run(LOAD_LINKS, { ids })) {
    keepLink(world, row, keepNode(world, row.source).id, keepNode(world, row.target).id);
  }
  for (const id of ids) if (!world.links.has(id)) world.links.set(id, null);
}

async function loadLinksOn(
  transaction: OpenTransaction,
  world: World,
  ids: string[],
  bounds: LoadBounds,
  overflowing: Set<string>,
): Promise<void> {
  if (ids.length === 0) return;
  const rows = await transaction.run(LOAD_LINKS_ON, { ids, bound: integer(bounds.entities + 1) });
  const grouped = byStart(rows, 'id', bounds, overflowing);
  for (const id of ids) {
    if (overflowing.has(id)) continue;
    const links = (grouped.get(id) ?? []).map(
      (row) => keepLink(world, row, keepNode(world, row.source).id, keepNode(world, row.target).id).id,
    );
    world.linksOn.set(id, new Set(links));
  }
}

async function loadBetween(
  transaction: OpenTransaction,
  world: World,
  wanted: readonly (readonly [string, string])[],
): Promise<void> {
  const pairs = wanted.filter(([one, other]) => !world.between.has(pairKey(one, other)));
  if (pairs.length === 0) return;
  const found = new Map<string, Set<string>>(pairs.map(([one, other]) => [pairKey(one, other), new Set()]));
  for (const row of await transaction.run(LOAD_BETWEEN, { pairs: pairs.map((pair) => [...pair]) })) {
    const link = keepLink(world, row, row.source as string, row.target as string);
    found.get(pairKey(link.source, link.target))?.add(link.id);
  }
  for (const [pair, links] of found) world.between.set(pair, links);
}

/** Rows by their start; a start with more rows than the bound overflows and is left out. */
function byStart(rows: Row[], name: string, bounds: LoadBounds, overflowing: Set<string>): Map<string, Row[]> {
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

async function loadTargets(
  transaction: OpenTransaction,
  world: World,
  ids: string[],
  bounds: LoadBounds,
  overflowing: Set<string>,
): Promise<void> {
  if (ids.length === 0) return;
  const rows = await transaction.run(LOAD_TARGETS, { ids, bound: integer(bounds.entities + 1) });
  const grouped = byStart(rows, 'id', bounds, overflowing);
  for (const id of ids) {
    if (overflowing.has(id)) continue;
    const links = new Map<string, string>();
    for (const row of grouped.get(id) ?? []) {
      const target = keepNode(world, row.target);
      links.set(keepLink(world, row, id, target.id).id, target.id);
    }
    world.primaryFrom.set(id, links);
  }
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

async function loadSources(
  transaction: OpenTransaction,
  world: World,
  wanted: readonly string[],
  bounds: LoadBounds,
  overflowing: Set<string>,
): Promise<void> {
  const ids = [...new Set(wanted)].filter((id) => !world.primaryInto.get(id)?.exhaustive);
  if (ids.length === 0) return;
  const rows = await transaction.run(LOAD_SOURCES, { ids, bound: integer(bounds.entities + 1) });
  const grouped = byStart(rows, 'id', bounds, overflowing);
  for (const id of ids) {
    if (overflowing.has(id)) continue;
    const links = (grouped.get(id) ?? []).map((row) => keepLink(world, row, keepNode(world, row.source).id, id).id);
    world.primaryInto.set(id, { links: new Set(links), exhaustive: true });
  }
}

async function loadBlockers(transaction: OpenTransaction, world: World, ids: string[]): Promise<void> {
  if (ids.length === 0) return;
  const rows = await transaction.run(LOAD_BLOCKERS, { ids, bound: integer(SHOWN_BLOCKERS) });
  const found = new Map<string, Set<string>>(ids.map((id) => [id, new Set()]));
  for (const row of rows) {
    const target = row.id as string;
    found.get(target)?.add(keepLink(world, row, keepNode(world, row.source).id, target).id);
  }
  for (const [id, links] of found) world.primaryInto.set(id, { links, exhaustive: false });
}

async function loadClosures(
  transaction: OpenTransaction,
  world: World,
  starts: string[],
  bounds: LoadBounds,
  overflowing: Set<string>,
): Promise<void> {
  const ids = missing(starts, new Map());
  if (ids.length === 0) return;
  const rows = await transaction.run(LOAD_CLOSURES, { ids, bound: integer(bounds.entities + 1) });
  for (const group of byStart(rows, 'start', bounds, overflowing).values()) {
    for (const row of group) {
      const id = row.node as string;
      if (!world.primaryFrom.has(id)) world.primaryFrom.set(id, new Map(row.out as [string, string][]));
    }
  }
  // A start that does not exist leads nowhere.
  for (const id of ids) if (!overflowing.has(id) && !world.primaryFrom.has(id)) world.primaryFrom.set(id, new Map());
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
