// The entities in a scope of history: a branch in its current form, or the visible entities of
// other users. Rules: ACL2, HIS8, LNK9.
import { branchFeed } from '@taskgraph/wire/feeds';
import { integer } from '../driver/codec.ts';
import type { Database } from '../driver/database.ts';
import { walkBelow } from './branch-scope.ts';
import { listMembers } from './feed-members.ts';
import type { NodeLocation } from './visible.ts';

/** Maximum entities of a scope. */
const MAXIMUM_ENTITIES = 20_000;

/** Nodes and links, and whether the bound cut them. */
export interface Entities {
  readonly ids: readonly string[];
  readonly cut: boolean;
}

/**
 * In: nodes (ids), reader (user id), bound. Out: id of the links on these nodes, including trashed
 * ones, without other users' private ones. Locks: none. Cost: the number of links, cut at the
 * bound.
 */
const LINKS_ON_NODES = `
UNWIND $nodes AS id
MATCH (n:Node {id: id})-[r:BLOCKS|RELATES|TRASHED]-() USING INDEX SEEK n:Node(id)
WHERE NOT r.private OR r.ownerId = $reader
WITH DISTINCT r.id AS id LIMIT $bound
RETURN id`;

/**
 * In: feeds (names), reader (user id), bound. Out: id of other users' nodes in these feeds, and of
 * trashed nodes that a restore would return to one of them or to the reader's own tree. Locks:
 * none. Cost: the members of the feeds and the trashed links on them, and the trashed links that
 * lead to the reader's own nodes.
 */
const LIST_FOREIGN = `
CALL () {
  UNWIND $feeds AS feed
  MATCH (n:Node)-[m:IN]->() USING INDEX SEEK m:IN(feed, id)
  WHERE m.feed = feed AND m.id > ''
  CALL (n, feed) {
    RETURN n AS found
    UNION
    WITH n, feed WHERE NOT feed STARTS WITH 'node:' AND n.inTrash = false
    MATCH (n)<-[r:TRASHED]-(found:Node)
    WHERE found.inTrash = true AND r.trashedWithNode AND r.conveys AND NOT r.private
    RETURN found
  }
  RETURN found
  UNION
  MATCH (found:Node)-[r:TRASHED]->(:Node {inTrash: false})
  USING INDEX SEEK r:TRASHED(targetOwnerId, lastEditedTime)
  WHERE r.targetOwnerId = $reader AND r.lastEditedTime > '' AND r.trashedWithNode AND r.conveys AND NOT r.private
    AND found.inTrash = true
  RETURN found
}
WITH DISTINCT found WHERE found.ownerId <> $reader LIMIT $bound
RETURN found.id AS id`;

/** A node, its branch in the current form, and the links on all of these. */
export async function readBranch(database: Database, root: NodeLocation, reader: string): Promise<Entities> {
  const feed = branchFeed(root.id);
  const nodes = root.feeds.includes(feed)
    ? await listMembers(database, feed, { after: '', limit: MAXIMUM_ENTITIES + 1 })
    : await walkBelow(database, root.id);
  return withLinks(database, nodes, reader);
}

/**
 * Other users' nodes that belong to these feeds, or would after a restore, and the links on them.
 */
export async function readForeign(database: Database, feeds: readonly string[], reader: string): Promise<Entities> {
  const bound = integer(MAXIMUM_ENTITIES + 1);
  const rows = await database.read(LIST_FOREIGN, { feeds: [...feeds], reader, bound });
  return withLinks(database, rows.map(idOf), reader);
}

async function withLinks(database: Database, nodes: readonly string[], reader: string): Promise<Entities> {
  const budget = MAXIMUM_ENTITIES - nodes.length;
  if (budget < 0) return { ids: nodes.slice(0, MAXIMUM_ENTITIES), cut: true };
  const bound = integer(budget + 1);
  const rows = nodes.length === 0 ? [] : await database.read(LINKS_ON_NODES, { nodes: [...nodes], reader, bound });
  return { ids: [...nodes, ...rows.slice(0, budget).map(idOf)], cut: rows.length > budget };
}

function idOf(row: Record<string, unknown>): string {
  return row.id as string;
}
