// All links between two nodes.
import { pairKey } from '@taskgraph/domain/state/world';
import { keepLink } from '../hydrate.ts';
import type { Loader } from '../loader.ts';

/** In: between (pairs of ids). Out: type, properties, source, target (ids). Locks: none. Cost: the smaller degree of each pair. */
const BETWEEN = `
  UNWIND $in.between AS pair
  MATCH (a:Node {id: pair[0]}), (b:Node {id: pair[1]})
  CALL (a, b) { MATCH (a)-[r:BLOCKS|RELATES|TRASHED]-(b) RETURN r }
  RETURN collect({
    type: type(r), properties: properties(r), source: startNode(r).id, target: endNode(r).id
  }) AS between`;

export const between: Loader<readonly [string, string]> = {
  cypher: BETWEEN,
  missing: (world, pairs) => pairs.filter(([one, other]) => !world.between.has(pairKey(one, other))),
  hydrate(world, pairs, rows) {
    const found = new Map<string, Set<string>>(pairs.map(([one, other]) => [pairKey(one, other), new Set()]));
    for (const row of rows) {
      const link = keepLink(world, row, row.source as string, row.target as string);
      found.get(pairKey(link.source, link.target))?.add(link.id);
    }
    for (const [pair, links] of found) world.between.set(pair, links);
  },
};
