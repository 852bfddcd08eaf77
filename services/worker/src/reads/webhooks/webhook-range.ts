// The range of a webhook's message: the next batches of its user's feeds, in order. Rules: EVT2, HOOK6.
import { orderBatches, type PlacedBatch } from '@taskgraph/domain/webhooks/batch-order';
import { MOST_RANGES } from '@taskgraph/domain/webhooks/webhook-body';
import type { Database } from '@taskgraph/graph-store/driver/database';
import { areEntriesKept, type FeedGap } from '@taskgraph/graph-store/reads/changes';
import { type EntryPlace, listEntries } from '@taskgraph/graph-store/reads/feed-entries';
import { MOST_BATCHES_OF_MESSAGE } from '@taskgraph/wire/webhooks/webhook-fields';
import { surveyWithRetries } from '../changes/survey.ts';

/**
 * Entries that are listed. If all of them have one time, the batches of that time may be incomplete,
 * and more are listed.
 */
const BOUNDS = [400, 4_000, 40_000] as const;
/** Maximum ids that the entries of a range name, unless one batch names more. */
const MAXIMUM_IDS = 20_000;

/** The batches of a range; `reset` if history lacks some of them, `early` if they could not be read yet. */
export type WebhookRange =
  | {
      readonly batches: readonly PlacedBatch<EntryPlace>[];
      /**
       * Feeds that the user gained in the range. Their entries may be of a time without access, so
       * only the gain is reported.
       */
      readonly granted: ReadonlySet<string>;
    }
  | 'reset'
  | 'early';

/**
 * The batches of these gaps: all of them, or those of the next message, which the caller may still
 * shorten.
 */
export async function readRange(
  database: Database,
  missed: readonly FeedGap[],
  isFixed: boolean,
): Promise<WebhookRange> {
  // This database has never assigned a number past the head.
  if (missed.some(({ since, head }) => since > head) || !(await areEntriesKept(database, missed))) return 'reset';
  const ordered = await listOrdered(database, missed);
  const batches = isFixed ? ordered : firstBatches(ordered);
  const isEarly = batches.length === 0 && missed.some(({ since, head }) => since < head);
  const range = isFixed ? missed : isEarly ? firstOf(missed) : reachedBy(missed, batches);
  const survey = await surveyWithRetries(database, range);
  if (!survey.complete) return 'reset';
  return isEarly ? 'early' : { batches, granted: survey.granted };
}

/** The first number of each gap. */
function firstOf(missed: readonly FeedGap[]): FeedGap[] {
  return missed.map(({ feed, since, head }) => ({ feed, since, head: Math.min(since + 1, head) }));
}

/** The gaps that these batches close. */
export function reachedBy(missed: readonly FeedGap[], batches: readonly PlacedBatch<EntryPlace>[]): FeedGap[] {
  const reached = new Map<string, number>();
  for (const { places } of batches) for (const { feed, seq } of places) reached.set(feed, seq);
  return missed.map(({ feed, since }) => ({ feed, since, head: reached.get(feed) ?? since }));
}

async function listOrdered(database: Database, missed: readonly FeedGap[]): Promise<PlacedBatch<EntryPlace>[]> {
  const since = new Map(missed.map((gap) => [gap.feed, gap.since]));
  for (const bound of BOUNDS) {
    const places = await listEntries(database, missed, bound);
    const lastTs = places.length < bound ? null : (places.at(-1)?.ts ?? null);
    const times = new Map(places.map(({ batch, ts }) => [batch, ts]));
    const ordered = orderBatches(places, since, (batch) => lastTs === null || times.get(batch) !== lastTs);
    if (ordered.length > 0 || lastTs === null) return ordered;
  }
  return [];
}

/** The first batches up to the bounds of a message; at least one. */
function firstBatches(ordered: readonly PlacedBatch<EntryPlace>[]): PlacedBatch<EntryPlace>[] {
  const first: PlacedBatch<EntryPlace>[] = [];
  const feeds = new Set<string>();
  let ids = 0;
  for (const batch of ordered.slice(0, MOST_BATCHES_OF_MESSAGE)) {
    for (const place of batch.places) {
      feeds.add(place.feed);
      ids += place.ids;
    }
    if (first.length > 0 && (feeds.size > MOST_RANGES || ids > MAXIMUM_IDS)) break;
    first.push(batch);
  }
  return first;
}
