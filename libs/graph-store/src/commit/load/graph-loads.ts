// Loads of the graph: nodes, links and walks.

import type { ReadItem } from '@taskgraph/domain/state/read-set';
import { isWhole } from '@taskgraph/domain/state/state';
import { pairKey, pathKey, type World } from '@taskgraph/domain/state/world';
import { integer } from '../../driver/codec.ts';
import type { OpenTransaction } from '../../driver/database.ts';
import { DEGREE, LINK_BY_ID, RETURNS } from '../../driver/statement-parts.ts';
import { linksBoundOf } from './bounds.ts';
import { mergeLink, mergeLinksOn, mergeNode } from './hydrate.ts';
import { byStart, distinct, type Load, type Loader, notIn } from './loader.ts';
import { OUTLINE } from './outline.ts';

/**
 * In: activeOn (ids), linksBound. Out: as LINKS_ON, for active links. Locks: none. Cost: their
 * number.
 */
const ACTIVE_ON = `
  UNWIND $in.activeOn AS id
  MATCH (n:Node {id: id})
  CALL (n) { MATCH (n)-[r:BLOCKS|RELATES]-(o) RETURN r, o LIMIT $linksBound }
  WITH id, n, r, o LIMIT $rows
  RETURN collect({
    id: id, type: type(r), properties: properties(r), leaves: startNode(r) = n,
    other: {p: o ${OUTLINE}, in: [(o)-[m:IN]->() | [m.feed, m.via]]}
  }) AS activeOn`;

/** Active links on nodes; for a large command up to the limit of links on a node. */
export const activeOn: Loader<string> = {
  cypher: ACTIVE_ON,
  // The links arrive without the node.
  implies: (ids) => ({ nodes: ids }),
  missing: (world, ids) => notIn(world.activeOn, ids),
  hydrate(world, ids, rows, load) {
    mergeLinksOn(world, world.activeOn, ids, byStart(rows, 'id', load, linksBoundOf(load.bounds)), load);
  },
};

/**
 * In: between (pairs of ids). Out: type, properties, source, target (ids). Locks: none. Cost: the
 * smaller degree of each pair.
 */
const BETWEEN = `
  UNWIND $in.between AS pair
  MATCH (a:Node {id: pair[0]}), (b:Node {id: pair[1]})
  CALL (a, b) { MATCH (a)-[r:BLOCKS|RELATES|TRASHED]-(b) RETURN r }
  RETURN collect({
    type: type(r), properties: properties(r), source: startNode(r).id, target: endNode(r).id
  }) AS between`;

/** All links between two nodes. */
export const between: Loader<readonly [string, string]> = {
  cypher: BETWEEN,
  missing: (world, pairs) => pairs.filter(([one, other]) => !world.between.has(pairKey(one, other))),
  hydrate(world, pairs, rows) {
    const found = new Map<string, Set<string>>(pairs.map(([one, other]) => [pairKey(one, other), new Set()]));
    for (const row of rows) {
      const link = mergeLink(world, row, row.source as string, row.target as string);
      found.get(pairKey(link.source, link.target))?.add(link.id);
    }
    for (const [pair, links] of found) world.between.set(pair, links);
  },
};

/**
 * In: blockersOf (ids), shown. Out: like SOURCES, for open blockers, cut. Locks: none. Cost: up to
 * their number.
 */
const BLOCKERS = `
  UNWIND $in.blockersOf AS id
  MATCH (t:Node {id: id})
  CALL (t) { MATCH (t)<-[r:BLOCKS]-(s) WHERE s.status <> 3 RETURN r, s LIMIT $shown }
  WITH id, r, s LIMIT $rows
  RETURN collect({
    id: id, properties: properties(r), source: {p: s ${OUTLINE}, in: [(s)-[m:IN]->() | [m.feed, m.via]]}
  }) AS blockersOf`;

/** Some links from open blockers of nodes, for messages. */
export const blockersOf: Loader<string> = {
  cypher: BLOCKERS,
  missing: (world, ids) => notIn(world.primaryInto, ids),
  hydrate(world, ids, rows) {
    const found = new Map<string, Set<string>>(ids.map((id) => [id, new Set()]));
    for (const row of rows) {
      const target = row.id as string;
      found.get(target)?.add(mergeLink(world, row, mergeNode(world, row.source).id, target).id);
    }
    // Keep a complete list; a cut one must not replace it.
    for (const [id, links] of found) {
      if (!world.primaryInto.has(id)) world.primaryInto.set(id, { links, exhaustive: false });
    }
  },
};

