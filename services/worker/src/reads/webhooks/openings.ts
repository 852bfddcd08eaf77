// The shared feeds that the user of a webhook gained within a range. Rules: EVT2, HOOK2.
import { openedFeeds } from '@taskgraph/domain/webhooks/webhook-events';
import type { Database } from '@taskgraph/graph-store/driver/database';
import type { FeedGap } from '@taskgraph/graph-store/reads/changes';
import { findEntriesNaming } from '@taskgraph/graph-store/reads/feed-entries';
import { loadBatches } from '@taskgraph/graph-store/reads/history/history-batches';
import { branchFeed, nodeFeed, subjectOfFeed, userFeed } from '@taskgraph/wire/feeds';

/**
 * Maximum entries of the own feed that are searched for gains, and maximum entries that name a shared
 * root. Above it the range counts as lost.
 */
const MAXIMUM_ENTRIES = 10_000;
const MAXIMUM_NAMING = 1_000;

export interface OpeningSource {
  readonly database: Database;
  readonly readerAccess: { readonly readerId: string; readonly email: string };
  /** Waits for the permit to read a text that is longer than a page. */
  readonly acquireLongRead: () => Promise<void>;
}

/**
 * The feeds of these gaps that a grant opened for the user in the whole gap of the own feed, each with
 * the number of its last opening there. The level or the end of a grant may change without one.
 */
export async function findOpenings(
  { database, readerAccess: { readerId, email }, acquireLongRead }: OpeningSource,
  missed: readonly FeedGap[],
): Promise<Map<string, number> | 'reset'> {
  const own = missed.find(({ feed }) => feed === userFeed(readerId));
  const roots = missed.filter((gap) => gap !== own).map(({ feed }) => subjectOfFeed(feed));
  const openings = new Map<string, number>();
  if (own === undefined || roots.length === 0) return openings;
  if (own.head - own.since > MAXIMUM_ENTRIES) return 'reset';
  const naming = await findEntriesNaming(database, own, roots, MAXIMUM_NAMING);
  if (naming.length === MAXIMUM_NAMING) return 'reset';
  const batches = naming.map(({ batch }) => batch);
  const opened = new Map<string, ReadonlySet<string>>();
  for await (const portion of loadBatches(database, batches, acquireLongRead)) {
    for (const found of portion) {
      const feeds = [...found.changes()].flatMap((changes) => openedFeeds(changes, email));
      opened.set(found.batch.id, new Set(feeds));
    }
  }
  for (const { seq, batch, ids } of naming) {
    // History may have lost the batch meanwhile.
    const feeds = opened.get(batch) ?? ids.flatMap((id) => [branchFeed(id), nodeFeed(id)]);
    for (const feed of feeds) openings.set(feed, seq);
  }
  return openings;
}
