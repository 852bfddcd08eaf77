// The range of a webhook's message: the next batches of its user's feeds, in order. Rules: EVT2, HOOK2,
// HOOK6.
//
// 1. A feed that the user gained again is left out until the message that reports the gain: its entries
//    may be of a time without access. That message moves its number to the present head.
// 2. The feeds with the oldest entries come first, so a user of many feeds costs no more than one of few.
import { setTimeout as sleep } from 'node:timers/promises';
import { orderBatches, type PlacedBatch } from '@taskgraph/domain/webhooks/batch-order';
import { MOST_RANGES } from '@taskgraph/domain/webhooks/webhook-body';
import type { Database } from '@taskgraph/graph-store/driver/database';
import { areEntriesKept, type FeedGap } from '@taskgraph/graph-store/reads/changes';
import { type EntryPlace, listEntries, readBatchSizes } from '@taskgraph/graph-store/reads/feed-entries';
import { MOST_BATCHES_OF_MESSAGE } from '@taskgraph/wire/webhooks/webhook-fields';
import { findOpenings, type OpeningSource } from './openings.ts';

/**
 * Entries of one feed that are listed. If all of them have one time, its batches may be incomplete,
 * and more are listed.
 */
const EACH = [100, 1_000, 10_000] as const;
/** Maximum numbers of a fixed range. */
const MAXIMUM_NUMBERS = 40_000;
/** Maximum ids that the entries of a range name, unless one batch names more. */
const MAXIMUM_IDS = 20_000;
/** Entries may become readable shortly after their head. */
const TRIES = 3;
const PAUSE_MS = 50;

export interface WebhookRange {
  readonly batches: readonly PlacedBatch<EntryPlace>[];
  /** The gaps without those of feeds that are left out. */
  readonly considered: readonly FeedGap[];
  /** The feeds that are left out, with the number of their gain in the own feed. */
  readonly openings: ReadonlyMap<string, number>;
}

/**
 * The batches of these gaps: all of them, or those of the next message, which the caller may still
 * shorten. The first gap is that of the own feed. `reset` if history lacks some of them.
 */
export async function readRange(
  source: OpeningSource,
  missed: readonly FeedGap[],
  isFixed: boolean,
): Promise<WebhookRange | 'reset'> {
  const { database } = source;
  // This database has never assigned a number past the head.
  if (missed.some(({ since, head }) => since > head) || !(await areEntriesKept(database, missed))) return 'reset';
  const openings = await findOpenings(source, missed);
  if (openings === 'reset') return 'reset';
  const considered = missed.filter(({ feed }) => !openings.has(feed));
  const ordered = isFixed ? await listFixed(database, considered) : await listNext(database, considered);
  if (ordered === null) return 'reset';
  const sizes = await readBatchSizes(
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

/** All batches of the gaps; null if one is missing. */
async function listFixed(database: Database, gaps: readonly FeedGap[]): Promise<PlacedBatch<EntryPlace>[] | null> {
  const numbers = gaps.reduce((sum, { since, head }) => sum + head - since, 0);
  if (numbers > MAXIMUM_NUMBERS) return null;
  const ordered = orderBatches(await listEntries(database, gaps, MAXIMUM_NUMBERS), sinceOf(gaps), () => true);
  const found = ordered.reduce((sum, { places }) => sum + places.length, 0);
  return found === numbers ? ordered : null;
}

/** The next batches of the gaps, at most those of a message; null if one is missing. */
async function listNext(database: Database, gaps: readonly FeedGap[]): Promise<PlacedBatch<EntryPlace>[] | null> {
  const moved = gaps.filter(({ since, head }) => since < head);
  for (let tries = 0; tries < TRIES; tries++) {
    if (tries > 0) await sleep(PAUSE_MS);
    const firsts = await listEntries(database, moved, 1);
    if (firsts.length < moved.length) continue;
    const ordered = await listFrom(database, oldestOf(moved, firsts));
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

async function listFrom(database: Database, { gaps, before }: OldestFeeds): Promise<PlacedBatch<EntryPlace>[]> {
  let ordered: PlacedBatch<EntryPlace>[] = [];
  for (const each of EACH) {
    const places = await listEntries(database, gaps, each);
    const limits = [before, ...cutTimes(gaps, places, each)].filter((ts) => ts !== null).sort();
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
