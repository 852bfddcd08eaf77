// The access that a reader's grants give on the ends of links.
import type { Access } from '@taskgraph/domain/state/read-set';
import { keepAccess } from '../hydrate.ts';
import type { Loader } from '../loader.ts';

/** In: linkAccess (id of a link, readerId, email). Out: like ACCESS, for both ends. Locks: none. Cost: like ACCESS. */
const LINK_ACCESS = `
  UNWIND $in.linkAccess AS wish
  CALL (wish) {
    MATCH (a)-[r:BLOCKS {id: wish.id}]->(b) USING INDEX SEEK r:BLOCKS(id) RETURN a, b
    UNION ALL
    MATCH (a)-[r:RELATES {id: wish.id}]->(b) USING INDEX SEEK r:RELATES(id) RETURN a, b
    UNION ALL
    MATCH (a)-[r:TRASHED {id: wish.id}]->(b) USING INDEX SEEK r:TRASHED(id) RETURN a, b
  }
  UNWIND [a, b] AS n
  WITH wish, n WHERE n.ownerId <> wish.readerId
  UNWIND [n.id] + [(n)-[m:IN]->() WHERE m.feed STARTS WITH 'root:' | substring(m.feed, 5)] AS root
  WITH DISTINCT root + '|' + wish.email AS key
  OPTIONAL MATCH ()-[g:GRANT {key: key}]->() USING INDEX SEEK g:GRANT(key)
  RETURN collect({key: key, grant: properties(g)}) AS linkAccess`;

export const linkAccess: Loader<Access> = {
  cypher: LINK_ACCESS,
  missing: (_world, wishes) => wishes,
  hydrate: (world, _wishes, rows) => keepAccess(world, rows),
};
