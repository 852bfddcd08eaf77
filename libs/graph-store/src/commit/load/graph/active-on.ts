// Active links on nodes, as many as there can be for a large command.

import { linksBoundOf } from '../bounds.ts';
import { keepLinksOn } from '../hydrate.ts';
import { byStart, type Loader, notIn } from '../loader.ts';
import { OUTLINE } from '../outline.ts';

/** In: activeOn (ids), linksBound. Out: as LINKS_ON, for active links. Locks: none. Cost: their number. */
const ACTIVE_ON = `
  UNWIND $in.activeOn AS id
  MATCH (n:Node {id: id})
  CALL (n) { MATCH (n)-[r:BLOCKS|RELATES]-(o) RETURN r, o LIMIT $linksBound }
  WITH id, n, r, o LIMIT $rows
  RETURN collect({
    id: id, type: type(r), properties: properties(r), leaves: startNode(r) = n,
    other: {p: o ${OUTLINE}, in: [(o)-[m:IN]->() | [m.feed, m.via]]}
  }) AS activeOn`;

export const activeOn: Loader<string> = {
  cypher: ACTIVE_ON,
  // They come without the node.
  implies: (ids) => ({ nodes: ids }),
  missing: (world, ids) => notIn(world.activeOn, ids),
  hydrate(world, ids, rows, load) {
    keepLinksOn(world, world.activeOn, ids, byStart(rows, 'id', load, linksBoundOf(load.bounds)), load);
  },
};
