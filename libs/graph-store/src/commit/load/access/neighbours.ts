// Active links on nodes that are not private, and which feeds the other ends belong to.
import { keepMember } from '../hydrate.ts';
import { byStart, type Loader, notIn } from '../loader.ts';

/**
 * In: neighbours (ids), bound. Out: id, link and other (ids), owner and rows of the other, for active links that are not private.
 * Locks: none. Cost: the number of links.
 */
const NEIGHBOURS = `
  UNWIND $in.neighbours AS id
  MATCH (n:Node {id: id})
  CALL (n) { MATCH (n)-[r:BLOCKS|RELATES]-(o) WHERE r.private = false RETURN r, o LIMIT $bound }
  WITH id, r, o LIMIT $rows
  RETURN collect({
    start: id, link: r.id, id: o.id, owner: o.ownerId, in: [(o)-[m:IN]->() | [m.feed, m.via]]
  }) AS neighbours`;

export const neighbours: Loader<string> = {
  cypher: NEIGHBOURS,
  missing: (world, ids) => notIn(world.neighbours, ids),
  hydrate(world, ids, rows, load) {
    const grouped = byStart(rows, 'start', load);
    for (const id of ids) {
      if (load.overflowing.has(id)) continue;
      const links = (grouped.get(id) ?? []).map((row) => [row.link as string, keepMember(world, row)] as const);
      world.neighbours.set(id, new Map(links));
    }
  },
};
