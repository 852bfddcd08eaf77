// The grants on one node, for its admins and grantees. Rules: ACL5, ACL9.
import type { GrantState } from '@taskgraph/domain/state/state';
import { decodeGrant, integer } from '../driver/codec.ts';
import type { Database } from '../driver/database.ts';

/** Maximum grants of one answer. */
const MAXIMUM_LISTED = 1_000;

/**
 * In: node, now, email (or null for all), after (an e-mail), limit. Out: grant, by e-mail. Locks:
 * none. Cost: the number of the node's grants.
 */
const LIST_GRANTS = `
MATCH (n:Node {id: $node})<-[g:GRANT]-() USING INDEX SEEK n:Node(id)
WHERE (g.due IS NULL OR g.due > $now) AND ($email IS NULL OR g.email = $email) AND g.email > $after
RETURN properties(g) AS grant ORDER BY g.email LIMIT $limit`;

/**
 * The unexpired grants on a node after an e-mail, by e-mail: all of them, or those of one e-mail.
 */
export async function listGrants(
  database: Database,
  { node, email, now, after = '' }: { node: string; email: string | null; now: string; after?: string | undefined },
): Promise<{ grants: GrantState[]; hasMore: boolean }> {
  const rows = await database.read(LIST_GRANTS, { node, email, now, after, limit: integer(MAXIMUM_LISTED + 1) });
  const grants = rows.map(({ grant }) => decodeGrant(grant));
  return { grants: grants.slice(0, MAXIMUM_LISTED), hasMore: grants.length > MAXIMUM_LISTED };
}
