// The range of a webhook's message: the next batches of its user's feeds, in order. Rules: EVT2, HOOK2,
// HOOK6.
//
// 1. A feed that the user gained again is left out until the message that reports the gain: its entries
//    may be of a time without access. That message moves its number to the present head.
// 2. The feeds with the oldest entries come first, so a user of many feeds costs no more than one of few.
import { setTimeout as sleep } from 'node:timers/promises';
import { orderBatches, type PlacedBatch } from '@taskgraph/domain/webhooks/batch-order';
import { MOST_RANGES } from '@taskgraph/domain/webhooks/webhook-body';
import type { FeedGap } from '@taskgraph/graph-store/reads/changes';
import { type EntryPlace, listEntries } from '@taskgraph/graph-store/reads/feed-entries';
import { MOST_BATCHES_OF_MESSAGE } from '@taskgraph/wire/webhooks/webhook-fields';
import { findOpenings, type OpeningSource } from './openings.ts';
import type { RecentBatches } from './recent-batches.ts';

/**
 * Entries of one feed that are listed. If all of them have one time, its batches may be incomplete,
 * and more are listed.
 */
const EACH = [MOST_BATCHES_OF_MESSAGE, 1_000, 10_000] as const;
/** Maximum feeds of a range whose entries are shared with other messages: with their ids, they are longer. */
const SHARED_FEEDS = 8;
/** Maximum numbers of a fixed range. */
const MAXIMUM_NUMBERS = 40_000;
/** Maximum ids that the entries of a range name, unless one batch names more. */
const MAXIMUM_IDS = 20_000;
/** Entries may become readable shortly after their head. */
const TRIES = 3;
const PAUSE_MS = 50;

export interface RangeSource extends OpeningSource {
  readonly recent: RecentBatches;
}

export interface WebhookRange {
  readonly batches: readonly PlacedBatch<EntryPlace>[];
  /** The gaps without those of feeds that are left out. */
  readonly considered: readonly FeedGap[];
  /** The feeds that are left out, with the number of their gain in the own feed. */
  readonly openings: ReadonlyMap<string, number>;
}

/**
 * The batches of these gaps: all of them, or those of the next message, which the caller may still
 * shorten. The first gap is that of the own feed. `reset` if history lacks some of them: the caller checks
 * afterwards whether it has lost some meanwhile.
 */
export async function readRange(
  source: RangeSource,
  missed: readonly FeedGap[],
  isFixed: boolean,
): Promise<WebhookRange | 'reset'> {
  const { database, recent } = source;
  // This database has never assigned a number past the head.
  if (missed.some(({ since, head }) => since > head)) return 'reset';
  const openings = await findOpenings(source, missed);
  if (openings === 'reset') return 'reset';
  const considered = missed.filter(({ feed }) => !openings.has(feed));
  const ordered = isFixed ? await listFixed(source, considered) : await listNext(source, considered);
  if (ordered === null) return 'reset';
  const sizes = await recent.sizes(
    database,
    ordered.flatMap(({ places }) => places),
  );
  if ([...sizes.values()].some(({ isReset }) => isReset)) return 'reset';
  const batches = isFixed ? ordered : firstBatches(ordered, (batch) => sizes.get(batch)?.ids ?? 0);
  return { batches, considered, openings };
}

/** The gaps that these batches close. */
export function reachedBy(missed: readonly FeedGap[], batches: readonly PlacedBatch<EntryPlace>[]): FeedGap[] {
  const reached = new Map<string, number>();
  for (const { places } of batches) for (const { feed, seq } of places) reached.set(feed, seq);
  return missed.map(({ feed, since }) => ({ feed, since, head: reached.get(feed) ?? since }));
}

function sinceOf(gaps: readonly FeedGap[]): Map<string, number> {
  return new Map(gaps.map(({ feed, since }) => [feed, since]));
}

/** The entries of gaps, at most `each` of one feed. */
function list({ database, recent }: RangeSource, gaps: readonly FeedGap[], each: number): Promise<EntryPlace[]> {
  const moved = gaps.filter(({ since, head }) => since < head);
  const areFew =
    moved.length <= SHARED_FEEDS && moved.every(({ since, head }) => Math.min(head - since, each) <= EACH[0]);
  return areFew ? recent.list(database, moved, each) : listEntries(database, moved, each);
}

