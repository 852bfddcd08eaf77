// Deletes the membership rows of share roots without readers. They have no effect but count towards
// the limit of a node's memberships. Rules: ACL2; see docs/design/jobs.md.
import { integer } from '../driver/codec.ts';
import type { Database, OpenTransaction } from '../driver/database.ts';
import { failureOf } from '../driver/failures.ts';

/** Milliseconds for the rows of one feed. */
const TIMEOUT_MS = 30_000;
/**
 * Maximum rows of one feed: as many as the command that created them may walk over. Larger feeds
 * keep theirs.
 */
const MAXIMUM_ROWS = 60_000;
/** How often owners outside the locked set may appear before a feed waits for the next run. */
const MAXIMUM_RELOCKS = 3;

/**
 * In: after (feed), limit. Out: feed, in order, of shared feeds after one; dead, whether it has
 * rows but no reader. Locks: none. Cost: the results, by the index's order.
 */
const LIST_SHARED_FEEDS = `
MATCH (f:Feed) WHERE f.id > $after AND f.id < 'user:'
RETURN f.id AS feed, f.grants = 0 AND NOT f.public AND EXISTS { (f)<-[:IN]-() } AS dead ORDER BY f.id LIMIT $limit`;

/** In: users (ids). Out: id. Locks: those users, in order. Cost: one index look-up each. */
const LOCK_USERS = `
UNWIND $users AS id
MATCH (u:User {id: id}) SET u.lock = true
RETURN u.id AS id`;

/**
 * In: feed, limit. Out: dead, rows (how many, cut), owners of the feed and of all nodes in it; no
 * row if it has none. Locks: none; run it under the locks. Cost: the rows, cut.
 */
const READ_DEAD_FEED = `
MATCH (f:Feed {id: $feed})
CALL (f) { MATCH (f)<-[:IN]-(n) RETURN n LIMIT $limit }
WITH f.grants = 0 AND NOT f.public AS dead, f.ownerId AS owner, count(n) AS rows, collect(DISTINCT n.ownerId) AS owners
RETURN dead, rows, owners + owner AS owners`;

/** In: feed. Out: deleted, how many. Locks: the rows and both ends. Cost: the rows. */
const DELETE_ROWS_OF_FEED =
  'MATCH (f:Feed {id: $feed})<-[m:IN]-() USING INDEX SEEK f:Feed(id) DELETE m RETURN count(*) AS deleted';

/**
 * In: owners (ids). Out: nothing. Locks: users that are locked already. Cost: one index look-up
 * each.
 */
const BUMP_MEMBERS_OWNERS = 'UNWIND $owners AS id MATCH (u:User {id: id}) SET u.rev = u.rev + 1';

/** A page of shared feeds: the dead ones, and the start of the next page; null on the last one. */
export async function listDeadFeeds(
  database: Database,
  after: string,
  limit: number,
): Promise<{ readonly dead: string[]; readonly next: string | null }> {
  const rows = await database.read(LIST_SHARED_FEEDS, { after, limit: integer(limit) });
  const feeds = rows as unknown as { feed: string; dead: boolean }[];
  const last = feeds.length < limit ? null : (feeds.at(-1)?.feed ?? null);
  return { dead: feeds.filter(({ dead }) => dead).map(({ feed }) => feed), next: last };
}

/**
 * The result for a feed's rows: the number deleted, or why they stay. `busy`: a command has one of
 * their owners, or adds others; the next run tries again.
 */
export type RemovalResult = number | 'alive' | 'too_large' | 'busy';

/**
 * Deletes all rows of a feed without readers, in one transaction, under the locks of all owners
 * concerned. A partial deletion would be wrong: if the root were shared again, remaining rows would
 * stop the walk that recreates the others.
 */
export async function retireFeed(database: Database, feed: string): Promise<RemovalResult> {
  const owners = new Set<string>();
  for (let attempt = 0; attempt <= MAXIMUM_RELOCKS; attempt++) {
    const transaction = database.begin(TIMEOUT_MS);
    let committed = false;
    try {
      const outcome = await retire(transaction, feed, owners);
      if (outcome === 'outside') continue;
      if (typeof outcome === 'number') {
        await transaction.commit();
        committed = true;
      }
      return outcome;
    } catch (error) {
      // Before the commit, so nothing is deleted.
      if (failureOf(error) !== 'locked') throw error;
      return 'busy';
    } finally {
      if (!committed) await transaction.rollback();
    }
  }
  return 'busy';
}

async function retire(
  transaction: OpenTransaction,
  feed: string,
  owners: Set<string>,
): Promise<RemovalResult | 'outside'> {
  const locked = new Set(owners);
  await transaction.run(LOCK_USERS, { users: [...locked].sort() });
  const [found] = await transaction.run(READ_DEAD_FEED, { feed, limit: integer(MAXIMUM_ROWS + 1) });
  if (found?.dead !== true) return 'alive';
  if ((found.rows as number) > MAXIMUM_ROWS) return 'too_large';
  for (const owner of found.owners as string[]) owners.add(owner);
  if (owners.size > locked.size) return 'outside';
  const [row] = await transaction.run(DELETE_ROWS_OF_FEED, { feed });
  await transaction.run(BUMP_MEMBERS_OWNERS, { owners: [...owners].sort() });
  return row?.deleted as number;
}