/**
 * In: closuresOf (ids), bound. Out: start, node (id), owner and out (pairs of link id and target
 * id), for every node reachable from the start by active primary links, including the start. Locks:
 * none. Cost: the reachable part, cut at the bound.
 */
const CLOSURES = `
  UNWIND $in.closuresOf AS start
  MATCH (s:Node {id: start})
  CALL (s) { MATCH (s)-[:BLOCKS*0..]->(m) WITH DISTINCT m LIMIT $bound RETURN m }
  WITH start, m LIMIT $rows
  RETURN collect({
    start: start, node: m.id, owner: m.ownerId, out: [(m)-[r:BLOCKS]->(t) | [r.id, t.id]]
  }) AS closuresOf`;

/** The nodes reachable by active primary links. */
export const closuresOf: Loader<string> = {
  cypher: CLOSURES,
  missing: (_world, ids) => distinct(ids),
  hydrate(world, ids, rows, load) {
    for (const group of byStart(rows, 'start', load).values()) {
      for (const row of group) {
        const id = row.node as string;
        world.owners.set(id, row.owner as string);
        if (!world.primaryFrom.has(id)) world.primaryFrom.set(id, new Map(row.out as [string, string][]));
      }
    }
    // A start that does not exist reaches no node.
    for (const id of ids)
      if (!load.overflowing.has(id) && !world.primaryFrom.has(id)) world.primaryFrom.set(id, new Map());
  },
};

/**
 * In: linksBy (node, owner). Out: node, owner, count of the owner's active links on the node.
 * Locks: none. Cost: the node's degree.
 */
const LINKS_BY = `
  UNWIND $in.linksBy AS wish
  MATCH (n:Node {id: wish.node})
  RETURN collect({
    node: wish.node, owner: wish.owner,
    count: COUNT { (n)-[r:BLOCKS|RELATES]-() WHERE r.ownerId = wish.owner }
  }) AS linksBy`;

/** The number of active links of users on nodes. */
export const linksBy: Loader<ReadItem<'linksBy'>> = {
  cypher: LINKS_BY,
  missing: (world, wishes) => wishes.filter(({ node, owner }) => !world.linksBy.has(pairKey(node, owner))),
  hydrate(world, _wishes, rows) {
    for (const { node, owner, count } of rows as { node: string; owner: string; count: number }[]) {
      world.linksBy.set(pairKey(node, owner), count);
    }
  },
};

/**
 * In: linksOn (ids), bound. Out: id, type, properties, leaves (whether the node is the source),
 * other (the node at the other end). Locks: none. Cost: the number of links.
 */
const LINKS_ON = `
  UNWIND $in.linksOn AS id
  MATCH (n:Node {id: id})
  CALL (n) { MATCH (n)-[r:BLOCKS|RELATES|TRASHED]-(o) RETURN r, o LIMIT $bound }
  WITH id, n, r, o LIMIT $rows
  RETURN collect({
    id: id, type: type(r), properties: properties(r), leaves: startNode(r) = n,
    other: {p: o ${OUTLINE}, in: [(o)-[m:IN]->() | [m.feed, m.via]]}
  }) AS linksOn`;

/** All links on nodes. */
export const linksOn: Loader<string> = {
  cypher: LINKS_ON,
  // The links arrive without the node.
  implies: (ids) => ({ nodes: ids }),
  missing: (world, ids) => notIn(world.linksOn, ids),
  hydrate: (world, ids, rows, load) => mergeLinksOn(world, world.linksOn, ids, byStart(rows, 'id', load), load),
};

/**
 * In: links (ids). Out: type, properties, source, target (both nodes). Locks: none. Cost: three
 * index look-ups each.
 */
const LINKS = `
  UNWIND $in.links AS id
  CALL (id) {${LINK_BY_ID}
  }
  RETURN collect({
    type: type(r), properties: properties(r),
    source: {p: a ${OUTLINE}, in: [(a)-[m:IN]->() | [m.feed, m.via]], feeds: [(a)-[:IN]->(f) | properties(f)]},
    target: {p: b ${OUTLINE}, in: [(b)-[m:IN]->() | [m.feed, m.via]], feeds: [(b)-[:IN]->(f) | properties(f)]}
  }) AS links`;

/** Links by id, trashed ones included, with both ends. */
export const links: Loader<string> = {
  cypher: LINKS,
  missing: (world, ids) => notIn(world.links, ids),
  hydrate(world, ids, rows) {
    for (const row of rows) mergeLink(world, row, mergeNode(world, row.source).id, mergeNode(world, row.target).id);
    for (const id of ids) if (!world.links.has(id)) world.links.set(id, null);
  },
};

