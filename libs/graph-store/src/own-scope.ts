// The scope of a reader to whom nothing is shared: their own nodes, found by the order of an index. Rules: EVT3, LNK9.
import { decodeLink, integer } from './codec.ts';
import type { Database } from './database.ts';
import type { Scope, Window } from './graph-page.ts';
import { decodePlacedNode } from './placed-nodes.ts';

/** In: owner, after (id or ''), skip, limit. Out: node, feeds. Locks: none. Cost: skip and limit, by the index's order. */
const PAGE_NODES = `
MATCH (n:Node)
USING INDEX n:Node(ownerId, inTrash, id)
WHERE n.ownerId = $owner AND n.inTrash = false AND n.id > $after
WITH n ORDER BY n.ownerId, n.inTrash, n.id SKIP $skip LIMIT $limit
RETURN properties(n) AS node,
  [(n)-[row:IN]->(f:Feed) WHERE row.feed STARTS WITH 'user:' OR f.grants > 0 OR f.public | row.feed] AS feeds`;

/** In: owner. Out: count. Locks: none. Cost: in proportion to the owner's nodes; only asked by a page past the last node. */
const COUNT_NODES = `
MATCH (n:Node)
USING INDEX n:Node(ownerId, inTrash, id)
WHERE n.ownerId = $owner AND n.inTrash = false AND n.id > ''
RETURN count(n) AS count`;

/**
 * In: owner, after (id or ''), skip, limit, reach (skip + limit). Out: type, properties, source, target. Locks: none.
 * Cost: skip and limit, by the indexes' order; links to nodes of others, which the owner may not see any more, are passed over.
 *
 * The indexes are named, since a plan is made once, on a database that may be young: other indexes would do while there is little in it.
 * Privacy is judged by CASE, since the planner makes two scans without order of an OR.
 */
const PAGE_LINKS = `
CALL () {
  MATCH (a)-[r:BLOCKS]->(b)
  USING INDEX r:BLOCKS(sourceOwnerId, id)
  WHERE r.sourceOwnerId = $owner AND r.id > $after AND r.targetOwnerId = $owner
    AND CASE WHEN r.private THEN r.ownerId = $owner ELSE true END
  RETURN r, a.id AS source, b.id AS target ORDER BY r.sourceOwnerId, r.id LIMIT $reach
  UNION ALL
  MATCH (a)-[r:RELATES]->(b)
  USING INDEX r:RELATES(sourceOwnerId, id)
  WHERE r.sourceOwnerId = $owner AND r.id > $after AND r.targetOwnerId = $owner
    AND CASE WHEN r.private THEN r.ownerId = $owner ELSE true END
  RETURN r, a.id AS source, b.id AS target ORDER BY r.sourceOwnerId, r.id LIMIT $reach
}
RETURN type(r) AS type, properties(r) AS properties, source, target
ORDER BY r.id SKIP $skip LIMIT $limit`;

/** What an owner sees to whom nothing is shared, and in whose tree nothing of others hangs. */
export function ownScope(database: Database, owner: string): Scope {
  return {
    async nodes({ after, skip, limit }) {
      const rows = await database.read(PAGE_NODES, { owner, after, skip: integer(skip), limit: integer(limit) });
      const nodes = rows.map(decodePlacedNode);
      const ids = nodes.map(({ node }) => node.id);
      const skipped = ids.length > 0 || skip === 0 ? skip : Math.min(skip, await countNodes(database, owner));
      return { ids, nodes, skipped };
    },
    async links({ after, skip, limit }: Window) {
      const window = { skip: integer(skip), limit: integer(limit), reach: integer(skip + limit) };
      const rows = await database.read(PAGE_LINKS, { owner, after, ...window });
      return rows.map((row) => decodeLink(row as Parameters<typeof decodeLink>[0]));
    },
  };
}

async function countNodes(database: Database, owner: string): Promise<number> {
  const [row] = await database.read(COUNT_NODES, { owner });
  return (row?.count as number | undefined) ?? 0;
}
