// Trashed links that may come back with nodes.
import { DEGREE, RETURNS } from '../../../driver/statement-parts.ts';
import { keepLinksOn } from '../hydrate.ts';
import { byStart, distinct, type Loader, notIn } from '../loader.ts';
import { OUTLINE } from '../outline.ts';

/**
 * In: returningOn (ids of all nodes that may come back in this group), bound. Out: as LINKS_ON, for trashed links that may come back with
 * the node, and degree (active links of the other node). Locks: none. Cost: the trashed links on the node.
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

export const returningOn: Loader<string> = {
  cypher: RETURNING_ON,
  // They come without the node.
  implies: (ids) => ({ nodes: ids }),
  missing(world, ids) {
    const missing = notIn(world.returningOn, ids);
    // A link between two of them comes back where both do, so that each is asked for again beside a new one.
    return missing.length > 0 ? distinct([...world.returningOn.keys(), ...missing]) : [];
  },
  hydrate(world, ids, rows, load) {
    keepLinksOn(world, world.returningOn, ids, byStart(rows, 'id', load), load);
    for (const row of rows) world.degrees.set((row.other as { p: { id: string } }).p.id, row.degree as number);
  },
};
