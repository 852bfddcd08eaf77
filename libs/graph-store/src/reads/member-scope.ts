// The scope of a reader of feeds, with or without nodes of their own. Rules: ACL1, EVT3, LNK9.
import { integer } from '../driver/codec.ts';
import type { Database } from '../driver/database.ts';
import { ACTIVE_LINK_BY_ID } from '../driver/statement-parts.ts';
import type { NodeRange, PagedGraph } from './graph-page.ts';
import { LINKS_WITH_OWNERS, type LinkWithOwners, readLinksWithOwners } from './links-with-owners.ts';
import {
  NODES_WITH_FEEDS,
  type NodePage,
  type NodePageParameters,
  readNodePage,
  readNodesWithFeeds,
} from './nodes-with-feeds.ts';
import type { ByteBudget } from './page-byte-limit.ts';
import type { LinkWindow, PageWindow } from './page-window.ts';
import { type Membership, readVisibleIds } from './visible-ids.ts';

/** Maximum ids in memory during a walk over an offset. */
const SKIPPED_AT_ONCE = 5_000;
/**
 * Maximum feeds whose members one statement pages. It reads a whole page from each, so for more feeds
 * the ids are listed first.
 */
const MAXIMUM_PAGED_FEEDS = 3;

/**
 * In: owner (id, or '' for none), feeds, NodePageParameters (`skip` has no effect). Out: see
 * NODES_WITH_FEEDS. Locks: none. Cost: limit for the owner and for each feed, by the indexes' order, and
 * the full nodes returned.
 */
const PAGE_NODES = `
CALL () {
  MATCH (n:Node)
  USING INDEX SEEK n:Node(ownerId, inTrash, id)
  WHERE n.ownerId = $owner AND n.inTrash = false AND n.id > $after
  RETURN n, n.id AS id ORDER BY n.ownerId, n.inTrash, n.id LIMIT $limit
  UNION
  UNWIND $feeds AS feed
  CALL (feed) {
    MATCH (n:Node)-[row:IN]->(:Feed)
    USING INDEX SEEK row:IN(feed, id)
    WHERE row.feed = feed AND row.id > $after AND n.inTrash = false
    RETURN n, row.id AS id ORDER BY row.feed, row.id LIMIT $limit
  }
  RETURN n, id
}
WITH n, id ORDER BY id LIMIT $limit${NODES_WITH_FEEDS}`;

/**
 * Whether a link r is open to the reader, like `isOpenTo` of the domain. A CASE, since the planner
 * turns an OR into two unordered scans.
 */
const SHOWN = 'CASE WHEN r.private THEN r.ownerId = $reader ELSE true END';

/**
 * In: owner, feeds, reader, after, reach. Out: r, source, target: links that start at the owner's
 * nodes and end in the scope, in order of id. Locks: none. Cost: reach, by the indexes' order.
 */
const OWN_LINKS = `
  MATCH (a)-[r:BLOCKS]->(b)
  USING INDEX SEEK r:BLOCKS(sourceOwnerId, id)
  WHERE r.sourceOwnerId = $owner AND r.id > $after AND ${SHOWN}
    AND (r.targetOwnerId = $owner OR EXISTS { (b)-[row:IN]->() WHERE row.feed IN $feeds })
  RETURN r, a.id AS source, b.id AS target ORDER BY r.sourceOwnerId, r.id LIMIT $reach
  UNION ALL
  MATCH (a)-[r:RELATES]->(b)
  USING INDEX SEEK r:RELATES(sourceOwnerId, id)
  WHERE r.sourceOwnerId = $owner AND r.id > $after AND ${SHOWN}
    AND (r.targetOwnerId = $owner OR EXISTS { (b)-[row:IN]->() WHERE row.feed IN $feeds })
  RETURN r, a.id AS source, b.id AS target ORDER BY r.sourceOwnerId, r.id LIMIT $reach`;

/**
 * In: owner, feeds, reader, after. Out: a, r, b: links from other users' members to nodes in the
 * scope, unordered. Locks: none. Cost: all links that leave active members of the feeds. A member
 * of several feeds is considered only in the first.
 */
const FOREIGN_LINKS = `
  UNWIND $feeds AS feed
  MATCH (a:Node)-[member:IN]->(:Feed)
  USING INDEX SEEK member:IN(feed, id)
  WHERE member.feed = feed AND member.id > '' AND a.ownerId <> $owner AND a.inTrash = false
    AND NOT EXISTS { (a)-[row:IN]->() WHERE row.feed < feed AND row.feed IN $feeds }
  MATCH (a)-[r:BLOCKS|RELATES]->(b)
  WHERE r.id > $after AND ${SHOWN}
  WITH a, r, b WHERE b.ownerId = $owner OR EXISTS { (b)-[row:IN]->() WHERE row.feed IN $feeds }`;

