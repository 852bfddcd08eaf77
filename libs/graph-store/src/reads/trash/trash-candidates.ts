// Candidates for a reader's trash, newest first, from indexes and from the feeds that they edit;
// access is checked later. Rules: TRS2, LNK7.
import type { LinkState, NodeState } from '@taskgraph/domain/state/state';
import { decodeLink, integer } from '../../driver/codec.ts';
import { readConsistently } from '../../driver/consistent-read.ts';
import type { Database, Row } from '../../driver/database.ts';

/** The fields of a trashed node that the trash shows, without long texts. */
export type TrashedNode = Pick<
  NodeState,
  'id' | 'ownerId' | 'title' | 'status' | 'lastBatchID' | 'version' | 'lastEditedTime'
> & { readonly inTrash: true };

/** A trashed node or link; both null if it disappeared during the read. */
export type TrashEntry =
  | { readonly node: TrashedNode; readonly link: null }
  | {
      readonly node: null;
      readonly link: LinkState;
      /** Of the link's ends. */
      readonly sourceOwnerId: string;
      readonly targetOwnerId: string;
    };

/** The position of a walk through the trash. */
export interface TrashCursor {
  readonly edited: string;
  readonly id: string;
}

/** Sorts before all times and ids, which consist of digits and small letters. */
const NEWEST: TrashCursor = { edited: '~', id: '~' };

/**
 * In: reader, before, beforeId, reach. Out: edited, n, r (one of them null), each once. Locks:
 * none. Cost: three times reach, by the indexes' order, and what shares a time with the cursor.
 *
 * The reader's own nodes, and links that they own or that lead to their nodes. A CASE, since the
 * planner turns an OR into two unordered scans.
 */
const OWN_CANDIDATES = `
  MATCH (n:Node)
  USING INDEX SEEK n:Node(ownerId, inTrash, lastEditedTime)
  WHERE n.ownerId = $reader AND n.inTrash = true AND n.lastEditedTime <= $before
    AND CASE WHEN n.lastEditedTime = $before THEN n.id < $beforeId ELSE true END
  RETURN n.lastEditedTime AS edited, n.id AS id, n, null AS r
  ORDER BY n.ownerId DESC, n.inTrash DESC, edited DESC, id DESC LIMIT $reach
  UNION
  MATCH ()-[r:TRASHED]->()
  USING INDEX SEEK r:TRASHED(targetOwnerId, lastEditedTime)
  WHERE r.targetOwnerId = $reader AND r.lastEditedTime <= $before
    AND CASE WHEN r.lastEditedTime = $before THEN r.id < $beforeId ELSE true END
    AND CASE WHEN r.private THEN r.ownerId = $reader ELSE true END
  RETURN r.lastEditedTime AS edited, r.id AS id, null AS n, r
  ORDER BY r.targetOwnerId DESC, edited DESC, id DESC LIMIT $reach
  UNION
  MATCH ()-[r:TRASHED]->()
  USING INDEX SEEK r:TRASHED(ownerId, lastEditedTime)
  WHERE r.ownerId = $reader AND r.lastEditedTime <= $before
    AND CASE WHEN r.lastEditedTime = $before THEN r.id < $beforeId ELSE true END
  RETURN r.lastEditedTime AS edited, r.id AS id, null AS n, r
  ORDER BY r.ownerId DESC, edited DESC, id DESC LIMIT $reach`;

/**
 * In: in.feeds (those by which the reader is an editor), reader, before, beforeId, reach. Out: as
 * OWN_CANDIDATES. Locks: none. Cost: all members of the feeds, and all trashed links on the active
 * ones and on trashed nodes directly below them.
 *
 * A trashed member is the feed's own node. A trashed node below an active member of a branch would
 * return to the branch.
 */
const FEED_CANDIDATES = `
  UNWIND $in.feeds AS feed
  MATCH (t:Node)-[row:IN]->(:Feed)
  USING INDEX SEEK row:IN(feed, id)
  WHERE row.feed = feed AND row.id > ''
  CALL (t, feed) {
    WITH t WHERE t.inTrash
    RETURN t AS n, null AS r
    UNION ALL
    MATCH (t)<-[r:TRASHED]-()
    RETURN null AS n, r
    UNION ALL
    WITH t, feed WHERE feed STARTS WITH 'root:' AND NOT t.inTrash
    MATCH (t)<-[hung:TRASHED]-(below:Node)
    WHERE below.inTrash AND hung.trashedWithNode AND hung.conveys AND NOT hung.private
    CALL (below) {
      RETURN below AS n, null AS r
      UNION ALL
      MATCH (below)<-[r:TRASHED]-()
      RETURN null AS n, r
    }
    RETURN n, r
  }
  WITH n, r, coalesce(n.lastEditedTime, r.lastEditedTime) AS edited, coalesce(n.id, r.id) AS id
  WHERE edited <= $before AND CASE WHEN edited = $before THEN id < $beforeId ELSE true END
    AND CASE WHEN r.private THEN r.ownerId = $reader ELSE true END
  WITH DISTINCT edited, id, n, r
  RETURN edited, id, n, r
  ORDER BY edited DESC, id DESC LIMIT $reach`;

