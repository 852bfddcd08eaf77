// The members of a feed, by the ids on their membership rows.
import { integer } from '../driver/codec.ts';
import type { Database } from '../driver/database.ts';

/** A range of ids past one, in order. */
export interface IdRange {
  readonly after: string;
  readonly limit: number;
}

/**
 * In: feed, after (id), limit. Out: id of the feed's members, in order. Locks: none. Cost: what it
 * gives, by the index's order.
 */
const LIST_MEMBERS = `
MATCH ()-[m:IN]->() USING INDEX SEEK m:IN(feed, id)
WHERE m.feed = $feed AND m.id > $after
RETURN m.id AS id
ORDER BY m.feed, m.id LIMIT $limit`;

export async function listMembers(database: Database, feed: string, { after, limit }: IdRange): Promise<string[]> {
  const rows = await database.read(LIST_MEMBERS, { feed, after, limit: integer(limit) });
  return rows.map(({ id }) => id as string);
}
