// The entries of feeds in the order of their batches, and the ids that they name. Rules: EVT2, HOOK6.
import { chunksOf } from '@taskgraph/wire/chunks';
import { integer } from '../driver/codec.ts';
import type { Database } from '../driver/database.ts';
import type { FeedGap } from './changes.ts';

/** The number of a batch's slice in a feed. */
export interface EntryPlace {
  readonly feed: string;
  readonly seq: number;
  /** The id and the time of the batch. */
  readonly batch: string;
  readonly ts: string;
}

/** Gaps of one statement. */
const GAPS_AT_ONCE = 500;

/**
 * In: missed (feed, since, head). Out: feed, seq, batch, ts of the entries in both stored forms. Locks:
 * none. Cost: the entries, by the indexes.
 */
const LIST_ENTRIES = `
UNWIND $missed AS missed
CALL (missed) {
  MATCH (b:Batch) USING INDEX SEEK b:Batch(feed, seq)
  WHERE b.feed = missed.feed AND b.seq > missed.since AND b.seq <= missed.head
  RETURN b.seq AS seq, b.id AS batch, b.ts AS ts
  UNION
  MATCH (e:Entry) USING INDEX SEEK e:Entry(feed, seq)
  WHERE e.feed = missed.feed AND e.seq > missed.since AND e.seq <= missed.head
  RETURN e.seq AS seq, e.batch AS batch, e.ts AS ts
}
RETURN missed.feed AS feed, seq, batch, ts`;

/** The first entries of each of these gaps by number, at most `each` of one feed, in the order of their time. */
export async function listEntries(database: Database, missed: readonly FeedGap[], each: number): Promise<EntryPlace[]> {
  const moved = missed.filter(({ since, head }) => since < head);
  const found: EntryPlace[] = [];
  for (const some of chunksOf(moved, GAPS_AT_ONCE)) {
    const rows = some.map(({ feed, since, head }) => gapRow({ feed, since, head: Math.min(head, since + each) }));
    found.push(...((await database.read(LIST_ENTRIES, { missed: rows })) as unknown as EntryPlace[]));
  }
  return found.sort(byTime);
}

function gapRow({ feed, since, head }: FeedGap) {
  return { feed, since: integer(since), head: integer(head) };
}

/**
 * In: missed (feed, since, head), most. Out: feed, seq, batch, ts, reset (whether it names not all), ids (how many it
 * names), nodes, links (their ids, or null for more than `most`) of the entries in both stored forms, some of them
 * twice. Locks: none. Cost: the entries with their ids, by the indexes.
 */
const LOAD_RANGES = `
UNWIND $missed AS missed
CALL (missed) {
  MATCH (b:Batch) USING INDEX SEEK b:Batch(feed, seq)
  WHERE b.feed = missed.feed AND b.seq > missed.since AND b.seq <= missed.head
  RETURN b.seq AS seq, b.id AS batch, b.ts AS ts, coalesce(b.nodes, []) AS nodes, coalesce(b.links, []) AS links,
    coalesce(b.reset, false) AS reset
  UNION ALL
  MATCH (e:Entry) USING INDEX SEEK e:Entry(feed, seq)
  WHERE e.feed = missed.feed AND e.seq > missed.since AND e.seq <= missed.head
  RETURN e.seq AS seq, e.batch AS batch, e.ts AS ts, coalesce(e.nodes, []) AS nodes, coalesce(e.links, []) AS links,
    e.nodes IS NULL OR coalesce(e.reset, false) AS reset
}
WITH missed.feed AS feed, seq, batch, ts, reset, nodes, links, size(nodes) + size(links) AS ids
RETURN feed, seq, batch, ts, reset, ids,
  CASE WHEN ids <= $most THEN nodes END AS nodes, CASE WHEN ids <= $most THEN links END AS links`;

/** An entry with the ids that it names; without them if they are many. */
export interface LoadedEntry extends EntryPlace {
  /** Whether it names not all entities. */
  readonly reset: boolean;
  /** The number of its ids. */
  readonly ids: number;
  readonly nodes: readonly string[] | null;
  readonly links: readonly string[] | null;
}

/** The entries of these gaps in no order, with at most `most` ids each. The caller bounds the gaps. */
export async function loadRanges(database: Database, missed: readonly FeedGap[], most: number): Promise<LoadedEntry[]> {
  const rows = await database.read(LOAD_RANGES, { missed: missed.map(gapRow), most: integer(most) });
  return rows as unknown as LoadedEntry[];
}

/** In the order of time, and of one feed by number. */
export function byTime(one: EntryPlace, other: EntryPlace): number {
  if (one.ts !== other.ts) return one.ts < other.ts ? -1 : 1;
  if (one.feed !== other.feed) return one.feed < other.feed ? -1 : 1;
  return one.seq - other.seq;
}

/**
 * In: feed, since, head, ids, bound. Out: seq, batch, ids (those that the entry names) of the entries
 * that name one of these nodes. Locks: none. Cost: the entries with their ids, by the indexes.
 */
