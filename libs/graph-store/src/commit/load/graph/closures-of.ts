// All that active primary links reach from nodes.
import { byStart, distinct, type Loader } from '../loader.ts';

/**
 * In: closuresOf (ids), bound. Out: start, node (id), owner and out (pairs of link id and target id), for every node that active primary
 * links reach from the start, the start included. Locks: none. Cost: the part that is reached, cut at the bound.
 */
const CLOSURES = `
  UNWIND $in.closuresOf AS start
  MATCH (s:Node {id: start})
  CALL (s) { MATCH (s)-[:BLOCKS*0..]->(m) WITH DISTINCT m LIMIT $bound RETURN m }
  WITH start, m LIMIT $rows
  RETURN collect({
    start: start, node: m.id, owner: m.ownerId, out: [(m)-[r:BLOCKS]->(t) | [r.id, t.id]]
  }) AS closuresOf`;

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
    // A start that does not exist leads nowhere.
    for (const id of ids)
      if (!load.overflowing.has(id) && !world.primaryFrom.has(id)) world.primaryFrom.set(id, new Map());
  },
};