/**
 * In: nodes (ids). Out: node, degree (its active links). Locks: none. Cost: one index look-up each.
 */
const NODES = `
  UNWIND $in.nodes AS id
  MATCH (n:Node {id: id})
  RETURN collect({
    node: {p: properties(n), in: [(n)-[m:IN]->() | [m.feed, m.via]], feeds: [(n)-[:IN]->(f) | properties(f)]},
    degree: COUNT { (n)-[:BLOCKS|RELATES]-() }
  }) AS nodes`;

/** A node loaded as a link's end is an outline, usually without its degree. */
function isLoaded(world: World, id: string): boolean {
  const node = world.nodes.get(id);
  return node === null || (node !== undefined && isWhole(node) && world.degrees.has(id));
}

/** Nodes by id, with their feeds and numbers of active links. */
export const nodes: Loader<string> = {
  cypher: NODES,
  missing: (world, ids) => distinct(ids).filter((id) => !isLoaded(world, id)),
  hydrate(world, ids, rows) {
    for (const row of rows) world.degrees.set(mergeNode(world, row.node).id, row.degree as number);
    for (const id of ids) if (!world.nodes.has(id)) world.nodes.set(id, null);
  },
};

/**
 * In: from, to, without (a link's id or null). Out: path (node ids). Locks: none. Cost: breadth
 * first from both ends, so proportional to the smaller side.
 */
const FIND_PATH = `
MATCH (a:Node {id: $from}), (b:Node {id: $to})
MATCH p = shortestPath((a)-[:BLOCKS*1..]->(b))
WHERE all(r IN relationships(p) WHERE $without IS NULL OR r.id <> $without)
RETURN [n IN nodes(p) | n.id] AS path`;

/**
 * In: nothing. Out: nothing. Locks: one node for all path searches of large commands. They read
 * links of owners that they have not locked, so two of them could close a cycle together. Cost:
 * constant.
 */
const LOCK_PATHS = `MERGE (lock:Lock {id: 'paths'}) SET lock.lock = true`;

async function findPaths(transaction: OpenTransaction, world: World, paths: readonly ReadItem<'paths'>[]) {
  await transaction.run(LOCK_PATHS, {});
  await Promise.all(
    paths.map(async ({ from, to, without }) => {
      const rows = await transaction.run(FIND_PATH, { from, to, without: without ?? null });
      world.paths.set(pathKey(from, to, without), (rows[0]?.path as string[] | undefined) ?? null);
    }),
  );
}

/**
 * Whether a path leads from one node to another, by the closure; for a large command, the database
 * searches.
 */
export const paths: Loader<ReadItem<'paths'>> = {
  implies: (wanted, { large }) => (large ? {} : { closuresOf: wanted.map(({ from }) => from) }),
  missing: (_world, wanted, { large }) => (large ? wanted : []),
  large: findPaths,
};

/**
 * In: returningOn (ids of all nodes to be restored in this group), bound. Out: as LINKS_ON, for
 * trashed links restorable with the node, and degree (active links of the other node). Locks: none.
 * Cost: the trashed links on the node.
 */
const RETURNING_ON = `
  UNWIND $in.returningOn AS id
  MATCH (n:Node {id: id})
  CALL (n) {
    MATCH (n)-[r:TRASHED]-(o)
    WHERE (${RETURNS}) OR (r.trashedWithNode = true AND o.id IN $in.returningOn)
    RETURN r, o ORDER BY r.id LIMIT $bound
  }
  WITH id, n, r, o LIMIT $rows
  RETURN collect({
    id: id, type: type(r), properties: properties(r), leaves: startNode(r) = n,
    degree: ${DEGREE},
    other: {p: o ${OUTLINE}, in: [(o)-[m:IN]->() | [m.feed, m.via]]}
  }) AS returningOn`;

/** Trashed links restorable with nodes. */
export const returningOn: Loader<string> = {
  cypher: RETURNING_ON,
  // The links arrive without the node.
  implies: (ids) => ({ nodes: ids }),
  missing(world, ids) {
    const missing = notIn(world.returningOn, ids);
    // A link between two trashed nodes is restorable if both are, so query earlier nodes again
    // together with a new one.
    return missing.length > 0 ? distinct([...world.returningOn.keys(), ...missing]) : [];
  },
  hydrate(world, ids, rows, load) {
    mergeLinksOn(world, world.returningOn, ids, byStart(rows, 'id', load), load);
    for (const row of rows) world.degrees.set((row.other as { p: { id: string } }).p.id, row.degree as number);
  },
};

