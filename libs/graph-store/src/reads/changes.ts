// Changes in a reader's feeds between two heads: ids from the feeds' entries, and all that is in feeds that were gained. Rules: EVT2.
import { subjectOfFeed } from '@taskgraph/wire/messages';
import { integer } from '../driver/codec.ts';
import type { Database } from '../driver/database.ts';
import type { Stretch } from './feed-members.ts';

/** Numbers of a feed that were missed: those past `since`, up to the head. */
export interface Missed {
  readonly feed: string;
  readonly since: number;
  readonly head: number;
}

/** Most entries that one answer catches up with, in all feeds together, and most ids in them. */
const MAXIMUM_ENTRIES = 10_000;
const MAXIMUM_IDS = 50_000;

/**
 * In: missed (feed, since, head), roots (node ids). Out: feed, first (the oldest number that is kept), entries (how many numbers there are),
 * ids (how many), resets (entries that name no ids), roots (those that the reader's own feed names). Locks: none. Cost: the entries, by the
 * index.
 *
 * An entry without lists is of a time before they were kept.
 */
const SURVEY_ENTRIES = `
UNWIND $missed AS missed
MATCH (f:Feed {id: missed.feed})
CALL (missed) {
  MATCH (e:Entry) USING INDEX SEEK e:Entry(feed, seq)
  WHERE e.feed = missed.feed AND e.seq > missed.since AND e.seq <= missed.head
  RETURN count(DISTINCT e.seq) AS entries, sum(size(e.nodes) + size(e.links)) AS ids,
    count(CASE WHEN e.nodes IS NULL OR e.reset THEN 1 END) AS resets,
    collect(CASE WHEN missed.feed STARTS WITH 'user:' THEN [id IN e.nodes WHERE id IN $roots] ELSE [] END) AS roots
}
RETURN missed.feed AS feed, f.first AS first, entries, ids, resets, roots`;

/** In: missed (feed, since, head), after (id), limit. Out: id of the nodes that the entries name, in order. Locks: none. Cost: the entries. */
const LIST_CHANGED_NODES = `
UNWIND $missed AS missed
MATCH (e:Entry) USING INDEX SEEK e:Entry(feed, seq)
WHERE e.feed = missed.feed AND e.seq > missed.since AND e.seq <= missed.head
UNWIND e.nodes AS id
WITH DISTINCT id WHERE id > $after
RETURN id ORDER BY id LIMIT $limit`;

/** In: missed (feed, since, head), after (id), limit. Out: id of the links that the entries name, in order. Locks: none. Cost: the entries. */
const LIST_CHANGED_LINKS = `
UNWIND $missed AS missed
MATCH (e:Entry) USING INDEX SEEK e:Entry(feed, seq)
WHERE e.feed = missed.feed AND e.seq > missed.since AND e.seq <= missed.head
UNWIND e.links AS id
WITH DISTINCT id WHERE id > $after
RETURN id ORDER BY id LIMIT $limit`;

/**
 * Whether the reader sees the other end of a link, the node o. A link whose end is out of sight would be left out of the answer, but it must not come
 * as far as that: it would take room of the page, which tells how many there are, and a cursor could name it.
 */
const SEES_OTHER_END = `CASE
    WHEN o.ownerId = $reader THEN true
    ELSE EXISTS { (o)-[row:IN]->() WHERE row.feed IN $feeds }
  END`;

/**
 * In: nodes (ids), after (node, link), reader (user id), own (the reader's own feed), feeds (all that the reader reads), limit.
 * Out: node, link (ids), in order, of active links on these nodes that no feed tells of when the node comes: their other end is read by
 * another feed, or they are private ones of the reader. Locks: none. Cost: the links on these nodes and the rows of their other ends.
 *
 * A node of the reader's own never comes: it was always there.
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
 * In: nodes (ids of members of a feed), after (node, link), feed, reader (user id), feeds (all that the reader reads), limit. Out: node, link
 * (ids), in order, of active links on these nodes, each at its source where that is a member too. Private ones of others, and links to what the
 * reader does not see, are left out. Locks: none. Cost: the links on these nodes and the rows of their other ends.
 */
const LIST_MEMBERS_LINKS = `
UNWIND $nodes AS id
MATCH (n:Node {id: id})-[r:BLOCKS|RELATES]-(o:Node) USING INDEX SEEK n:Node(id)
WHERE (n.id > $after.node OR r.id > $after.link) AND CASE WHEN r.private THEN r.ownerId = $reader ELSE true END
  AND CASE WHEN startNode(r) = n THEN true ELSE NOT EXISTS { (o)-[m:IN]->() WHERE m.feed = $feed } END
  AND ${SEES_OTHER_END}
RETURN n.id AS node, r.id AS link ORDER BY node, link LIMIT $limit`;

/** A summary of a stretch of entries, before any of it is listed. */
export interface Survey {
  /** Whether the entries are all there, name what they moved, and are not too many. */
  readonly complete: boolean;
  /** Whether, where it is not, only the last entries may not be visible yet. */
  readonly mayComplete: boolean;
  /** Feeds of whose grant the reader was told: they may have been lost in between, and nothing kept for them while nobody read them. */
  readonly granted: ReadonlySet<string>;
}

export async function surveyEntries(database: Database, missed: readonly Missed[]): Promise<Survey> {
  const incomplete = { complete: false, mayComplete: false, granted: new Set<string>() };
  const moved = missed.filter(({ since, head }) => since !== head);
  const entries = moved.reduce((sum, { since, head }) => sum + head - since, 0);
  // A number past the head was never given by this database.
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

/** Whether entries are still kept from there on, and all of them name what they moved. */
function isKept(row: SurveyRow | undefined, since: number): boolean {
  return row !== undefined && row.first <= since + 1 && row.resets === 0;
}

function missedRow({ feed, since, head }: Missed) {
  return { feed, since: integer(since), head: integer(head) };
}

export async function listChanged(
  database: Database,
  kind: 'nodes' | 'links',
  missed: readonly Missed[],
  { after, limit }: Stretch,
): Promise<string[]> {
  const statement = kind === 'nodes' ? LIST_CHANGED_NODES : LIST_CHANGED_LINKS;
  const moved = missed.filter(({ since, head }) => since < head);
  if (moved.length === 0) return [];
  const rows = await database.read(statement, { missed: moved.map(missedRow), after, limit: integer(limit) });
  return rows.map(({ id }) => id as string);
}

/** A link at one of the nodes whose links are listed; as a cursor, the last one that was. */
export interface LinkAt {
  readonly node: string;
  readonly link: string;
}

/** The reader, and their feeds. */
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
