// Active primary links that leave nodes, with their targets; for a large command, with all that a cascade over them can reach.
import type { World } from '@taskgraph/domain/state/world';
import { integer } from '../../../driver/codec.ts';
import type { OpenTransaction } from '../../../driver/database.ts';
import { keepLink, keepNode } from '../hydrate.ts';
import { byStart, type Load, type Loader, notIn } from '../loader.ts';
import { OUTLINE } from '../outline.ts';

/** In: targetsOf (ids), bound. Out: id, properties, target of active primary links that leave a node. Locks: none. Cost: their number. */
const TARGETS = `
  UNWIND $in.targetsOf AS id
  MATCH (s:Node {id: id})
  CALL (s) { MATCH (s)-[r:BLOCKS]->(t) RETURN r, t LIMIT $bound }
  WITH id, r, t LIMIT $rows
  RETURN collect({
    id: id, properties: properties(r), target: {p: t ${OUTLINE}, in: [(t)-[m:IN]->() | [m.feed, m.via]]}
  }) AS targetsOf`;

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
    const target = keepNode(world, row.target);
    links.set(keepLink(world, row, id, target.id).id, target.id);
  }
  for (const [id, links] of found) if (!world.primaryFrom.has(id)) world.primaryFrom.set(id, links);
}

export const targetsOf: Loader<string> = {
  cypher: TARGETS,
  missing: (world, ids) => notIn(world.primaryFrom, ids),
  hydrate(world, ids, rows, load) {
    const grouped = byStart(rows, 'id', load);
    for (const id of ids) {
      if (load.overflowing.has(id)) continue;
      const links = new Map<string, string>();
      for (const row of grouped.get(id) ?? []) {
        const target = keepNode(world, row.target);
        links.set(keepLink(world, row, id, target.id).id, target.id);
      }
      world.primaryFrom.set(id, links);
    }
  },
  large: loadCascades,
};
