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
  /** How many ids it names. */
  readonly ids: number;
}

/** Gaps of one statement. */
const GAPS_AT_ONCE = 500;

/**
 * In: missed (feed, since, head), bound. Out: feed, seq, batch, ts, ids (their number) of the entries
 * in both stored forms: of each feed those with the lowest numbers. Locks: none. Cost: at most the
 * bound for each feed, by the indexes.
 */
const LIST_ENTRIES = `
UNWIND $missed AS missed
CALL (missed) {
  CALL (missed) {
    MATCH (b:Batch) USING INDEX SEEK b:Batch(feed, seq)
    WHERE b.feed = missed.feed AND b.seq > missed.since AND b.seq <= missed.head
    RETURN b.seq AS seq, b.id AS batch, b.ts AS ts, size(b.nodes) + size(coalesce(b.links, [])) AS ids
    UNION
    MATCH (e:Entry) USING INDEX SEEK e:Entry(feed, seq)
    WHERE e.feed = missed.feed AND e.seq > missed.since AND e.seq <= missed.head
    RETURN e.seq AS seq, e.batch AS batch, e.ts AS ts, size(coalesce(e.nodes, [])) + size(coalesce(e.links, [])) AS ids
  }
  RETURN DISTINCT seq, batch, ts, ids ORDER BY seq LIMIT $bound
}
RETURN missed.feed AS feed, seq, batch, ts, ids ORDER BY ts, feed, seq LIMIT $bound`;

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

/** The first entries of these gaps by time, at most `bound` of them. */
export async function listEntries(
  database: Database,
  missed: readonly FeedGap[],
  bound: number,
): Promise<EntryPlace[]> {
  const moved = missed.filter(({ since, head }) => since < head);
  const found: EntryPlace[] = [];
  for (const some of chunksOf(moved, GAPS_AT_ONCE)) {
    const rows = some.map(({ feed, since, head }) => ({
      feed,
      since: integer(since),
      head: integer(Math.min(head, since + bound)),
    }));
    found.push(
      ...((await database.read(LIST_ENTRIES, { missed: rows, bound: integer(bound) })) as unknown as EntryPlace[]),
    );
  }
  return found.sort(byTime).slice(0, bound);
}

function byTime(one: EntryPlace, other: EntryPlace): number {
  if (one.ts !== other.ts) return one.ts < other.ts ? -1 : 1;
  if (one.feed !== other.feed) return one.feed < other.feed ? -1 : 1;
  return one.seq - other.seq;
}

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
