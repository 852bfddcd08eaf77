// A page of the active graph that a reader sees: all nodes before all links, each by id. Rules: EVT3, LNK9.
import type { LinkState, NodeState } from '@taskgraph/domain/state';
import { decodeLink, decodeNode, integer } from './codec.ts';
import type { Database } from './database.ts';

export interface PageRequest {
  readonly readerId: string;
  /** Most nodes and links together. */
  readonly limit: number;
  /** How many to skip; ignored where `after` is given. */
  readonly offset: number;
  /** The cursor of the page before. */
  readonly after: Cursor | null;
}

/** Where a walk stands: the last entity that was handed out. */
export interface Cursor {
  readonly kind: 'node' | 'link';
  readonly id: string;
}

export interface GraphPage {
  readonly nodes: NodeState[];
  readonly links: LinkState[];
  /** Null where the page is the last. */
  readonly next: Cursor | null;
}

/** In: owner, after (id or ''), skip, limit. Out: node. Locks: none. Cost: skip and limit, by the index's order. */
const PAGE_NODES = `
MATCH (n:Node)
WHERE n.ownerId = $owner AND n.inTrash = false AND n.id > $after
RETURN properties(n) AS node
ORDER BY n.ownerId, n.inTrash, n.id SKIP $skip LIMIT $limit`;

/** In: owner. Out: count. Locks: none. Cost: in proportion to the owner's nodes; only asked by a page past the last node. */
const COUNT_NODES = `
MATCH (n:Node)
USING INDEX n:Node(ownerId, inTrash, id)
WHERE n.ownerId = $owner AND n.inTrash = false AND n.id > ''
RETURN count(n) AS count`;

/**
 * In: owner, after (id or ''), skip, limit, reach (skip + limit). Out: type, properties, source, target. Locks: none.
 * Cost: skip and limit, by the indexes' order.
 */
const PAGE_LINKS = `
CALL () {
  MATCH (a)-[r:BLOCKS]->(b)
  WHERE r.sourceOwnerId = $owner AND r.id > $after AND (r.private = false OR r.ownerId = $owner)
  RETURN r, a.id AS source, b.id AS target ORDER BY r.sourceOwnerId, r.id LIMIT $reach
  UNION ALL
  MATCH (a)-[r:RELATES]->(b)
  WHERE r.sourceOwnerId = $owner AND r.id > $after AND (r.private = false OR r.ownerId = $owner)
  RETURN r, a.id AS source, b.id AS target ORDER BY r.sourceOwnerId, r.id LIMIT $reach
}
RETURN type(r) AS type, properties(r) AS properties, source, target
ORDER BY r.id SKIP $skip LIMIT $limit`;

/** Reads one page. One entity more than the limit is asked for, which tells whether there is a next page. */
export async function readGraphPage(database: Database, request: PageRequest): Promise<GraphPage> {
  const { limit, after } = request;
  const nodes = after?.kind === 'link' ? [] : await readNodes(database, request);
  if (nodes.length > limit) return cut(nodes.slice(0, limit), [], true);
  const links = await readLinks(
    database,
    request,
    limit - nodes.length + 1,
    await linksToSkip(database, request, nodes),
  );
  const room = limit - nodes.length;
  return cut(nodes, links.slice(0, room), links.length > room);
}

function cut(nodes: NodeState[], links: LinkState[], more: boolean): GraphPage {
  const [link, node] = [links.at(-1), nodes.at(-1)];
  if (!more) return { nodes, links, next: null };
  if (link !== undefined) return { nodes, links, next: { kind: 'link', id: link.id } };
  // Only links are left: a node's cursor past all nodes goes on with the first link.
  return { nodes, links, next: node === undefined ? null : { kind: 'node', id: node.id } };
}

async function readNodes(database: Database, request: PageRequest): Promise<NodeState[]> {
  const rows = await database.read(PAGE_NODES, {
    owner: request.readerId,
    after: request.after?.id ?? '',
    skip: integer(request.after === null ? request.offset : 0),
    limit: integer(request.limit + 1),
  });
  return rows.map((row) => decodeNode(row.node));
}

/** How many links an offset skips: what of it is left when all nodes are passed. */
async function linksToSkip(database: Database, request: PageRequest, nodes: NodeState[]): Promise<number> {
  if (request.after !== null || request.offset === 0 || nodes.length > 0) return 0;
  const [row] = await database.read(COUNT_NODES, { owner: request.readerId });
  return Math.max(0, request.offset - ((row?.count as number | undefined) ?? 0));
}

async function readLinks(database: Database, request: PageRequest, limit: number, skip: number): Promise<LinkState[]> {
  const rows = await database.read(PAGE_LINKS, {
    owner: request.readerId,
    after: request.after?.kind === 'link' ? request.after.id : '',
    skip: integer(skip),
    limit: integer(limit),
    reach: integer(skip + limit),
  });
  return rows.map((row) => decodeLink(row as Parameters<typeof decodeLink>[0]));
}
