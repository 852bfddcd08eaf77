// All grants on nodes.
import { grantKey } from '@taskgraph/domain/state/change';
import { keepGrant } from '../hydrate.ts';
import { byStart, type Loader, notIn } from '../loader.ts';

/** In: grantsOn (node ids), bound. Out: node (id) and grant. Locks: none. Cost: the number of grants. */
const GRANTS_ON = `
  UNWIND $in.grantsOn AS id
  MATCH (n:Node {id: id})
  CALL (n) { MATCH (n)<-[g:GRANT]-() RETURN g LIMIT $bound }
  WITH id, g LIMIT $rows
  RETURN collect({node: id, grant: properties(g)}) AS grantsOn`;

export const grantsOn: Loader<string> = {
  cypher: GRANTS_ON,
  missing: (world, ids) => notIn(world.grantsOn, ids),
  hydrate(world, ids, rows, load) {
    const grouped = byStart(rows, 'node', load);
    for (const id of ids) {
      if (load.overflowing.has(id)) continue;
      const grants = (grouped.get(id) ?? []).map(({ grant }) => keepGrant(world, grant));
      world.grantsOn.set(id, new Set(grants.map(({ nodeId, email }) => grantKey(nodeId, email))));
    }
  },
};
