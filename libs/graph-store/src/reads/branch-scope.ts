// The scope of a branch without a share root, so without stored memberships: it is walked. Rules:
// ACL2, ACL3, EVT3.
import { integer } from '../driver/codec.ts';
import type { Database } from '../driver/database.ts';
import type { PagedGraph } from './graph-page.ts';
import { LINKS_WITH_OWNERS, readLinksWithOwners } from './links-with-owners.ts';
import { readNodesWithFeeds } from './nodes-with-feeds.ts';

/** Maximum nodes of a walked branch. */
export const MAXIMUM_WALK = 20_000;

/**
 * In: root, bound. Out: id of the nodes of the branch, including the root. Locks: none. Cost: the
 * branch with its links, cut at the bound.
 */
const WALK_BRANCH = `
MATCH (root:Node {id: $root}) USING INDEX SEEK root:Node(id)
MATCH (root)<-[links:BLOCKS|RELATES*0..]-(below:Node)
WHERE all(link IN links WHERE link.conveys = true AND link.private = false)
WITH DISTINCT below LIMIT $bound
RETURN below.id AS id`;

/**
 * In: ids, reader, after, skip, limit. Out: see LINKS_WITH_OWNERS, in order of id. Locks: none.
 * Cost: the links that leave these nodes.
 *
 * The other end is checked after a WITH; otherwise the planner would look up all ids for each link.
 */
const LINKS_AMONG = `
UNWIND $ids AS id
MATCH (a:Node {id: id})-[r:BLOCKS|RELATES]->(b:Node) USING INDEX SEEK a:Node(id)
WHERE r.id > $after AND CASE WHEN r.private THEN r.ownerId = $reader ELSE true END
WITH a, r, b.id AS target WHERE target IN $ids
WITH r, a.id AS source, target ORDER BY r.id SKIP $skip LIMIT $limit${LINKS_WITH_OWNERS}`;

/** The ids of a branch, in order; null if it is too large to walk. */
export async function walkBranch(database: Database, root: string): Promise<string[] | null> {
  const ids = await walkBelow(database, root);
  return ids.length > MAXIMUM_WALK ? null : ids.sort();
}

/** The ids of a node's branch, nearest first: at most one more than the limit of a walk. */
export async function walkBelow(database: Database, root: string): Promise<string[]> {
  const rows = await database.read(WALK_BRANCH, { root, bound: integer(MAXIMUM_WALK + 1) });
  return rows.map(({ id }) => id as string);
}

/** These nodes and the links among them. `ids` are in order. */
export function listScope(database: Database, ids: readonly string[], readerId: string | null): PagedGraph {
  return {
    async nodes({ after, skip, limit }, budget) {
      const left = ids.filter((id) => id > after);
      const page = left.slice(skip, skip + limit);
      const { nodes, consumed } = await readNodesWithFeeds(database, page, budget);
      const hasMore = skip + consumed < left.length;
      return { nodes, consumed, last: page[consumed - 1] ?? null, hasMore, skipped: Math.min(skip, left.length) };
    },
    async links({ after, skip, limit }) {
      const wanted = {
        ids: [...ids],
        reader: readerId ?? '',
        after,
        skip: integer(skip),
        limit: integer(limit),
      };
      return readLinksWithOwners(() => database.read(LINKS_AMONG, wanted));
    },
  };
}
