// The scope of a reader without access to others' nodes: their own nodes, in an index's order.
// Rules: EVT3, LNK9.
import { integer } from '../driver/codec.ts';
import type { Database } from '../driver/database.ts';
import type { NodeRange, PagedGraph } from './graph-page.ts';
import { LINKS_WITH_OWNERS, readLinksWithOwners } from './links-with-owners.ts';
import { NODES_WITH_FEEDS, type NodePageParameters, readNodePage } from './nodes-with-feeds.ts';
import type { ByteBudget } from './page-byte-limit.ts';
import type { PageWindow } from './page-window.ts';

/**
 * In: owner, after (id or ''), skip, limit, bytes, characterBytes. Out: see NODES_WITH_FEEDS.
 * Locks: none. Cost: skip and limit, by the index's order, and the full nodes returned.
 */
const PAGE_NODES = `
MATCH (n:Node)
USING INDEX SEEK n:Node(ownerId, inTrash, id)
WHERE n.ownerId = $owner AND n.inTrash = false AND n.id > $after
WITH n ORDER BY n.ownerId, n.inTrash, n.id SKIP $skip LIMIT $limit${NODES_WITH_FEEDS}`;

/**
 * In: owner. Out: count. Locks: none. Cost: proportional to the owner's nodes; used only by a page
 * past the last node.
 */
const COUNT_NODES = `
MATCH (n:Node)
USING INDEX SEEK n:Node(ownerId, inTrash, id)
WHERE n.ownerId = $owner AND n.inTrash = false AND n.id > ''
RETURN count(n) AS count`;

/**
 * In: owner, after (id or ''), skip, limit, reach (skip + limit). Out: see LINKS_WITH_OWNERS, in
 * order of id. Locks: none. Cost: skip and limit, by the indexes' order; links to other users'
 * nodes, which the owner may no longer see, are skipped.
 *
 * The hints name the indexes, since a plan is made once, perhaps on a young database where another
 * index would suffice. Privacy is a CASE, since the planner turns an OR into two unordered scans.
 */
const PAGE_LINKS = `
CALL () {
  MATCH (a)-[r:BLOCKS]->(b)
  USING INDEX SEEK r:BLOCKS(sourceOwnerId, id)
  WHERE r.sourceOwnerId = $owner AND r.id > $after AND r.targetOwnerId = $owner
    AND CASE WHEN r.private THEN r.ownerId = $owner ELSE true END
  RETURN r, a.id AS source, b.id AS target ORDER BY r.sourceOwnerId, r.id LIMIT $reach
  UNION ALL
  MATCH (a)-[r:RELATES]->(b)
  USING INDEX SEEK r:RELATES(sourceOwnerId, id)
  WHERE r.sourceOwnerId = $owner AND r.id > $after AND r.targetOwnerId = $owner
    AND CASE WHEN r.private THEN r.ownerId = $owner ELSE true END
  RETURN r, a.id AS source, b.id AS target ORDER BY r.sourceOwnerId, r.id LIMIT $reach
}
WITH r, source, target ORDER BY r.id SKIP $skip LIMIT $limit${LINKS_WITH_OWNERS}`;

/**
 * The graph of an owner without access to others' nodes and without others' nodes in their tree.
 */
export function ownScope(database: Database, owner: string): PagedGraph {
  return {
    nodes: (window, budget) => readNodes(database, owner, window, budget),
    async links({ after, skip, limit }) {
      const bounds = { skip: integer(skip), limit: integer(limit), reach: integer(skip + limit) };
      return readLinksWithOwners(() => database.read(PAGE_LINKS, { owner, after, ...bounds }));
    },
  };
}

async function readNodes(
  database: Database,
  owner: string,
  window: PageWindow,
  budget: ByteBudget,
): Promise<NodeRange> {
  const read = (parameters: NodePageParameters) => database.read(PAGE_NODES, { owner, ...parameters });
  const range = await readNodePage(read, window, budget);
  const isPastEnd = range.last === null && !range.hasMore && window.skip > 0;
  return { ...range, skipped: isPastEnd ? await skippedOf(database, owner, window.skip) : window.skip };
}

/** How many nodes could be skipped, if a page begins past the last one. */
async function skippedOf(database: Database, owner: string, skip: number): Promise<number> {
  return Math.min(skip, await countNodes(database, owner));
}

async function countNodes(database: Database, owner: string): Promise<number> {
  const [row] = await database.read(COUNT_NODES, { owner });
  return (row?.count as number | undefined) ?? 0;
}
