// The ids of the active nodes visible to a reader, in order: a merge of their own with the members
// of many feeds. Rules: EVT3.
import { integer } from '../driver/codec.ts';
import type { Database } from '../driver/database.ts';

/** The requested nodes: those of an owner, if any, and the members of feeds. */
export interface Membership {
  readonly ownerId: string | null;
  readonly feeds: readonly string[];
}

/** Minimum ids requested from one source at a time. */
const SMALLEST_STRETCH = 16;

/**
 * In: owner, after (id or ''), size. Out: ids, in order. Locks: none. Cost: size, from the index
 * alone.
 */
const OWN_STRETCH = `
MATCH (n:Node)
USING INDEX SEEK n:Node(ownerId, inTrash, id)
WHERE n.ownerId = $owner AND n.inTrash = false AND n.id > $after
WITH n.id AS id ORDER BY n.ownerId, n.inTrash, n.id LIMIT $size
RETURN collect(id) AS ids`;

/**
 * In: stretches (feed, after: id or ''), size. Out: feed, ids (in order) of active members; no row
 * for a feed without any. Locks: none. Cost: size for each feed, by the index's order.
 */
const FEED_STRETCHES = `
UNWIND $stretches AS stretch
CALL (stretch) {
  MATCH (n:Node)-[row:IN]->(:Feed)
  USING INDEX SEEK row:IN(feed, id)
  WHERE row.feed = stretch.feed AND row.id > stretch.after AND n.inTrash = false
  WITH row.id AS id ORDER BY row.feed, row.id LIMIT $size
  RETURN collect(id) AS ids
}
WITH stretch, ids WHERE size(ids) > 0
RETURN stretch.feed AS feed, ids`;

/** One ordered list of ids that is read in growing ranges. */
interface IdSource {
  /** Null for the owner's own nodes. */
  readonly feed: string | null;
  /** The last id read from it; null at its end. */
  reached: string | null;
}

/**
 * The first `count` ids past `after`. Each source is read in growing ranges, until no unfinished
 * source can hold an id below the last one requested.
 */
export async function readVisibleIds(
  database: Database,
  { ownerId, feeds }: Membership,
  { after, count }: { after: string; count: number },
): Promise<string[]> {
  const sources: IdSource[] = [...(ownerId === null ? [] : [null]), ...feeds].map((feed) => ({ feed, reached: after }));
  let found: string[] = [];
  let size = Math.min(count, Math.max(SMALLEST_STRETCH, Math.ceil((2 * count) / sources.length)));
  for (;;) {
    const bar = found[count - 1];
    const open = sources.filter(({ reached }) => reached !== null && (bar === undefined || reached < bar));
    if (open.length === 0) return found;
    const stretches = await readStretches(database, ownerId, open, size);
    const ids = new Set(found);
    for (const [source, stretch] of stretches) {
      for (const id of stretch) ids.add(id);
      source.reached = stretch.length < size ? null : (stretch.at(-1) as string);
    }
    found = [...ids].sort().slice(0, count);
    size = Math.min(count, 2 * size);
  }
}

async function readStretches(
  database: Database,
  owner: string | null,
  open: readonly IdSource[],
  size: number,
): Promise<[IdSource, string[]][]> {
  const own = open.find(({ feed }) => feed === null);
  const others = open.filter(({ feed }) => feed !== null);
  const [[ownRow], rows] = await Promise.all([
    own === undefined ? [] : database.read(OWN_STRETCH, { owner, after: own.reached, size: integer(size) }),
    others.length === 0
      ? []
      : database.read(FEED_STRETCHES, {
          stretches: others.map(({ feed, reached }) => ({ feed, after: reached })),
          size: integer(size),
        }),
  ]);
  const byFeed = new Map(rows.map((row) => [row.feed as string, row.ids as string[]]));
  return open.map((source) => [
    source,
    source.feed === null ? ((ownRow?.ids as string[] | undefined) ?? []) : (byFeed.get(source.feed) ?? []),
  ]);
}