/**
 * In: as both of the above. Out: a page of them, newest first: node, or type, properties, source,
 * target of a link. Cost: the sum.
 */
const READ_CANDIDATES = `
CALL () {${OWN_CANDIDATES}
  UNION${FEED_CANDIDATES}
}
WITH edited, id, n, r ORDER BY edited DESC, id DESC LIMIT $reach
RETURN edited, id, n {.id, .ownerId, .title, .status, .inTrash, .lastBatchID, .version, .lastEditedTime} AS node,
  type(r) AS type, properties(r) AS properties, startNode(r).id AS source, endNode(r).id AS target`;

/**
 * In: as OWN_CANDIDATES, skip. Out: one row: foreign (how many links of the first `reach`
 * candidates have an end of another user), page (those past skip, as in READ_CANDIDATES). Locks:
 * none. Cost: three times reach, by the indexes' order.
 */
const READ_OWN_PAGE = `
CALL () {${OWN_CANDIDATES}
}
WITH edited, id, n, r ORDER BY edited DESC, id DESC LIMIT $reach
WITH collect({n: n, r: r}) AS found
RETURN
  size([one IN found WHERE one.r.sourceOwnerId <> $reader OR one.r.targetOwnerId <> $reader]) AS foreign,
  [one IN found[$skip..] | {
    node: CASE WHEN one.n IS NOT NULL THEN {
      id: one.n.id, ownerId: one.n.ownerId, title: one.n.title, status: one.n.status, inTrash: one.n.inTrash,
      lastBatchID: one.n.lastBatchID, version: one.n.version, lastEditedTime: one.n.lastEditedTime
    } END,
    type: type(one.r), properties: properties(one.r),
    source: startNode(one.r).id, target: endNode(one.r).id
  }] AS page`;

/**
 * The page of a reader with only their own entities in the trash; null if access must be checked.
 */
export async function readOwnTrash(
  database: Database,
  { reader, skip, limit }: { reader: string; skip: number; limit: number },
): Promise<TrashEntry[] | null> {
  const reach = integer(skip + limit);
  const wanted = { reader, ...cursor(NEWEST), skip: integer(skip), reach };
  const read = async () => (await database.read(READ_OWN_PAGE, wanted))[0];
  const row = await readConsistently(read, (found) => found === undefined || (found.page as Row[]).every(isWhole));
  return row?.foreign === 0 ? (row.page as Row[]).map(decodeTrashEntry) : null;
}

/**
 * In: ids. Out: node; no row for an active or missing node. Locks: none. Cost: one index look-up
 * each.
 */
const READ_TRASHED_NODES = `
UNWIND $ids AS id
MATCH (n:Node {id: id}) WHERE n.inTrash = true
RETURN n {.id, .ownerId, .title, .status, .inTrash, .lastBatchID, .version, .lastEditedTime} AS node`;

/** The nodes among these that are in the trash. */
export async function readTrashedNodes(database: Database, ids: readonly string[]): Promise<TrashedNode[]> {
  const rows = await readConsistently(
    () => database.read(READ_TRASHED_NODES, { ids }),
    (found) => found.every(isWhole),
  );
  return rows.map(({ node }) => node as TrashedNode);
}

export interface TrashCandidates {
  readonly found: readonly TrashEntry[];
  /** The next position; null at the end. */
  readonly next: TrashCursor | null;
}

/** Reads up to `size` candidates past a cursor, or from the newest on. */
export async function readCandidates(
  database: Database,
  { reader, feeds }: { reader: string; feeds: readonly string[] },
  { after, size }: { after: TrashCursor | null; size: number },
): Promise<TrashCandidates> {
  const wanted = { reader, in: { feeds: [...feeds] }, ...cursor(after ?? NEWEST), reach: integer(size) };
  const rows = await readConsistently(
    () => database.read(READ_CANDIDATES, wanted),
    (found) => found.every(isWhole),
  );
  const last = rows.at(-1);
  const next = last === undefined || rows.length < size ? null : (last as unknown as TrashCursor);
  return { found: rows.map(decodeTrashEntry), next };
}

function cursor({ edited, id }: TrashCursor) {
  return { before: edited, beforeId: id };
}

function isWhole({ node, properties }: Row): boolean {
  return node === null ? (properties as Row | null)?.id !== undefined : (node as NodeState).inTrash;
}

function decodeTrashEntry(row: Row): TrashEntry {
  if (row.node !== null) return { node: row.node as TrashedNode, link: null };
  const { sourceOwnerId, targetOwnerId } = row.properties as { sourceOwnerId: string; targetOwnerId: string };
  return { node: null, link: decodeLink(row as Parameters<typeof decodeLink>[0]), sourceOwnerId, targetOwnerId };
}
