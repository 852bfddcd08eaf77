// Changes in a reader's feeds between two positions: ids from the feeds' entries, and the whole
// content of gained feeds. Rules: EVT2.
import { subjectOfFeed } from '@taskgraph/wire/feeds';
import { integer } from '../driver/codec.ts';
import type { Database } from '../driver/database.ts';
import type { IdRange } from './feed-members.ts';

/** A gap: the numbers of a feed after `since`, up to the head. */
export interface FeedGap {
  readonly feed: string;
  readonly since: number;
  readonly head: number;
}

/** Maximum entries, in all feeds together, and maximum ids of one answer. */
const MAXIMUM_ENTRIES = 10_000;
const MAXIMUM_IDS = 50_000;

/**
 * In: missed, of one feed. Out: seq, nodes, links, reset of its entries, in both stored forms.
 * Locks: none. Cost: the entries, by the indexes.
 *
 * Batches come first: a purge turns the merged entry of a batch into an `Entry`, never the reverse.
 * In this order a statement meanwhile reads it once or twice, and never misses it.
 */
const ENTRIES = `CALL (missed) {
    MATCH (b:Batch) USING INDEX SEEK b:Batch(feed, seq)
    WHERE b.feed = missed.feed AND b.seq > missed.since AND b.seq <= missed.head
    RETURN b.seq AS seq, b.nodes AS nodes, coalesce(b.links, []) AS links, coalesce(b.reset, false) AS reset
    UNION ALL
    MATCH (e:Entry) USING INDEX SEEK e:Entry(feed, seq)
    WHERE e.feed = missed.feed AND e.seq > missed.since AND e.seq <= missed.head
    RETURN e.seq AS seq, e.nodes AS nodes, e.links AS links, e.reset AS reset
  }`;

/**
 * In: missed (feed, since, head), roots (node ids). Out: feed, first (the oldest stored number),
 * entries (how many numbers there are), ids (how many), resets (entries that name no ids), roots
 * (those that the reader's own feed names). Locks: none. Cost: the entries, by the index.
 *
 * Entries without lists predate their introduction.
 */
const SURVEY_ENTRIES = `
UNWIND $missed AS missed
MATCH (f:Feed {id: missed.feed})
CALL (missed) {
  ${ENTRIES}
  RETURN count(DISTINCT seq) AS entries, sum(size(nodes) + size(links)) AS ids,
    count(CASE WHEN nodes IS NULL OR reset THEN 1 END) AS resets,
    collect(CASE WHEN missed.feed STARTS WITH 'user:' THEN [id IN nodes WHERE id IN $roots] ELSE [] END) AS roots
}
RETURN missed.feed AS feed, f.first AS first, entries, ids, resets, roots`;

/**
 * In: missed (feed, since, head). Out: lost, how many of these feeds have no longer all entries
 * after the position. Locks: none. Cost: one index look-up each.
 */
const FIND_LOST_ENTRIES = `
UNWIND $missed AS missed
OPTIONAL MATCH (f:Feed {id: missed.feed})
RETURN count(CASE WHEN f.first <= missed.since + 1 THEN null ELSE 1 END) AS lost`;

/**
 * In: missed (feed, since, head), after (id), limit. Out: id of the nodes in the entries, in order.
 * Locks: none. Cost: the entries.
 */
const LIST_CHANGED_NODES = `
UNWIND $missed AS missed
${ENTRIES}
UNWIND nodes AS id
WITH DISTINCT id WHERE id > $after
RETURN id ORDER BY id LIMIT $limit`;

/**
 * In: missed (feed, since, head), after (id), limit. Out: id of the links in the entries, in order.
 * Locks: none. Cost: the entries.
 */
const LIST_CHANGED_LINKS = `
UNWIND $missed AS missed
${ENTRIES}
UNWIND links AS id
WITH DISTINCT id WHERE id > $after
RETURN id ORDER BY id LIMIT $limit`;

/**
 * Whether the other end of a link, the node o, is visible to the reader. A link with an invisible
 * end must be excluded here: later it would take space of the page, which reveals its existence,
 * and a cursor could name it.
 */
const SEES_OTHER_END = `CASE
    WHEN o.ownerId = $reader THEN true
    ELSE EXISTS { (o)-[row:IN]->() WHERE row.feed IN $feeds }
  END`;

/**
 * In: nodes (ids), after (node, link), reader (user id), own (the reader's own feed), feeds (all
 * that the reader reads), limit. Out: node, link (ids), in order, of active links on these nodes
 * that no feed reports when the node becomes visible: their other end is visible by another feed,
 * or they are the reader's private links. Locks: none. Cost: the links on these nodes and the rows
 * of their other ends.
 *
 * The reader's own nodes are excluded: they were always visible.
 */
const LIST_CROSSING_LINKS = `
UNWIND $nodes AS id
MATCH (n:Node {id: id}) WHERE n.ownerId <> $reader AND n.inTrash = false
WITH n, [(n)-[m:IN]->() WHERE m.feed IN $feeds | m.feed] AS feeds WHERE size(feeds) > 0
MATCH (n)-[r:BLOCKS|RELATES]-(o:Node)
WHERE (n.id > $after.node OR r.id > $after.link)
  AND CASE
    WHEN r.private THEN r.ownerId = $reader
    WHEN o.ownerId = $reader THEN NOT $own IN feeds
    ELSE NOT EXISTS { (o)-[m:IN]->() WHERE m.feed IN feeds }
  END
  AND ${SEES_OTHER_END}
RETURN n.id AS node, r.id AS link ORDER BY node, link LIMIT $limit`;