/**
 * In: owner (id, or '' for none), feeds, reader (id or ''), after (id or ''), skip, limit, reach
 * (skip + limit). Out: see LINKS_WITH_OWNERS, in order of id. Locks: none. Cost: for links from the
 * owner's nodes: skip and limit, by the indexes' order. For links from other users' members: all
 * links that leave active members of the feeds, of which the first are kept.
 */
const PAGE_LINKS = `
CALL () {${OWN_LINKS}
  UNION ALL${FOREIGN_LINKS}
  RETURN r, a.id AS source, b.id AS target ORDER BY r.id LIMIT $reach
}
WITH r, source, target ORDER BY r.id SKIP $skip LIMIT $limit${LINKS_WITH_OWNERS}`;

/**
 * In: as PAGE_LINKS, without skip and limit. Out: see LINKS_WITH_OWNERS. Locks: none. Cost: reach,
 * by the indexes' order.
 */
const PAGE_OWN_LINKS = `
CALL () {${OWN_LINKS}
}
WITH r, source, target${LINKS_WITH_OWNERS}`;

/**
 * In: owner, feeds, reader, after (''), bound. Out: ids of the links from other users' members, the
 * first `bound` found. Locks: none. Cost: all links that leave active members of the feeds.
 */
const LIST_FOREIGN_LINKS = `${FOREIGN_LINKS}
WITH r LIMIT $bound
RETURN collect(r.id) AS ids`;

/**
 * In: ids, owner, feeds, reader. Out: see LINKS_WITH_OWNERS; no row for a link that no longer
 * qualifies. Locks: none. Cost: two index look-ups each, and the rows of both ends.
 */
const FOREIGN_LINKS_BY_ID = `
UNWIND $ids AS id
CALL (id) {${ACTIVE_LINK_BY_ID}
}
WITH a, r, b
WHERE a.ownerId <> $owner AND EXISTS { (a)-[row:IN]->() WHERE row.feed IN $feeds } AND ${SHOWN}
  AND (b.ownerId = $owner OR EXISTS { (b)-[row:IN]->() WHERE row.feed IN $feeds })
WITH r, a.id AS source, b.id AS target${LINKS_WITH_OWNERS}`;

/**
 * In: from (an owner), owner, feeds, reader, after, reach. Out: r, source, target: links that start at
 * members owned by `from` and end in the scope, in order of id. Locks: none. Cost: reach, by the
 * indexes' order, and the owner's links outside the scope among them.
 */
const LINKS_OF_OWNER = `
    MATCH (a)-[r:BLOCKS]->(b)
    USING INDEX SEEK r:BLOCKS(sourceOwnerId, id)
    WHERE r.sourceOwnerId = from AND r.id > $after AND ${SHOWN}
      AND EXISTS { (a)-[row:IN]->() WHERE row.feed IN $feeds }
      AND (r.targetOwnerId = $owner OR EXISTS { (b)-[row:IN]->() WHERE row.feed IN $feeds })
    RETURN r, a.id AS source, b.id AS target ORDER BY r.sourceOwnerId, r.id LIMIT $reach
    UNION ALL
    MATCH (a)-[r:RELATES]->(b)
    USING INDEX SEEK r:RELATES(sourceOwnerId, id)
    WHERE r.sourceOwnerId = from AND r.id > $after AND ${SHOWN}
      AND EXISTS { (a)-[row:IN]->() WHERE row.feed IN $feeds }
      AND (r.targetOwnerId = $owner OR EXISTS { (b)-[row:IN]->() WHERE row.feed IN $feeds })
    RETURN r, a.id AS source, b.id AS target ORDER BY r.sourceOwnerId, r.id LIMIT $reach`;

/**
 * In: as PAGE_LINKS, and owners: those of all members that are not the owner's. Out: see
 * LINKS_WITH_OWNERS, in order of id. Locks: none. Cost: skip and limit for the owner and for each of
 * the owners, by the indexes' order, and the owners' links outside the scope among them.
 */
