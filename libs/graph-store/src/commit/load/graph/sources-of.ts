// All active primary links that reach nodes, with their sources.
import { keepLink, keepNode } from '../hydrate.ts';
import { byStart, distinct, type Loader } from '../loader.ts';
import { OUTLINE } from '../outline.ts';

/** In: sourcesOf (ids), bound. Out: id, properties, source of active primary links that reach a node. Locks: none. Cost: their number. */
const SOURCES = `
  UNWIND $in.sourcesOf AS id
  MATCH (t:Node {id: id})
  CALL (t) { MATCH (t)<-[r:BLOCKS]-(s) RETURN r, s LIMIT $bound }
  WITH id, r, s LIMIT $rows
  RETURN collect({
    id: id, properties: properties(r), source: {p: s ${OUTLINE}, in: [(s)-[m:IN]->() | [m.feed, m.via]]}
  }) AS sourcesOf`;

export const sourcesOf: Loader<string> = {
  cypher: SOURCES,
  missing: (world, ids) => distinct(ids).filter((id) => !world.primaryInto.get(id)?.exhaustive),
  hydrate(world, ids, rows, load) {
    const grouped = byStart(rows, 'id', load);
    for (const id of ids) {
      if (load.overflowing.has(id)) continue;
      const links = (grouped.get(id) ?? []).map((row) => keepLink(world, row, keepNode(world, row.source).id, id).id);
      world.primaryInto.set(id, { links: new Set(links), exhaustive: true });
    }
  },
};
