// Removes claims that no longer count from nodes that workers of the release before claims completed
// or trashed. Without this, each search for ended claims would read them again. Rule: CLAIM3.
import { integer } from '../driver/codec.ts';
import type { Database } from '../driver/database.ts';

const TIMEOUT_MS = 30_000;

/** A claim past its end counts only on a node in progress, or Blocked with that status stored. */
const IS_STALE = '(n.inTrash OR coalesce(n.statusBefore, n.status) <> 1)';

/**
 * In: until (timestamp), limit. Out: id, owner of nodes with a claim that ended by then and does not
 * count. Locks: none. Cost: the ended claims up to the last result, by the index's order.
 */
const LIST_STALE_CLAIMS = `
MATCH (n:Node) USING INDEX SEEK n:Node(claimUntil, id)
WHERE n.claimUntil >= '' AND n.claimUntil <= $until AND n.id > '' AND ${IS_STALE}
RETURN n.id AS id, n.ownerId AS owner LIMIT $limit`;

/** In: owners (ids). Out: id. Locks: those users, in order. Cost: one index look-up each. */
const LOCK_OWNERS = `
UNWIND $owners AS id
MATCH (u:User {id: id}) USING INDEX SEEK u:User(id) SET u.lock = true
RETURN u.id AS id`;

/**
 * In: ids, until. Out: removed, how many. Locks: the nodes; run it under the locks of their owners,
 * since a node may have been claimed meanwhile. Cost: one index look-up each.
 */
const REMOVE_CLAIMS = `
UNWIND $ids AS id
MATCH (n:Node {id: id}) USING INDEX SEEK n:Node(id) WHERE n.claimUntil <= $until AND ${IS_STALE}
REMOVE n.claimUntil, n.claimedBy, n.claimId, n.claimerId, n.claimAssigned
RETURN count(*) AS removed`;

/**
 * Removes up to `limit` of these claims. Returns the number of claims that were found, of which
 * commands may have ended some meanwhile. Changes no version: readers see no such claim.
 */
export async function removeStaleClaims(
  database: Database,
  { until, limit }: { readonly until: string; readonly limit: number },
): Promise<number> {
  const rows = await database.read(LIST_STALE_CLAIMS, { until, limit: integer(limit) });
  const nodes = rows as unknown as { readonly id: string; readonly owner: string }[];
  if (nodes.length === 0) return 0;
  const transaction = database.begin(TIMEOUT_MS);
  let isCommitted = false;
  try {
    await transaction.run(LOCK_OWNERS, { owners: [...new Set(nodes.map(({ owner }) => owner))].sort() });
    await transaction.run(REMOVE_CLAIMS, { ids: nodes.map(({ id }) => id), until });
    await transaction.commit();
    isCommitted = true;
    return nodes.length;
  } finally {
    if (!isCommitted) await transaction.rollback();
  }
}