const PAGE_LINKS_OF_OWNERS = `
CALL () {${OWN_LINKS}
  UNION ALL
  UNWIND $owners AS from
  CALL (from) {${LINKS_OF_OWNER}
  }
  RETURN r, source, target
}
WITH r, source, target ORDER BY r.id SKIP $skip LIMIT $limit${LINKS_WITH_OWNERS}`;

/**
 * In: owner, feeds, bound. Out: owner, members: the owners of other users' active members, at most
 * `bound`, with the number of these members; a member counts in each of its feeds. Locks: none. Cost:
 * the members.
 */
const LIST_MEMBERS_OWNERS = `
UNWIND $feeds AS feed
MATCH (a:Node)-[member:IN]->(:Feed)
USING INDEX SEEK member:IN(feed, id)
WHERE member.feed = feed AND member.id > '' AND a.ownerId <> $owner AND a.inTrash = false
WITH a.ownerId AS owner, count(*) AS members LIMIT $bound
RETURN owner, members`;

/**
 * In: owners, bound. Out: count: the links that start at their nodes; an owner's links of one type count
 * at most `bound` times. Locks: none. Cost: the count, from the indexes alone.
 */
const COUNT_LINKS_OF_OWNERS = `
UNWIND $owners AS from
CALL (from) {
  MATCH ()-[r:BLOCKS]->() USING INDEX SEEK r:BLOCKS(sourceOwnerId, id)
  WHERE r.sourceOwnerId = from AND r.id > ''
  WITH r LIMIT $bound
  RETURN count(r) AS links
  UNION ALL
  MATCH ()-[r:RELATES]->() USING INDEX SEEK r:RELATES(sourceOwnerId, id)
  WHERE r.sourceOwnerId = from AND r.id > ''
  WITH r LIMIT $bound
  RETURN count(r) AS links
}
RETURN sum(links) AS count`;

/** Maximum links listed for a walk: 36 bytes each in one message. */
const MAXIMUM_LISTED = 250_000;
/** Maximum links looked up by id for one page; a further offset is walked. */
const MAXIMUM_LOOKED_UP = 10_000;
/** Maximum owners whose links one statement pages: it reads a whole page from each. */
const MAXIMUM_PAGED_OWNERS = 4;
/**
 * Maximum links of the owners for each member of the scope. Above it the scope is a small part of their
 * graphs, and a walk by their indexes would read mostly links outside it.
 */
const LINKS_FOR_EACH_MEMBER = 4;

/** The ids of all links from other users' nodes in a scope. */
export interface LinkIds {
  /** The first `count` ids past an id, or '' for the start, in order. */
  after(id: string, count: number): readonly string[];
}

/**
 * What all pages of a walk over the links share. Each function returns the cached value if nothing has
 * entered the scope since, otherwise the one that its argument reads now.
 */
export interface LinkWalk {
  /** The ids of all links from other users' nodes; null if there are too many. */
  ids(list: () => Promise<readonly string[] | null>): Promise<LinkIds | null>;
  /** The owners of other users' nodes; null if their indexes don't suit the walk. */
  owners(list: () => Promise<readonly string[] | null>): Promise<readonly string[] | null>;
}

export interface MemberScopeOptions {
  /** Private links are visible to their owner only; null for any reader. */
  readonly readerId: string | null;
  /** Saves the pages of a walk over the whole scope, except the first. */
  readonly linkWalk?: LinkWalk | undefined;
}

interface ScopeParameters extends Readonly<Record<string, unknown>> {
  readonly owner: string;
  readonly reader: string;
  readonly feeds: string[];
}

/** The nodes of a membership and their links visible to the reader. */
export function memberScope(
  database: Database,
  membership: Membership,
  { readerId, linkWalk }: MemberScopeOptions,
): PagedGraph {
  const parameters = { owner: membership.ownerId ?? '', reader: readerId ?? '', feeds: [...membership.feeds] };
  return {
    nodes: (window, budget) => readNodes(database, membership, window, budget),
    links: (window) => readLinks(database, parameters, window, linkWalk),
  };
}

async function readLinks(
  database: Database,
  parameters: ScopeParameters,
  window: LinkWindow,
  linkWalk: LinkWalk | undefined,
): Promise<LinkWithOwners[]> {
  const { after, skip, limit } = window;
  const reach = skip + limit;
  const pageParameters = { ...parameters, after, skip: integer(skip), limit: integer(limit), reach: integer(reach) };
  // A first page is usually also the last one.
  if (linkWalk !== undefined && (window.isContinued || after !== '') && reach <= MAXIMUM_LOOKED_UP) {
    const owners = await linkWalk.owners(() => listPagedOwners(database, parameters));
    if (owners !== null) {
      return readLinksWithOwners(() => database.read(PAGE_LINKS_OF_OWNERS, { ...pageParameters, owners }));
    }
    const listed = await readListed(database, parameters, window, linkWalk);
    if (listed !== null) return listed;
  }
  return readLinksWithOwners(() => database.read(PAGE_LINKS, pageParameters));
}

