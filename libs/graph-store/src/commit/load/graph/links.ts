// Links by id, trashed ones included, with both ends.
import { LINK_BY_ID } from '../../../driver/statement-parts.ts';
import { keepLink, keepNode } from '../hydrate.ts';
import { type Loader, notIn } from '../loader.ts';
import { OUTLINE } from '../outline.ts';

/** In: links (ids). Out: type, properties, source, target (both nodes). Locks: none. Cost: three index look-ups each. */
const LINKS = `
  UNWIND $in.links AS id
  CALL (id) {${LINK_BY_ID}
  }
  RETURN collect({
    type: type(r), properties: properties(r),
    source: {p: a ${OUTLINE}, in: [(a)-[m:IN]->() | [m.feed, m.via]], feeds: [(a)-[:IN]->(f) | properties(f)]},
    target: {p: b ${OUTLINE}, in: [(b)-[m:IN]->() | [m.feed, m.via]], feeds: [(b)-[:IN]->(f) | properties(f)]}
  }) AS links`;

export const links: Loader<string> = {
  cypher: LINKS,
  missing: (world, ids) => notIn(world.links, ids),
  hydrate(world, ids, rows) {
    for (const row of rows) keepLink(world, row, keepNode(world, row.source).id, keepNode(world, row.target).id);
    for (const id of ids) if (!world.links.has(id)) world.links.set(id, null);
  },
};
