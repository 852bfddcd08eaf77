// Maintains stored data: removes deleted content from history, deletes old history, and removes
// memberships of feeds without readers and claims that do not count. Rules: TRS5, HIS8, ACL2, CLAIM3.
import type { Database } from '@taskgraph/graph-store/driver/database';
import { purgeDeletedImports } from '@taskgraph/graph-store/imports/import-rows';
import { listUnwritten, rewriteHistory } from '@taskgraph/graph-store/maintenance/history-rewrite';
import { listDeadFeeds, retireFeed } from '@taskgraph/graph-store/maintenance/membership-collection';
import {
  deleteOldBatches,
  deleteOldEntries,
  deleteOwnersTouches,
  listFeeds,
  listOldFeeds,
} from '@taskgraph/graph-store/maintenance/old-history';
import { removeStaleClaims } from '@taskgraph/graph-store/maintenance/stale-claims';
import { listUsers } from '@taskgraph/graph-store/maintenance/user-list';
import { SYSTEM_ID } from '@taskgraph/wire/actor';
import { count } from './metrics.ts';

/** Users, feeds or deleted entities in one statement. */
const PAGE = 500;
const DELETED_AT_ONCE = 100;
/** Their owners are locked at once. */
const CLAIMS_AT_ONCE = 50;

/**
 * Removes the content of all permanently deleted entities from history. Counts `entities` and
 * `batches`.
 */
export async function rewriteDeleted(database: Database, stopping: AbortSignal): Promise<void> {
  while (!stopping.aborted) {
    const deleted = await listUnwritten(database, DELETED_AT_ONCE);
    if (deleted.length === 0) return;
    count('rewrite', 'batches', await rewriteHistory(database, deleted));
    count('rewrite', 'entities', deleted.length);
  }
}

/** Deletes history older than a moment (ISO 8601). Counts `batches` and `entries`. */
export async function deleteHistory(database: Database, before: string, stopping: AbortSignal): Promise<void> {
  // Entries come first: the deletion of a batch must store its merged entry as a node.
  await forPages(
    [],
    (after) => listFeeds(database, after, PAGE),
    stopping,
    async (feeds) => {
      for (const feed of await listOldFeeds(database, feeds, before)) {
        await untilNone(
          () => deleteOldEntries(database, feed, before),
          stopping,
          (deleted) => count('history', 'entries', deleted),
        );
      }
    },
  );
  await forPages(
    [SYSTEM_ID],
    (after) => listUsers(database, after, PAGE),
    stopping,
    async (actors) => {
      await untilNone(
        () => deleteOldBatches(database, actors, before),
        stopping,
        (deleted) => count('history', 'batches', deleted),
      );
      await untilNone(
        () => deleteOwnersTouches(database, actors, before),
        stopping,
        () => undefined,
      );
    },
  );
}

/**
 * Removes the memberships of share roots whose last grant and publication ended. Counts `rows`, and
 * feeds by the reason for which theirs remain.
 */
export async function retireRows(database: Database, stopping: AbortSignal): Promise<void> {
  for (let after: string | null = ''; after !== null && !stopping.aborted; ) {
    const { dead, next }: Awaited<ReturnType<typeof listDeadFeeds>> = await listDeadFeeds(database, after, PAGE);
    for (const feed of dead) {
      if (stopping.aborted) return;
      const retired = await retireFeed(database, feed);
      if (typeof retired === 'number') count('retire', 'rows', retired);
      else count('retire', retired);
    }
    after = next;
  }
}

/** Longer than a request to delete a source may be repeated. */
const ENDED_MS = 3_600_000;

/** Deletes the rows of sources of imports that their users deleted. Counts `imports`. */
export async function deleteImports(database: Database, nowMs: number, stopping: AbortSignal): Promise<void> {
  const before = new Date(nowMs - ENDED_MS).toISOString();
  await untilNone(
    () => purgeDeletedImports(database, before, PAGE),
    stopping,
    (deleted) => count('retire', 'imports', deleted),
  );
}

/**
 * Removes claims that ended by `until` (ISO 8601) from nodes that are not in progress. A release without
 * claims leaves them there. Counts `claims`.
 */
export async function retireClaims(database: Database, until: string, stopping: AbortSignal): Promise<void> {
  await untilNone(
    () => removeStaleClaims(database, { until, limit: CLAIMS_AT_ONCE }),
    stopping,
    (removed) => count('retire', 'claims', removed),
  );
}

/** Processes `first`, then page after page. */
async function forPages(
  first: readonly string[],
  list: (after: string) => Promise<string[]>,
  stopping: AbortSignal,
  work: (page: readonly string[]) => Promise<void>,
): Promise<void> {
  if (first.length > 0) await work(first);
  for (let after = ''; !stopping.aborted; ) {
    const page = await list(after);
    if (page.length > 0) await work(page);
    if (page.length < PAGE) return;
    after = page.at(-1) as string;
  }
}

async function untilNone(
  work: () => Promise<number>,
  stopping: AbortSignal,
  onDone: (done: number) => void,
): Promise<void> {
  while (!stopping.aborted) {
    const done = await work();
    if (done === 0) return;
    onDone(done);
  }
}
