// The access that a reader's grants give on the ends of links.
import type { Access } from '@taskgraph/domain/state/read-set';
import { GRANTS_OVER, LINK_BY_ID } from '../../../driver/statement-parts.ts';
import { keepAccess } from '../hydrate.ts';
import type { Loader } from '../loader.ts';

/** In: linkAccess (id of a link, readerId, email). Out: like ACCESS, for both ends. Locks: none. Cost: like ACCESS. */
const LINK_ACCESS = `
  UNWIND $in.linkAccess AS wish
  WITH wish, wish.id AS id
  CALL (id) {${LINK_BY_ID}
  }
  UNWIND [a, b] AS n
  WITH wish, n WHERE n.ownerId <> wish.readerId
  WITH n, wish.email AS email${GRANTS_OVER}
  RETURN collect({key: key, grant: properties(g)}) AS linkAccess`;

export const linkAccess: Loader<Access> = {
  cypher: LINK_ACCESS,
  missing: (_world, wishes) => wishes,
  hydrate: (world, _wishes, rows) => keepAccess(world, rows),
};
