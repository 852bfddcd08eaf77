// Does what jobs do to what is stored and nobody may notice.
import type { Database } from '@taskgraph/graph-store/driver/database';
import { listDeadFeeds, retireFeed } from '@taskgraph/graph-store/maintenance/membership-collection';
import { listUnwritten, rewriteHistory } from '@taskgraph/graph-store/maintenance/rewriting';

/** Deleted content leaves history, and rows that nobody reads go. */
export async function maintain(database: Database): Promise<void> {
  await rewriteHistory(database, await listUnwritten(database, 10_000));
  const { dead } = await listDeadFeeds(database, '', 10_000);
  for (const feed of dead) await retireFeed(database, feed);
}
