// What is loaded in another way for one command whose surroundings are too large to load with others: cascades and branches in one go,
// row by row, and paths by the database's own search.
import { pathKey, type World } from '@taskgraph/domain/state/world';
import { integer } from '../driver/codec.ts';
import type { OpenTransaction, Row } from '../driver/database.ts';
import { keepLink, keepMember, keepNode } from './hydrate.ts';
import type { Limit } from './load-bounds.ts';
import { OUTLINE } from './outline.ts';

/**
 * In: starts, bound. Out: id, properties (of a link) and target (a node), for the starts and for every node that a cascade from them can
 * turn from Completed to Blocked: those reached over Completed, dependent nodes alone. One that blocks nothing comes with nulls.
 * Locks: none. Cost: what is reached, cut at the bound.
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

export async function loadCascades(
  transaction: OpenTransaction,
  world: World,
  starts: readonly string[],
  { bounds, overflowing }: Limit,
): Promise<void> {
  if (starts.length === 0) return;
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
    const target = keepNode(world, row.target);
    links.set(keepLink(world, row, id, target.id).id, target.id);
  }
  for (const [id, links] of found) if (!world.primaryFrom.has(id)) world.primaryFrom.set(id, links);
}

/**
 * In: starts, bound. Out: id, owner, rows, and conveying links into the node (link, source) and from it (link, target), for all starts
 * and what is below any of them over conveying links, once each. Locks: none. Cost: what is below each start, cut at the bound of all.
 */
const LOAD_BRANCHES = `
UNWIND $starts AS start
MATCH (s:Node {id: start})
CALL (s) {
  MATCH (s)<-[r:BLOCKS|RELATES*0..]-(n) WHERE all(link IN r WHERE link.conveys = true AND link.private = false)
  RETURN DISTINCT n
}
WITH DISTINCT n LIMIT $bound
RETURN n.id AS id, n.ownerId AS owner, [(n)-[m:IN]->() | [m.feed, m.via]] AS in,
  [(n)<-[l:BLOCKS|RELATES]-(c) WHERE l.conveys = true AND l.private = false | [l.id, c.id]] AS into,
  [(n)-[l:BLOCKS|RELATES]->(t) WHERE l.conveys = true AND l.private = false | [l.id, t.id]] AS from`;

/** In: ids. Out: id, owner, rows. Locks: none. Cost: one index look-up each. */
const LOAD_ROWS = `
UNWIND $ids AS id
MATCH (n:Node {id: id})
RETURN n.id AS id, n.ownerId AS owner, [(n)-[m:IN]->() | [m.feed, m.via]] AS in`;

/** All branches together count against the bound. */
export async function loadBranches(
  transaction: OpenTransaction,
  world: World,
  starts: readonly string[],
  { bounds, overflowing }: Limit,
): Promise<void> {
  if (starts.length === 0) return;
  const rows = await transaction.run(LOAD_BRANCHES, { starts: [...starts], bound: integer(bounds.entities + 1) });
  if (rows.length > bounds.entities) {
    for (const start of starts) overflowing.add(start);
    return;
  }
  const outside = new Set<string>();
  for (const row of rows) {
    const id = keepMember(world, row);
    const from = new Map(row.from as [string, string][]);
    for (const target of from.values()) outside.add(target);
    if (!world.conveyedInto.has(id)) world.conveyedInto.set(id, new Map(row.into as [string, string][]));
    if (!world.conveyedFrom.has(id)) world.conveyedFrom.set(id, from);
  }
  // What the branches hang in is asked for once: with each link to it, a parent of 10,000 would come 10,000 times.
  const ids = [...outside].filter((id) => !world.members.has(id));
  if (ids.length > 0) for (const row of await transaction.run(LOAD_ROWS, { ids })) keepMember(world, row as Row);
}

/**
 * In: from, to, without (a link's id or null). Out: path (node ids). Locks: none.
 * Cost: breadth first from both ends, so in proportion to the smaller side.
 */
const FIND_PATH = `
MATCH (a:Node {id: $from}), (b:Node {id: $to})
MATCH p = shortestPath((a)-[:BLOCKS*1..]->(b))
WHERE all(r IN relationships(p) WHERE $without IS NULL OR r.id <> $without)
RETURN [n IN nodes(p) | n.id] AS path`;

/**
 * In: nothing. Out: nothing. Locks: one node for all searches of paths, of which only large commands are in need: they read links of owners
 * that they have not locked, so that two of them could close a cycle together. Cost: constant.
 */
const LOCK_PATHS = `MERGE (lock:Lock {id: 'paths'}) SET lock.lock = true`;

export async function findPaths(
  transaction: OpenTransaction,
  world: World,
  wanted: readonly { from: string; to: string; without?: string }[],
): Promise<void> {
  if (wanted.length > 0) await transaction.run(LOCK_PATHS, {});
  await Promise.all(
    wanted.map(async ({ from, to, without }) => {
      const rows = await transaction.run(FIND_PATH, { from, to, without: without ?? null });
      world.paths.set(pathKey(from, to, without), (rows[0]?.path as string[] | undefined) ?? null);
    }),
  );
}
