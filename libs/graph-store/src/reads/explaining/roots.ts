// The access to a node by its share roots: their grants and publications. Rules: WHY2, ACL5, ACL9.
import type { GrantState } from '@taskgraph/domain/state/state';
import type { Root } from '@taskgraph/domain/why/ways';
import { decodeGrant, integer } from '../../driver/codec.ts';
import type { Database } from '../../driver/database.ts';

/**
 * In: roots (id, listed: whether all grants are wanted, else those of the e-mail alone), node (id), email, now, limit. Out: id, inTrash, publicToken, publicDue,
 * publicBranch, grants in force that count for the node (of each root the first by e-mail). Locks: none. Cost: the grants on the roots.
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

export interface RootsWanted {
  readonly roots: readonly { readonly id: string; readonly listed: boolean }[];
  /** The node to which they give access: of another root, a grant on that node alone does not count. */
  readonly node: string;
  readonly email: string;
  readonly now: string;
  /** Most grants of each root. */
  readonly limit: number;
}

/** Share roots with their grants: the reader's own, and of those that are listed all. */
export async function readRoots(
  database: Database,
  { roots, node, email, now, limit }: RootsWanted,
): Promise<Omit<Root, 'level'>[]> {
  const rows = await database.read(READ_ROOTS, { roots: [...roots], node, email, now, limit: integer(limit) });
  return rows.map(({ grants, ...root }) => ({
    ...(root as Omit<Root, 'level' | 'grants'>),
    grants: (grants as unknown[]).map((grant): GrantState => decodeGrant(grant)),
  }));
}
