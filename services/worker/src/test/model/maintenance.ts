// Does what jobs do to what is stored and nobody may notice.
import type { Database } from '@taskgraph/graph-store/driver/database';
import { listUnwritten, rewriteHistory } from '@taskgraph/graph-store/maintenance/history-rewrite';
import { listDeadFeeds, retireFeed } from '@taskgraph/graph-store/maintenance/membership-collection';

const DELETED_OF = 'MATCH (d:Deleted) WHERE d.id IN $ids AND any(id IN d.readers WHERE id IN $users) RETURN d.id AS id';
const FEEDS_OF = 'MATCH (f:Feed) WHERE f.id IN $ids AND f.ownerId IN $users RETURN f.id AS id';

/**
 * Deleted content leaves history, and rows that nobody reads go: of these users (ids) alone, since tests beside may look at what lingers of
 * theirs.
 */
export async function maintain(database: Database, users: readonly string[]): Promise<void> {
  const those = async (cypher: string, ids: readonly string[]) =>
    (await database.read(cypher, { ids, users })).map(({ id }) => id as string);
  await rewriteHistory(database, await those(DELETED_OF, await listUnwritten(database, 10_000)));
  const { dead } = await listDeadFeeds(database, '', 10_000);
  for (const feed of await those(FEEDS_OF, dead)) await retireFeed(database, feed);
}
