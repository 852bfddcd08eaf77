// Grants by key.
import { keepGrant } from '../hydrate.ts';
import { type Loader, notIn } from '../loader.ts';

/** In: grants (keys). Out: the grants that exist. Locks: none. Cost: one index look-up each. */
const GRANTS = `
  UNWIND $in.grants AS key
  MATCH ()-[g:GRANT {key: key}]->() USING INDEX SEEK g:GRANT(key)
  RETURN collect(properties(g)) AS grants`;

export const grants: Loader<string> = {
  cypher: GRANTS,
  missing: (world, keys) => notIn(world.grants, keys),
  hydrate(world, keys, rows) {
    for (const row of rows) keepGrant(world, row);
    for (const key of keys) if (!world.grants.has(key)) world.grants.set(key, null);
  },
};
