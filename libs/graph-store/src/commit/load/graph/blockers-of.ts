// Some links that block nodes, to show who blocks.
import { keepLink, keepNode } from '../hydrate.ts';
import { type Loader, notIn } from '../loader.ts';
import { OUTLINE } from '../outline.ts';

/** In: blockersOf (ids), shown. Out: like SOURCES, for sources that block, cut. Locks: none. Cost: up to their number. */
const BLOCKERS = `
  UNWIND $in.blockersOf AS id
  MATCH (t:Node {id: id})
  CALL (t) { MATCH (t)<-[r:BLOCKS]-(s) WHERE s.status <> 3 RETURN r, s LIMIT $shown }
  WITH id, r, s LIMIT $rows
  RETURN collect({
    id: id, properties: properties(r), source: {p: s ${OUTLINE}, in: [(s)-[m:IN]->() | [m.feed, m.via]]}
  }) AS blockersOf`;

export const blockersOf: Loader<string> = {
  cypher: BLOCKERS,
  missing: (world, ids) => notIn(world.primaryInto, ids),
  hydrate(world, ids, rows) {
    const found = new Map<string, Set<string>>(ids.map((id) => [id, new Set()]));
    for (const row of rows) {
      const target = row.id as string;
      found.get(target)?.add(keepLink(world, row, keepNode(world, row.source).id, target).id);
    }
    // A complete list stays: a cut one must not take its place.
    for (const [id, links] of found) {
      if (!world.primaryInto.has(id)) world.primaryInto.set(id, { links, exhaustive: false });
    }
  },
};