/**
 * In: sourcesOf (ids), bound. Out: id, properties, source of active primary links into a node.
 * Locks: none. Cost: their number.
 */
const SOURCES = `
  UNWIND $in.sourcesOf AS id
  MATCH (t:Node {id: id})
  CALL (t) { MATCH (t)<-[r:BLOCKS]-(s) RETURN r, s LIMIT $bound }
  WITH id, r, s LIMIT $rows
  RETURN collect({
    id: id, properties: properties(r), source: {p: s ${OUTLINE}, in: [(s)-[m:IN]->() | [m.feed, m.via]]}
  }) AS sourcesOf`;

/** All active primary links into nodes, with their sources. */
export const sourcesOf: Loader<string> = {
  cypher: SOURCES,
  missing: (world, ids) => distinct(ids).filter((id) => !world.primaryInto.get(id)?.exhaustive),
  hydrate(world, ids, rows, load) {
    const grouped = byStart(rows, 'id', load);
    for (const id of ids) {
      if (load.overflowing.has(id)) continue;
      const links = (grouped.get(id) ?? []).map((row) => mergeLink(world, row, mergeNode(world, row.source).id, id).id);
      world.primaryInto.set(id, { links: new Set(links), exhaustive: true });
    }
  },
};

/**
 * In: targetsOf (ids), bound. Out: id, properties, target of active primary links from a node.
 * Locks: none. Cost: their number.
 */
const TARGETS = `
  UNWIND $in.targetsOf AS id
  MATCH (s:Node {id: id})
  CALL (s) { MATCH (s)-[r:BLOCKS]->(t) RETURN r, t LIMIT $bound }
  WITH id, r, t LIMIT $rows
  RETURN collect({
    id: id, properties: properties(r), target: {p: t ${OUTLINE}, in: [(t)-[m:IN]->() | [m.feed, m.via]]}
  }) AS targetsOf`;

/**
 * In: starts, bound. Out: id, properties (of a link) and target (a node), for the starts and every
 * node that a cascade from them can change from Completed to Blocked, that is, nodes reached only
 * over Completed, dependent nodes. Nulls if a node blocks nothing. Locks: none. Cost: the reachable
 * part, cut at the bound.
 */
const LOAD_CASCADES = `
UNWIND $starts AS start
MATCH (s:Node {id: start})
CALL (s) {
  MATCH p = (s)-[:BLOCKS*0..]->(m)
  WHERE all(n IN nodes(p) WHERE n = s OR (n.status = 3 AND n.independent = false))
  RETURN DISTINCT m
}
WITH DISTINCT m LIMIT $bound
OPTIONAL MATCH (m)-[r:BLOCKS]->(t)
WITH m, r, t LIMIT $bound
RETURN m.id AS id, properties(r) AS properties,
  CASE WHEN t IS NULL THEN null ELSE {p: t ${OUTLINE}, in: [(t)-[x:IN]->() | [x.feed, x.via]]} END AS target`;

async function loadCascades(transaction: OpenTransaction, world: World, starts: readonly string[], load: Load) {
  const { bounds, overflowing } = load;
  const rows = await transaction.run(LOAD_CASCADES, { starts: [...starts], bound: integer(bounds.entities + 1) });
  if (rows.length > bounds.entities) {
    for (const start of starts) overflowing.add(start);
    return;
  }
  // A start that does not exist blocks nothing.
  const found = new Map<string, Map<string, string>>(starts.map((start) => [start, new Map()]));
  for (const row of rows) {
    const id = row.id as string;
    const links = found.get(id) ?? new Map<string, string>();
    found.set(id, links);
    if (row.target === null) continue;
    const target = mergeNode(world, row.target);
    links.set(mergeLink(world, row, id, target.id).id, target.id);
  }
  for (const [id, links] of found) if (!world.primaryFrom.has(id)) world.primaryFrom.set(id, links);
}

/**
 * Active primary links from nodes, with their targets; for a large command, with everything that a
 * cascade over them can reach.
 */
export const targetsOf: Loader<string> = {
  cypher: TARGETS,
  missing: (world, ids) => notIn(world.primaryFrom, ids),
  hydrate(world, ids, rows, load) {
    const grouped = byStart(rows, 'id', load);
    for (const id of ids) {
      if (load.overflowing.has(id)) continue;
      const links = new Map<string, string>();
      for (const row of grouped.get(id) ?? []) {
        const target = mergeNode(world, row.target);
        links.set(mergeLink(world, row, id, target.id).id, target.id);
      }
      world.primaryFrom.set(id, links);
    }
  },
  large: loadCascades,
};
