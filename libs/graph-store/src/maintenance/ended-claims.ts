// Claims whose end has passed, for the jobs that expire them. Rule: CLAIM3.
import { integer } from '../driver/codec.ts';
import type { Database } from '../driver/database.ts';

/** The position after a page. */
export interface EndedClaim {
  readonly id: string;
  readonly until: string;
}

/**
 * In: until (timestamp), after (until, id), limit. Out: id, until of nodes whose claim ended by
 * then, the earliest first. Other nodes have a claim only by a worker of the release before claims.
 * Locks: none. Cost: the results, by the index's order.
 */
const LIST_ENDED_CLAIMS = `
MATCH (n:Node) USING INDEX SEEK n:Node(claimUntil, id)
WHERE n.claimUntil >= $after.until AND n.claimUntil <= $until AND n.id > ''
  AND CASE WHEN n.claimUntil = $after.until THEN n.id > $after.id ELSE true END
  AND n.inTrash = false AND n.status IN [1, 2]
RETURN n.id AS id, n.claimUntil AS until
ORDER BY n.claimUntil, n.id LIMIT $limit`;

const START: EndedClaim = { id: '', until: '' };

/** A page of the claims that ended by `until` (ISO 8601), after the last one of the page before. */
export async function listEndedClaims(
  database: Database,
  { until, after, limit }: { readonly until: string; readonly after: EndedClaim | null; readonly limit: number },
): Promise<EndedClaim[]> {
  const rows = await database.read(LIST_ENDED_CLAIMS, { until, after: { ...(after ?? START) }, limit: integer(limit) });
  return rows as unknown as EndedClaim[];
}
