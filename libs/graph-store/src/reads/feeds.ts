// The heads of feeds.
import type { Database } from '../driver/database.ts';

/** A feed's head: the number of its last slice, and its epoch. */
export interface FeedHead {
  readonly feed: string;
  readonly seq: number;
  readonly epoch: number;
}

/** In: feeds (ids). Out: feed, seq, epoch. Locks: none. Cost: one index look-up each. */
const READ_HEADS = `UNWIND $feeds AS feed MATCH (f:Feed {id: feed})
RETURN f.id AS feed, f.seq AS seq, f.epoch AS epoch`;

/**
 * The heads of these feeds; missing feeds are omitted. Read them before the state that they are the
 * position of.
 */
export async function readHeads(database: Database, feeds: readonly string[]): Promise<FeedHead[]> {
  const rows = await database.read(READ_HEADS, { feeds: [...feeds] });
  return rows as unknown as FeedHead[];
}
