// The nodes among some that a claim might take. Rule: CLAIM1.
import type { Database } from '../../driver/database.ts';
import { LIVE_FEEDS } from '../../driver/statement-parts.ts';

/** A node that is free, for checks of access. */
export interface ClaimableNode {
  readonly id: string;
  readonly ownerId: string;
  readonly feeds: readonly string[];
}

/**
 * In: ids, now. Out: id, ownerId, feeds, of the active nodes that are Available, or in progress
 * with a claim that has ended. Locks: none. Cost: one index look-up each, and the rows of those
 * returned.
 */
const CLAIMABLE = `
UNWIND $ids AS id
MATCH (n:Node {id: id}) USING INDEX SEEK n:Node(id)
WHERE n.inTrash = false AND (n.status = 0 OR (n.status = 1 AND n.claimUntil <= $now))
RETURN id, n.ownerId AS ownerId, ${LIVE_FEEDS} AS feeds`;

/** The free nodes among these, by id. `now`: ISO 8601 UTC with milliseconds. */
export async function readClaimableNodes(
  database: Database,
  ids: readonly string[],
  now: string,
): Promise<Map<string, ClaimableNode>> {
  const rows = await database.read(CLAIMABLE, { ids: [...ids], now });
  return new Map((rows as unknown as ClaimableNode[]).map((node) => [node.id, node]));
}
