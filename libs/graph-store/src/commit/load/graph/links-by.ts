// How many active links users have on nodes.
import type { ReadItem } from '@taskgraph/domain/state/read-set';
import { pairKey } from '@taskgraph/domain/state/world';
import type { Loader } from '../loader.ts';

/** In: linksBy (node, owner). Out: node, owner, count of the owner's active links on the node. Locks: none. Cost: the node's degree. */
const LINKS_BY = `
  UNWIND $in.linksBy AS wish
  MATCH (n:Node {id: wish.node})
  RETURN collect({
    node: wish.node, owner: wish.owner,
    count: COUNT { (n)-[r:BLOCKS|RELATES]-() WHERE r.ownerId = wish.owner }
  }) AS linksBy`;

export const linksBy: Loader<ReadItem<'linksBy'>> = {
  cypher: LINKS_BY,
  missing: (world, wishes) => wishes.filter(({ node, owner }) => !world.linksBy.has(pairKey(node, owner))),
  hydrate(world, _wishes, rows) {
    for (const { node, owner, count } of rows as { node: string; owner: string; count: number }[]) {
      world.linksBy.set(pairKey(node, owner), count);
    }
  },
};
