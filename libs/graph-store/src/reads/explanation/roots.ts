// A node's share roots with their grants and publications. Rules: WHY2, ACL5, ACL9.
import type { GrantState } from '@taskgraph/domain/state/state';
import type { AccessRoot } from '@taskgraph/domain/why/access-paths';
import { decodeGrant, integer } from '../../driver/codec.ts';
import type { Database } from '../../driver/database.ts';

/**
 * In: roots (id, listed: whether to return all grants or only the e-mail's), node (id), email, now,
 * limit. Out: id, inTrash, publicToken, publicDue, publicBranch, valid grants that apply to the
 * node (of each root the first by e-mail). Locks: none. Cost: the grants on the roots.
 */
const READ_ROOTS = `
UNWIND $roots AS root
MATCH (n:Node {id: root.id})
CALL (n, root) {
  MATCH (n)<-[g:GRANT]-()
  WHERE (g.due IS NULL OR g.due > $now) AND (root.listed OR g.email = $email) AND (g.branch OR root.id = $node)
  WITH properties(g) AS grant ORDER BY grant.email LIMIT $limit
  RETURN collect(grant) AS grants
}
RETURN n.id AS id, n.inTrash AS inTrash, n.publicToken AS publicToken, n.publicDue AS publicDue,
  coalesce(n.publicBranch, false) AS publicBranch, grants`;

export interface RootsRequest {
  readonly roots: readonly { readonly id: string; readonly listed: boolean }[];
  /** The node in question: a node-only grant on another root does not apply to it. */
  readonly node: string;
  readonly email: string;
  readonly now: string;
  /** Maximum grants of each root. */
  readonly limit: number;
}

/** Share roots with the reader's own grants, and all grants of listed roots. */
export async function readRoots(
  database: Database,
  { roots, node, email, now, limit }: RootsRequest,
): Promise<Omit<AccessRoot, 'level'>[]> {
  const rows = await database.read(READ_ROOTS, { roots: [...roots], node, email, now, limit: integer(limit) });
  return rows.map(({ grants, ...root }) => ({
    ...(root as Omit<AccessRoot, 'level' | 'grants'>),
    grants: (grants as unknown[]).map((grant): GrantState => decodeGrant(grant)),
  }));
}
