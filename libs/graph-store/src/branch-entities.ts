// The entities that a scope of history is about: a branch as it is now, or what a reader sees of others. Rules: ACL2, HIS8, LNK9.
import { branchFeed } from '@taskgraph/wire/messages';
import { integer } from './codec.ts';
import type { Database } from './database.ts';

/** Most entities that one scope is made of. */
export const MAXIMUM_ENTITIES = 20_000;

/** Nodes and links, and whether there are more than the bound allows. */
export interface Entities {
  readonly ids: readonly string[];
  readonly cut: boolean;
}

/**
 * In: feed, bound. Out: id of the nodes that belong to a root which is one now, none where it is not. Locks: none.
 * Cost: what it gives, by the index's order.
 */
const LIST_MEMBERS = `
MATCH (f:Feed {id: $feed}) WHERE CASE WHEN f.grants > 0 THEN true ELSE f.public END
CALL () {
  MATCH ()-[m:IN]->()
  WHERE m.feed = $feed AND m.id > ''
  RETURN m.id AS id
  ORDER BY m.feed, m.id LIMIT $bound
}
RETURN id`;

/**
 * In: root (id), bound. Out: id of the nodes that conveying links reach from a node downwards, that node included. Locks: none.
 * Cost: what is reached, breadth first, cut at the bound.
 */
const WALK_BELOW = `
MATCH (root:Node {id: $root})
CALL (root) {
  MATCH p = (root)<-[:BLOCKS|RELATES*0..]-(n:Node)
  WHERE all(r IN relationships(p) WHERE r.conveys AND NOT r.private)
  WITH DISTINCT n LIMIT $bound RETURN n
}
RETURN n.id AS id`;

/**
 * In: nodes (ids), reader (user id), bound. Out: id of the links on these nodes, trashed ones included, private ones of others not.
 * Locks: none. Cost: the number of links, cut at the bound.
 */
const LINKS_ON_NODES = `
UNWIND $nodes AS id
MATCH (n:Node {id: id})-[r:BLOCKS|RELATES|TRASHED]-()
WHERE NOT r.private OR r.ownerId = $reader
WITH DISTINCT r.id AS id LIMIT $bound
RETURN id`;

/**
 * In: feeds (names), reader (user id), bound. Out: id of the nodes of others in these feeds. Locks: none.
 * Cost: the members of the feeds up to the bound, by the index's order.
 */
const LIST_FOREIGN = `
UNWIND $feeds AS feed
MATCH (n:Node)-[m:IN]->()
WHERE m.feed = feed AND m.id > '' AND n.ownerId <> $reader
WITH DISTINCT n LIMIT $bound
RETURN n.id AS id`;

/** A node, what belongs to its branch as it is now, and the links on all of these. */
export async function readBranch(database: Database, root: string, reader: string): Promise<Entities> {
  const bound = integer(MAXIMUM_ENTITIES + 1);
  const members = await database.read(LIST_MEMBERS, { feed: branchFeed(root), bound });
  const rows = members.length > 0 ? members : await database.read(WALK_BELOW, { root, bound });
  return withLinks(database, rows.length > 0 ? rows.map(idOf) : [root], reader);
}

/** The nodes of others that belong to these feeds, and the links on them. */
export async function readForeign(database: Database, feeds: readonly string[], reader: string): Promise<Entities> {
  const bound = integer(MAXIMUM_ENTITIES + 1);
  const rows = feeds.length === 0 ? [] : await database.read(LIST_FOREIGN, { feeds: [...feeds], reader, bound });
  return withLinks(database, rows.map(idOf), reader);
}

async function withLinks(database: Database, nodes: readonly string[], reader: string): Promise<Entities> {
  const room = MAXIMUM_ENTITIES - nodes.length;
  if (room < 0) return { ids: nodes.slice(0, MAXIMUM_ENTITIES), cut: true };
  const bound = integer(room + 1);
  const rows = nodes.length === 0 ? [] : await database.read(LINKS_ON_NODES, { nodes: [...nodes], reader, bound });
  return { ids: [...nodes, ...rows.slice(0, room).map(idOf)], cut: rows.length > room };
}

function idOf(row: Record<string, unknown>): string {
  return row.id as string;
}
