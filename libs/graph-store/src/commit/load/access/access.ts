// The access that a reader's grants give on nodes.
import type { Access } from '@taskgraph/domain/state/read-set';
import { GRANTS_OVER } from '../../../driver/statement-parts.ts';
import { keepAccess } from '../hydrate.ts';
import type { Loader } from '../loader.ts';

/**
 * In: access (id of a node, readerId, email). Out: key and grant, or null, for the node and for each branch root that it belongs to; nothing
 * for its owner. Locks: none. Cost: one index look-up for each root.
 */
const ACCESS = `
  UNWIND $in.access AS wish
  MATCH (n:Node {id: wish.id}) WHERE n.ownerId <> wish.readerId
  WITH n, wish.email AS email${GRANTS_OVER}
  RETURN collect({key: key, grant: properties(g)}) AS access`;

export const access: Loader<Access> = {
  cypher: ACCESS,
  missing: (_world, wishes) => wishes,
  hydrate: (world, _wishes, rows) => keepAccess(world, rows),
};
