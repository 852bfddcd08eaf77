// Nodes above a node, each with its memberships and its parents by propagating links. Rules: WHY2,
// ACL3.
import { type AscentNode, MAXIMUM_LINKS } from '@taskgraph/domain/why/ascent';
import { integer } from '../../driver/codec.ts';
import type { Database } from '../../driver/database.ts';
import { LIVE_FEEDS } from '../../driver/statement-parts.ts';
import { createStepLookup, NODES_AHEAD, STEPS_AHEAD } from './step-lookup.ts';

/** A node above another, with the fields for access checks. */
export interface AscentNodeWithFeeds extends AscentNode {
  readonly feeds: readonly string[];
}

/**
 * Maximum links that one statement reads: one more than a whole walk may visit, so that a cut
 * always ends the walk.
 */
const LINKS_AT_ONCE = MAXIMUM_LINKS + 1;

/**
 * In: n, links (maximum links of all nodes together). Out: n, node (id, owner, whether it is in the
 * trash), above (ids of the nodes above it). Locks: none. Cost: the links that leave the nodes, up
 * to the bound.
 */
const NODE = `
OPTIONAL MATCH (n)-[r:BLOCKS|RELATES]->(t:Node) WHERE r.conveys = true AND r.private = false
WITH n, t LIMIT $links
WITH n, [n.id, n.ownerId, n.inTrash] AS node, collect(t.id) AS above`;

/**
 * In: ids, links. Out: node (a list of values), above (ids of the targets of their propagating
 * links), feeds; no row for a missing node. Locks: none. Cost: one index look-up each, their rows,
 * and the links that leave them.
 */
const ASCENT_NODES = `
UNWIND $ids AS id
MATCH (n:Node {id: id})${NODE}
RETURN node, above, ${LIVE_FEEDS} AS feeds`;

/**
 * In: ids, bound, links. Out: like ASCENT_NODES, for these and the nodes above them. Locks: none.
 * Cost: the reachable part with its links, cut at the bound.
 */
const ASCENT_AHEAD = `
UNWIND $ids AS id
MATCH (start:Node {id: id})-[links:BLOCKS|RELATES*0..${STEPS_AHEAD}]->(n:Node) USING INDEX SEEK start:Node(id)
WHERE all(link IN links WHERE link.conveys = true AND link.private = false)
WITH DISTINCT n LIMIT $bound${NODE}
RETURN node, above, ${LIVE_FEEDS} AS feeds`;

/** Looks up nodes above a node. */
export function createAscentLookup(database: Database) {
  const links = integer(LINKS_AT_ONCE);
  return createStepLookup<AscentNodeWithFeeds>({
    here: async (ids) => (await database.read(ASCENT_NODES, { ids: [...ids], links })).map(ascentNodeOf),
    ahead: async (ids) => {
      const bound = integer(NODES_AHEAD + ids.length);
      return (await database.read(ASCENT_AHEAD, { ids: [...ids], bound, links })).map(ascentNodeOf);
    },
  });
}

function ascentNodeOf(row: Readonly<Record<string, unknown>>): AscentNodeWithFeeds {
  const [id, ownerId, inTrash] = row.node as [string, string, boolean];
  return { id, ownerId, inTrash, above: row.above as string[], feeds: row.feeds as string[] };
}
