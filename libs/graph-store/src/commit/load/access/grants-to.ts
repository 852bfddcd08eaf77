// How many grants e-mails have on owners' nodes.
import type { ReadItem } from '@taskgraph/domain/state/read-set';
import { countKey } from '@taskgraph/domain/state/world';
import type { Loader } from '../loader.ts';

/**
 * In: grantsTo (node, email, perhaps owner). Out: owner, email, count of the e-mail's grants on nodes of the node's owner. Locks: none; they change under
 * the owner's lock alone. Cost: their number.
 */
const GRANTS_TO = `
  UNWIND $in.grantsTo AS wish
  OPTIONAL MATCH (n:Node {id: wish.node})
  WITH DISTINCT coalesce(wish.owner, n.ownerId) AS owner, wish.email AS email
  WHERE owner IS NOT NULL
  CALL (owner, email) {
    MATCH ()-[g:GRANT {email: email, ownerId: owner}]->() USING INDEX SEEK g:GRANT(email, ownerId)
    RETURN count(g) AS count
  }
  RETURN collect({owner: owner, email: email, count: count}) AS grantsTo`;

export const grantsTo: Loader<ReadItem<'grantsTo'>> = {
  cypher: GRANTS_TO,
  missing: (_world, wishes) => wishes,
  hydrate(world, _wishes, rows) {
    for (const { owner, email, count } of rows as { owner: string; email: string; count: number }[]) {
      world.grantCounts.set(countKey(owner, email), count);
    }
  },
};
