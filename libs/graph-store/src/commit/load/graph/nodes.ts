// Nodes by id, with their feeds and how many active links they have.
import { isWhole } from '@taskgraph/domain/state/state';
import type { World } from '@taskgraph/domain/state/world';
import { keepNode } from '../hydrate.ts';
import { distinct, type Loader } from '../loader.ts';

/** In: nodes (ids). Out: node, degree (its active links). Locks: none. Cost: one index look-up each. */
const NODES = `
  UNWIND $in.nodes AS id
  MATCH (n:Node {id: id})
  RETURN collect({
    node: {p: properties(n), in: [(n)-[m:IN]->() | [m.feed, m.via]], feeds: [(n)-[:IN]->(f) | properties(f)]},
    degree: COUNT { (n)-[:BLOCKS|RELATES]-() }
  }) AS nodes`;

/** A node that came as the end of a link came without its content, and mostly without its degree. */
function isLoaded(world: World, id: string): boolean {
  const node = world.nodes.get(id);
  return node === null || (node !== undefined && isWhole(node) && world.degrees.has(id));
}

export const nodes: Loader<string> = {
  cypher: NODES,
  missing: (world, ids) => distinct(ids).filter((id) => !isLoaded(world, id)),
  hydrate(world, ids, rows) {
    for (const row of rows) world.degrees.set(keepNode(world, row.node).id, row.degree as number);
    for (const id of ids) if (!world.nodes.has(id)) world.nodes.set(id, null);
  },
};