const FIND_NAMING = `
CALL () {
  MATCH (b:Batch) USING INDEX SEEK b:Batch(feed, seq)
  WHERE b.feed = $feed AND b.seq > $since AND b.seq <= $head
  RETURN b.seq AS seq, b.id AS batch, b.nodes AS nodes
  UNION
  MATCH (e:Entry) USING INDEX SEEK e:Entry(feed, seq)
  WHERE e.feed = $feed AND e.seq > $since AND e.seq <= $head
  RETURN e.seq AS seq, e.batch AS batch, coalesce(e.nodes, []) AS nodes
}
WITH seq, batch, [id IN nodes WHERE id IN $ids] AS ids WHERE size(ids) > 0
RETURN seq, batch, ids ORDER BY seq LIMIT $bound`;

/** An entry that names some of the sought nodes. */
export interface NamingEntry {
  readonly seq: number;
  readonly batch: string;
  readonly ids: readonly string[];
}

/** The entries of a gap that name one of these nodes, at most `bound` of them. */
export async function findEntriesNaming(
  database: Database,
  gap: FeedGap,
  ids: readonly string[],
  bound: number,
): Promise<NamingEntry[]> {
  if (ids.length === 0 || gap.since >= gap.head) return [];
  const rows = await database.read(FIND_NAMING, { ...gapRow(gap), ids: [...ids], bound: integer(bound) });
  return rows as unknown as NamingEntry[];
}

/**
 * In: places (feed, seq). Out: batch, ids (how many ids the entry names), reset (whether it names not
 * all). Locks: none. Cost: two index look-ups each, and the ids.
 */
const COUNT_IDS = `
UNWIND $places AS place
CALL (place) {
  MATCH (b:Batch) USING INDEX SEEK b:Batch(feed, seq)
  WHERE b.feed = place.feed AND b.seq = place.seq
  RETURN b.id AS batch, size(b.nodes) + size(coalesce(b.links, [])) AS ids, coalesce(b.reset, false) AS reset
  UNION
  MATCH (e:Entry) USING INDEX SEEK e:Entry(feed, seq)
  WHERE e.feed = place.feed AND e.seq = place.seq
  RETURN e.batch AS batch, size(coalesce(e.nodes, [])) + size(coalesce(e.links, [])) AS ids,
    e.nodes IS NULL OR coalesce(e.reset, false) AS reset
}
RETURN batch, ids, reset`;

/** How many ids the entries of a batch name, and whether one of them does not name all. */
export interface BatchSize {
  readonly ids: number;
  readonly isReset: boolean;
}

/** The sizes of batches by their entries. */
export async function readBatchSizes(
  database: Database,
  places: readonly Pick<EntryPlace, 'feed' | 'seq'>[],
): Promise<Map<string, BatchSize>> {
  const sizes = new Map<string, BatchSize>();
  for (const some of chunksOf(places, GAPS_AT_ONCE)) {
    const rows = some.map(({ feed, seq }) => ({ feed, seq: integer(seq) }));
    for (const row of await database.read(COUNT_IDS, { places: rows })) {
      const { ids = 0, isReset = false } = sizes.get(row.batch as string) ?? {};
      sizes.set(row.batch as string, { ids: ids + (row.ids as number), isReset: isReset || row.reset === true });
    }
  }
  return sizes;
}

/**
 * In: places (feed, seq). Out: batch, nodes, links (ids) of each entry. Locks: none. Cost: two index
 * look-ups each, and the ids.
 */
const LOAD_ENTRIES = `
UNWIND $places AS place
CALL (place) {
  MATCH (b:Batch) USING INDEX SEEK b:Batch(feed, seq)
  WHERE b.feed = place.feed AND b.seq = place.seq
  RETURN b.id AS batch, b.nodes AS nodes, coalesce(b.links, []) AS links
  UNION ALL
  MATCH (e:Entry) USING INDEX SEEK e:Entry(feed, seq)
  WHERE e.feed = place.feed AND e.seq = place.seq
  RETURN e.batch AS batch, coalesce(e.nodes, []) AS nodes, coalesce(e.links, []) AS links
}
RETURN batch, nodes, links`;

/** The ids that these entries name, by batch. */
export async function loadEntryIds(
  database: Database,
  places: readonly Pick<EntryPlace, 'feed' | 'seq'>[],
): Promise<Map<string, { readonly nodes: Set<string>; readonly links: Set<string> }>> {
  const byBatch = new Map<string, { readonly nodes: Set<string>; readonly links: Set<string> }>();
  for (const some of chunksOf(places, GAPS_AT_ONCE)) {
    const rows = some.map(({ feed, seq }) => ({ feed, seq: integer(seq) }));
    for (const { batch, nodes, links } of await database.read(LOAD_ENTRIES, { places: rows })) {
      const ids = byBatch.get(batch as string) ?? { nodes: new Set<string>(), links: new Set<string>() };
      for (const id of nodes as string[]) ids.nodes.add(id);
      for (const id of links as string[]) ids.links.add(id);
      byBatch.set(batch as string, ids);
    }
  }
  return byBatch;
}
