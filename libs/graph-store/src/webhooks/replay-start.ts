// The numbers of feeds at a time in the past, for replays. Rules: HOOK2, HOOK12.
//
// A shared feed starts in the past only if the own feed names its root nowhere since then. Otherwise the
// user may have gained the feed meanwhile, and must not learn of what was in it before.

import { subjectOfFeed } from '@taskgraph/wire/feeds';
import { integer } from '../driver/codec.ts';
import type { Database } from '../driver/database.ts';
import { findEntriesNaming } from '../reads/feed-entries.ts';
import type { FeedHead } from '../reads/feeds.ts';

/** Entries that one look-up considers, in all feeds together. */
const MAXIMUM_ENTRIES = 10_000;

/**
 * In: feeds (feed, floor, head), since (ISO 8601). Out: feed, seq (the first one since then, of the
 * numbers after floor; null without one), oldest (the first stored number after floor). Locks: none.
 * Cost: the entries after floor, by the indexes.
 */
const FIND_FIRST = `UNWIND $feeds AS row
CALL (row) {
  MATCH (b:Batch) USING INDEX SEEK b:Batch(feed, seq)
  WHERE b.feed = row.feed AND b.seq > row.floor AND b.seq <= row.head
  RETURN b.seq AS seq, b.ts AS ts
  UNION ALL
  MATCH (e:Entry) USING INDEX SEEK e:Entry(feed, seq)
  WHERE e.feed = row.feed AND e.seq > row.floor AND e.seq <= row.head
  RETURN e.seq AS seq, e.ts AS ts
}
RETURN row.feed AS feed, min(CASE WHEN ts >= $since THEN seq END) AS seq, min(seq) AS oldest`;

/** Where a replay starts. */
interface ReplayStart {
  /** By feed: the number before the first one since the time. */
  readonly heads: Readonly<Record<string, number>>;
  /** Whether there may be more changes since the time than were considered. */
  readonly isCut: boolean;
}

/** Entries of the own feed that name shared roots; above it all shared feeds start at their heads. */
const MAXIMUM_NAMING = 1_000;

/** The start of a replay of changes since a time (ISO 8601 UTC) in these feeds, of which the first is the own one. */
export async function findReplayStart(
  database: Database,
  feeds: readonly Pick<FeedHead, 'feed' | 'seq'>[],
  since: string,
): Promise<ReplayStart> {
  const each = Math.max(1, Math.floor(MAXIMUM_ENTRIES / Math.max(1, feeds.length)));
  const rows = await database.read(FIND_FIRST, {
    since,
    feeds: feeds.map(({ feed, seq }) => ({ feed, floor: integer(Math.max(0, seq - each)), head: integer(seq) })),
  });
  const first = new Map(rows.map(({ feed, seq, oldest }) => [feed as string, { seq, oldest } as FirstNumbers]));
  // The oldest considered entry is already since the time, and older numbers exist.
  const isCut = ({ feed, seq }: Pick<FeedHead, 'feed' | 'seq'>) => {
    const numbers = first.get(feed);
    return numbers !== undefined && numbers.seq !== null && numbers.seq === numbers.oldest && seq > each;
  };
  const startOf = ({ feed, seq }: Pick<FeedHead, 'feed' | 'seq'>) => (first.get(feed)?.seq ?? seq + 1) - 1;
  const [own, ...shared] = feeds;
  if (own === undefined) return { heads: {}, isCut: false };
  const gap = { feed: own.feed, since: startOf(own), head: own.seq };
  const roots = shared.map(({ feed }) => subjectOfFeed(feed));
  const naming = isCut(own) ? [] : await findEntriesNaming(database, gap, roots, MAXIMUM_NAMING);
  const isUnknown = isCut(own) || naming.length === MAXIMUM_NAMING;
  const named = new Set(naming.flatMap(({ ids }) => ids));
  const isHeld = ({ feed }: Pick<FeedHead, 'feed'>) => !isUnknown && !named.has(subjectOfFeed(feed));
  const heads = feeds.map((head) => [head.feed, head === own || isHeld(head) ? startOf(head) : head.seq] as const);
  return { heads: Object.fromEntries(heads), isCut: feeds.some(isCut) || !shared.every(isHeld) };
}

interface FirstNumbers {
  readonly seq: number | null;
  readonly oldest: number | null;
}
