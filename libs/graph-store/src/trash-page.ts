// A page of the trash: what its reader may restore, nodes and links mixed, newest first. Rules: TRS2, EVT3, LNK9.
import type { LinkState, NodeState } from '@taskgraph/domain/state';
import { decodeLink, decodeNode, integer } from './codec.ts';
import type { Database, Row } from './database.ts';

export interface TrashPage {
  readonly nodes: NodeState[];
  readonly links: LinkState[];
  readonly hasMore: boolean;
}

/**
 * In: owner, skip, limit, reach (skip + limit). Out: node, or type, properties, source, target of a link. Locks: none.
 * Cost: skip and limit, by the indexes' order.
 */
const PAGE_TRASH = `
CALL () {
  MATCH (n:Node)
  WHERE n.ownerId = $owner AND n.inTrash = true AND n.lastEditedTime IS NOT NULL
  RETURN n.lastEditedTime AS edited, n.id AS id, properties(n) AS node,
    null AS type, null AS properties, null AS source, null AS target
  ORDER BY n.ownerId DESC, n.inTrash DESC, n.lastEditedTime DESC, id DESC LIMIT $reach
  UNION ALL
  MATCH (a)-[r:TRASHED]->(b)
  WHERE r.sourceOwnerId = $owner AND r.lastEditedTime IS NOT NULL AND (r.private = false OR r.ownerId = $owner)
  RETURN r.lastEditedTime AS edited, r.id AS id, null AS node,
    type(r) AS type, properties(r) AS properties, a.id AS source, b.id AS target
  ORDER BY r.sourceOwnerId DESC, r.lastEditedTime DESC, id DESC LIMIT $reach
}
RETURN node, type, properties, source, target
ORDER BY edited DESC, id DESC SKIP $skip LIMIT $limit`;

/** Reads one page; one entity more than the limit tells whether there is a next one. */
export async function readTrashPage(
  database: Database,
  request: { readerId: string; limit: number; offset: number },
): Promise<TrashPage> {
  const { readerId, limit, offset } = request;
  const rows = await database.read(PAGE_TRASH, {
    owner: readerId,
    skip: integer(offset),
    limit: integer(limit + 1),
    reach: integer(offset + limit + 1),
  });
  const shown = rows.slice(0, limit);
  return {
    nodes: shown.filter(({ node }) => node !== null).map(({ node }) => decodeNode(node)),
    links: shown
      .filter(({ node }) => node === null)
      .map((row: Row) => decodeLink(row as Parameters<typeof decodeLink>[0])),
    hasMore: rows.length > limit,
  };
}
