// Maintenance by jobs, which must not change any reader's view.
import type { Database } from '@taskgraph/graph-store/driver/database';
import { listUnwritten, rewriteHistory } from '@taskgraph/graph-store/maintenance/history-rewrite';
import { listDeadFeeds, retireFeed } from '@taskgraph/graph-store/maintenance/membership-collection';

const DELETED_OF = 'MATCH (d:Deleted) WHERE d.id IN $ids AND any(id IN d.readers WHERE id IN $users) RETURN d.id AS id';
const FEEDS_OF = 'MATCH (f:Feed) WHERE f.id IN $ids AND f.ownerId IN $users RETURN f.id AS id';

/**
 * Removes deleted content from history, and rows of feeds without readers. Only for these users
 * (ids), since other tests run on the same database.
 */
export async function maintain(database: Database, users: readonly string[]): Promise<void> {
  const those = async (cypher: string, ids: readonly string[]) =>
    (await database.read(cypher, { ids, users })).map(({ id }) => id as string);
  await rewriteHistory(database, await those(DELETED_OF, await listUnwritten(database, 10_000)));
  const { dead } = await listDeadFeeds(database, '', 10_000);
  for (const feed of await those(FEEDS_OF, dead)) await retireFeed(database, feed);
}