/**
 * In: nodes (ids of members of a feed), after (node, link), feed, reader (user id), feeds (all that
 * the reader reads), limit. Out: node, link (ids), in order, of active links on these nodes, each
 * at its source if that is a member too. Other users' private links, and links to invisible nodes,
 * are omitted. Locks: none. Cost: the links on these nodes and the rows of their other ends.
 */
const LIST_MEMBERS_LINKS = `
UNWIND $nodes AS id
MATCH (n:Node {id: id})-[r:BLOCKS|RELATES]-(o:Node) USING INDEX SEEK n:Node(id)
WHERE (n.id > $after.node OR r.id > $after.link) AND CASE WHEN r.private THEN r.ownerId = $reader ELSE true END
  AND CASE WHEN startNode(r) = n THEN true ELSE NOT EXISTS { (o)-[m:IN]->() WHERE m.feed = $feed } END
  AND ${SEES_OTHER_END}
RETURN n.id AS node, r.id AS link ORDER BY node, link LIMIT $limit`;

/** A summary of a range of entries, before any of it is listed. */
export interface Survey {
  /** Whether all entries exist, name their entities, and are within the limit. */
  readonly complete: boolean;
  /** If incomplete: whether the last entries may only be invisible yet. */
  readonly mayComplete: boolean;
  /**
   * Feeds reported to the reader as granted. Access may have been lost in between, and without
   * readers they store no entries.
   */
  readonly granted: ReadonlySet<string>;
}

export async function surveyEntries(database: Database, missed: readonly FeedGap[]): Promise<Survey> {
  const incomplete = { complete: false, mayComplete: false, granted: new Set<string>() };
  const moved = missed.filter(({ since, head }) => since !== head);
  const entries = moved.reduce((sum, { since, head }) => sum + head - since, 0);
  // This database has never assigned a number past the head.
  if (entries > MAXIMUM_ENTRIES || moved.some(({ since, head }) => since > head)) return incomplete;
  const shared = missed.map(({ feed }) => feed).filter((feed) => !feed.startsWith('user:'));
  const request = { missed: moved.map(missedRow), roots: shared.map(subjectOfFeed) };
  const rows = (await database.read(SURVEY_ENTRIES, request)) as unknown as SurveyRow[];
  const surveyed = new Map(rows.map((row) => [row.feed, row]));
  if (rows.reduce((sum, { ids }) => sum + ids, 0) > MAXIMUM_IDS) return incomplete;
  if (!moved.every(({ feed, since }) => isKept(surveyed.get(feed), since))) return incomplete;
  const complete = moved.every(({ feed, since, head }) => surveyed.get(feed)?.entries === head - since);
  const named = new Set(rows.flatMap(({ roots }) => roots.flat()));
  return { complete, mayComplete: true, granted: new Set(shared.filter((feed) => named.has(subjectOfFeed(feed)))) };
}

interface SurveyRow {
  readonly feed: string;
  readonly first: number;
  readonly entries: number;
  readonly ids: number;
  readonly resets: number;
  readonly roots: readonly string[][];
}

/** Whether entries from `since` on are still stored and all name their entities. */
function isKept(row: SurveyRow | undefined, since: number): boolean {
  return row !== undefined && row.first <= since + 1 && row.resets === 0;
}

function missedRow({ feed, since, head }: FeedGap) {
  return { feed, since: integer(since), head: integer(head) };
}

/**
 * Whether all entries of these gaps are still stored. Asked after their ids are listed: entries may
 * be deleted between the survey and a list, which then lacks ids.
 */
export async function areEntriesKept(database: Database, missed: readonly FeedGap[]): Promise<boolean> {
  const moved = missed.filter(({ since, head }) => since < head);
  if (moved.length === 0) return true;
  const [row] = await database.read(FIND_LOST_ENTRIES, { missed: moved.map(missedRow) });
  return row?.lost === 0;
}

export async function listChanged(
  database: Database,
  kind: 'nodes' | 'links',
  missed: readonly FeedGap[],
  { after, limit }: IdRange,
): Promise<string[]> {
  const statement = kind === 'nodes' ? LIST_CHANGED_NODES : LIST_CHANGED_LINKS;
  const moved = missed.filter(({ since, head }) => since < head);
  if (moved.length === 0) return [];
  const rows = await database.read(statement, { missed: moved.map(missedRow), after, limit: integer(limit) });
  return rows.map(({ id }) => id as string);
}

/** A link at one of the listed nodes; as a cursor, the last one listed. */
export interface LinkAt {
  readonly node: string;
  readonly link: string;
}

/** A reader and their feeds. */
export interface FeedReader {
  readonly id: string;
  readonly own: string;
  readonly feeds: readonly string[];
}

export async function listCrossingLinks(
  database: Database,
  reader: FeedReader,
  nodes: readonly string[],
  { after, limit }: { readonly after: LinkAt; readonly limit: number },
): Promise<LinkAt[]> {
  const { id, own, feeds } = reader;
  const request = { nodes: [...nodes], after: { ...after }, reader: id, own, feeds: [...feeds], limit: integer(limit) };
  return (await database.read(LIST_CROSSING_LINKS, request)) as unknown as LinkAt[];
}

export async function listMembersLinks(
  database: Database,
  { feed, reader, nodes }: { readonly feed: string; readonly reader: FeedReader; readonly nodes: readonly string[] },
  { after, limit }: { readonly after: LinkAt; readonly limit: number },
): Promise<LinkAt[]> {
  const { id, feeds } = reader;
  const request = {
    nodes: [...nodes],
    after: { ...after },
    feed,
    reader: id,
    feeds: [...feeds],
    limit: integer(limit),
  };
  return (await database.read(LIST_MEMBERS_LINKS, request)) as unknown as LinkAt[];
}
