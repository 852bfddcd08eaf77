// Grants that follow others.
import { grantKey } from '@taskgraph/domain/state/change';
import { keepGrant } from '../hydrate.ts';
import { type Loader, notIn } from '../loader.ts';

/**
 * In: copiesOf (keys of grants). Out: all grants of the same e-mails that follow another. Locks: none. Cost: the grants of each e-mail. It asks in
 * a way that no index answers, or the server would at times walk over the copies of all e-mails.
 */
const COPIES = `
  UNWIND $in.copiesOf AS key
  WITH DISTINCT substring(key, size(split(key, '|')[0]) + 1) AS email
  MATCH (p:Principal {email: email})-[g:GRANT]->() USING INDEX SEEK p:Principal(email) WHERE coalesce(g.copyOf, '') <> ''
  WITH g LIMIT $rows
  RETURN collect(properties(g)) AS copiesOf`;

export const copiesOf: Loader<string> = {
  cypher: COPIES,
  missing: (world, keys) => notIn(world.copies, keys),
  /** All copies of an e-mail's grants came: what is not among them has none. */
  hydrate(world, keys, rows) {
    const copies = new Map<string, Set<string>>(keys.map((key) => [key, new Set()]));
    for (const row of rows) {
      const { nodeId, email, copyOf } = keepGrant(world, row);
      const own = grantKey(nodeId, email);
      if (!copies.has(own)) copies.set(own, new Set());
      if (copyOf === null) continue;
      const original = grantKey(copyOf, email);
      copies.set(original, (copies.get(original) ?? new Set()).add(own));
    }
    for (const [key, followers] of copies) if (!world.copies.has(key)) world.copies.set(key, followers);
  },
};