/** The owners of other users' members; null if a walk by their indexes would cost too much. */
async function listPagedOwners(database: Database, parameters: ScopeParameters): Promise<string[] | null> {
  const bound = integer(MAXIMUM_PAGED_OWNERS + 1);
  const rows = await database.read(LIST_MEMBERS_OWNERS, { ...parameters, bound });
  if (rows.length > MAXIMUM_PAGED_OWNERS) return null;
  const owners = rows.map(({ owner }) => owner as string);
  const most = LINKS_FOR_EACH_MEMBER * rows.reduce((sum, { members }) => sum + (members as number), 0);
  const [row] = await database.read(COUNT_LINKS_OF_OWNERS, { owners, bound: integer(most + 1) });
  return (row?.count as number) > most ? null : owners;
}

/**
 * A page of links by the ids of links from other users' nodes; null if they are unavailable or a
 * link has changed.
 */
async function readListed(
  database: Database,
  parameters: ScopeParameters,
  { after, skip, limit }: PageWindow,
  linkWalk: LinkWalk,
): Promise<LinkWithOwners[] | null> {
  const reach = skip + limit;
  const listed = await linkWalk.ids(async () => {
    const bound = integer(MAXIMUM_LISTED + 1);
    const [row] = await database.read(LIST_FOREIGN_LINKS, { ...parameters, after: '', bound });
    const found = row?.ids as string[];
    return found.length > MAXIMUM_LISTED ? null : found.sort();
  });
  if (listed === null) return null;
  const ids = listed.after(after, reach);
  const ownParameters = { ...parameters, after, reach: integer(reach) };
  const [own, foreign] = await Promise.all([
    parameters.owner === '' ? [] : readLinksWithOwners(() => database.read(PAGE_OWN_LINKS, ownParameters)),
    ids.length === 0 ? [] : readLinksWithOwners(() => database.read(FOREIGN_LINKS_BY_ID, { ...parameters, ids })),
  ]);
  // A short page would look like the last one.
  if (foreign.length < ids.length) return null;
  return [...own, ...foreign].sort((one, other) => (one.id < other.id ? -1 : 1)).slice(skip, reach);
}

async function readNodes(
  database: Database,
  membership: Membership,
  window: PageWindow,
  budget: ByteBudget,
): Promise<NodeRange> {
  let { after } = window;
  let skipped = 0;
  while (skipped < window.skip) {
    const count = Math.min(window.skip - skipped, SKIPPED_AT_ONCE);
    const consumed = await readVisibleIds(database, membership, { after, count });
    skipped += consumed.length;
    if (consumed.length < count) return { nodes: [], consumed: 0, last: null, hasMore: false, skipped };
    after = consumed.at(-1) as string;
  }
  const range = await readPage(database, membership, { after, skip: 0, limit: window.limit }, budget);
  const sought = new Set(membership.feeds);
  // A node that left all of the feeds since its id was read is no longer in this scope.
  const nodes = range.nodes.filter(
    ({ node, feeds }) => node.ownerId === membership.ownerId || feeds.some((feed) => sought.has(feed)),
  );
  return { ...range, nodes, skipped };
}

/** A page without an offset: in one statement if the sources are few, otherwise by ids. */
async function readPage(
  database: Database,
  membership: Membership,
  window: PageWindow,
  budget: ByteBudget,
): Promise<NodePage> {
  const { ownerId, feeds } = membership;
  if (feeds.length <= MAXIMUM_PAGED_FEEDS) {
    const sources = { owner: ownerId ?? '', feeds: [...feeds] };
    const read = (parameters: NodePageParameters) => database.read(PAGE_NODES, { ...sources, ...parameters });
    return readNodePage(read, window, budget);
  }
  // One more shows whether there is a next page.
  const ids = await readVisibleIds(database, membership, { after: window.after, count: window.limit + 1 });
  const { nodes, consumed } = await readNodesWithFeeds(database, ids.slice(0, window.limit), budget);
  return { nodes, consumed, last: ids[consumed - 1] ?? null, hasMore: consumed < ids.length };
}