/** All batches of the gaps; null if one is missing. */
async function listFixed(source: RangeSource, gaps: readonly FeedGap[]): Promise<PlacedBatch<EntryPlace>[] | null> {
  const numbers = gaps.reduce((sum, { since, head }) => sum + head - since, 0);
  if (numbers > MAXIMUM_NUMBERS) return null;
  const ordered = orderBatches(await list(source, gaps, MAXIMUM_NUMBERS), sinceOf(gaps), () => true);
  const found = ordered.reduce((sum, { places }) => sum + places.length, 0);
  return found === numbers ? ordered : null;
}

/** The next batches of the gaps, at most those of a message; null if one is missing. */
async function listNext(source: RangeSource, gaps: readonly FeedGap[]): Promise<PlacedBatch<EntryPlace>[] | null> {
  const moved = gaps.filter(({ since, head }) => since < head);
  const since = sinceOf(moved);
  for (let tries = 0; tries < TRIES; tries++) {
    if (tries > 0) await sleep(PAUSE_MS);
    // Of few feeds all entries are listed at once.
    const listed = await list(source, moved, moved.length <= SHARED_FEEDS ? EACH[0] : 1);
    const firsts = listed.filter(({ feed, seq }) => since.get(feed) === seq - 1);
    if (firsts.length < moved.length) continue;
    const ordered = await listFrom(source, oldestOf(moved, firsts));
    if (ordered.length > 0 || moved.length === 0) return ordered.slice(0, MOST_BATCHES_OF_MESSAGE);
  }
  return null;
}

interface OldestFeeds {
  readonly gaps: readonly FeedGap[];
  /** The time of the first entry in any other feed; null without one. */
  readonly before: string | null;
}

/** The feeds with the oldest first entries. A batch before the first entry of the others is in none of these. */
function oldestOf(moved: readonly FeedGap[], firsts: readonly EntryPlace[]): OldestFeeds {
  const last = firsts[Math.min(firsts.length, MOST_RANGES) - 1]?.ts ?? '';
  const oldest = new Set(firsts.filter(({ ts }) => ts <= last).map(({ feed }) => feed));
  const before = firsts.find(({ ts }) => ts > last)?.ts ?? null;
  return { gaps: moved.filter(({ feed }) => oldest.has(feed)), before };
}

async function listFrom(source: RangeSource, { gaps, before }: OldestFeeds): Promise<PlacedBatch<EntryPlace>[]> {
  let ordered: PlacedBatch<EntryPlace>[] = [];
  for (const each of EACH) {
    const places = await list(source, gaps, each);
    // A batch of the only feed that has moved is in no other one.
    const isOnly = gaps.length === 1 && before === null;
    const limits = isOnly ? [] : [before, ...cutTimes(gaps, places, each)].filter((ts) => ts !== null).sort();
    const [limit] = limits;
    const times = new Map(places.map(({ batch, ts }) => [batch, ts]));
    ordered = orderBatches(places, sinceOf(gaps), (batch) => limit === undefined || (times.get(batch) ?? '') < limit);
    if (ordered.length > 0) break;
  }
  return ordered;
}

/** The times of the last listed entries of feeds that have more. */
function cutTimes(gaps: readonly FeedGap[], places: readonly EntryPlace[], each: number): string[] {
  const last = new Map<string, string>();
  for (const { feed, ts } of places) last.set(feed, ts);
  return gaps.filter(({ since, head }) => head - since > each).flatMap(({ feed }) => last.get(feed) ?? []);
}

/** The first batches up to the bounds of a message; at least one. */
function firstBatches(
  ordered: readonly PlacedBatch<EntryPlace>[],
  idsOf: (batch: string) => number,
): PlacedBatch<EntryPlace>[] {
  const first: PlacedBatch<EntryPlace>[] = [];
  const feeds = new Set<string>();
  let ids = 0;
  for (const batch of ordered) {
    for (const { feed } of batch.places) feeds.add(feed);
    ids += idsOf(batch.batch);
    if (first.length > 0 && (feeds.size > MOST_RANGES || ids > MAXIMUM_IDS)) break;
    first.push(batch);
  }
  return first;
}
