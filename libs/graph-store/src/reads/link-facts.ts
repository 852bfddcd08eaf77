// The facts about visible links of nodes that the conditions of a search need. Rules: FIND2, LNK9.
import type { FindableLinks } from '@taskgraph/domain/find/conditions';
import type { Database } from '../driver/database.ts';

/**
 * Whether the reader may see the link r and the node o at its other end. A CASE, as in the other
 * statements of links.
 */
const SEEN = `CASE WHEN r.private THEN r.ownerId = $reader ELSE true END
    AND CASE WHEN o.ownerId = $reader THEN true ELSE EXISTS { (o)-[row:IN]->() WHERE row.feed IN $feeds } END`;

/**
 * In: nodes (ids), neighbors (ids), reader, feeds. Out: id, waits (whether a visible node blocks
 * it), blocks (whether it blocks a visible node), linked (whether a visible link touches it), blocked and blockers (the neighbors that it
 * blocks, and that block it). Locks: none. Cost: the links on these nodes and the rows of their
 * other ends, until one is visible; with neighbors, all links on the nodes.
 */
const READ_LINK_FACTS = `
UNWIND $nodes AS id
MATCH (n:Node {id: id}) USING INDEX SEEK n:Node(id)
RETURN n.id AS id,
  EXISTS { (n)<-[r:BLOCKS]-(o:Node) WHERE ${SEEN} } AS waits,
  EXISTS { (n)-[r:BLOCKS]->(o:Node) WHERE ${SEEN} } AS blocks,
  EXISTS { (n)-[r:BLOCKS|RELATES]-(o:Node) WHERE ${SEEN} } AS linked,
  CASE WHEN size($neighbors) = 0 THEN [] ELSE
    COLLECT { MATCH (n)-[r:BLOCKS]->(o:Node) WHERE o.id IN $neighbors AND ${SEEN} RETURN o.id } END AS blocked,
  CASE WHEN size($neighbors) = 0 THEN [] ELSE
    COLLECT { MATCH (n)<-[r:BLOCKS]-(o:Node) WHERE o.id IN $neighbors AND ${SEEN} RETURN o.id } END AS blockers`;

export interface LinkFactsRequest {
  readonly nodes: readonly string[];
  /** The nodes that conditions on links name. */
  readonly neighbors: readonly string[];
  readonly readerId: string;
  /** Nodes of other users count if they belong to one of these feeds. */
  readonly feeds: readonly string[];
}

interface LinkFacts {
  readonly id: string;
  readonly waits: boolean;
  readonly blocks: boolean;
  readonly linked: boolean;
  readonly blocked: readonly string[];
  readonly blockers: readonly string[];
}

/** The visible links of these nodes. A deleted node has none. */
export async function readLinkFacts(
  database: Database,
  { nodes, neighbors, readerId, feeds }: LinkFactsRequest,
): Promise<FindableLinks> {
  const request = { nodes: [...nodes], neighbors: [...neighbors], reader: readerId, feeds: [...feeds] };
  const rows = (await database.read(READ_LINK_FACTS, request)) as unknown as LinkFacts[];
  const facts = new Map(rows.map((row) => [row.id, row]));
  return {
    isLeaf: (id) => facts.get(id)?.waits !== true,
    isTop: (id) => facts.get(id)?.blocks !== true,
    isUnlinked: (id) => facts.get(id)?.linked !== true,
    isBlocker: (source, target) =>
      facts.get(source)?.blocked.includes(target) === true || facts.get(target)?.blockers.includes(source) === true,
  };
}
