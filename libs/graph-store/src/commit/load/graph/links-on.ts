// All links on nodes.
import { keepLinksOn } from '../hydrate.ts';
import { byStart, type Loader, notIn } from '../loader.ts';
import { OUTLINE } from '../outline.ts';

/**
 * In: linksOn (ids), bound. Out: id, type, properties, leaves (whether the node is the source), other (the node at the other end).
 * Locks: none. Cost: the number of links.
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

export const linksOn: Loader<string> = {
  cypher: LINKS_ON,
  // They come without the node.
  implies: (ids) => ({ nodes: ids }),
  missing: (world, ids) => notIn(world.linksOn, ids),
  hydrate: (world, ids, rows, load) => keepLinksOn(world, world.linksOn, ids, byStart(rows, 'id', load), load),
};
