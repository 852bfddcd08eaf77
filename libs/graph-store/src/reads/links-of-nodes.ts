// The active links on some nodes. Rules: NGET1, LNK9.
import { integer } from '../driver/codec.ts';
import type { Database } from '../driver/database.ts';
import { LINKS_WITH_OWNERS, type LinkWithOwners, readLinksWithOwners } from './links-with-owners.ts';

/**
 * In: nodes (ids), reader, bound. Out: see LINKS_WITH_OWNERS; a link between two of the nodes once.
 * Locks: none. Cost: one index look-up a node, and the bound, which counts private links too.
 *
 * Privacy is a CASE, as in the other statements of links.
 */
const READ_LINKS_OF_NODES = `
UNWIND $nodes AS id
MATCH (n:Node {id: id})-[r:BLOCKS|RELATES]-() USING INDEX SEEK n:Node(id)
WITH DISTINCT r LIMIT $bound
WHERE CASE WHEN r.private THEN r.ownerId = $reader ELSE true END
WITH r, startNode(r).id AS source, endNode(r).id AS target${LINKS_WITH_OWNERS}`;

/** Maximum links that are read for a call; those past it are omitted. */
const MAXIMUM_READ = 5_000;

/** The active links on these nodes that are open to the reader, by id. Their ends are unchecked. */
export async function readLinksOfNodes(
  database: Database,
  nodes: readonly string[],
  reader: string,
): Promise<LinkWithOwners[]> {
  const wanted = { nodes, reader, bound: integer(MAXIMUM_READ) };
  const links = await readLinksWithOwners(() => database.read(READ_LINKS_OF_NODES, wanted));
  return links.sort((one, other) => (one.id < other.id ? -1 : 1));
}
