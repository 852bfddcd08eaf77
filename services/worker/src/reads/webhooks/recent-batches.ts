// The latest entries of feeds and their batches, which the messages of all webhooks share. Both never
// change: an entry says which entities a batch changed, and a batch what was changed. Only maintenance
// changes them, in ways that no message shows: it removes old ones, which each message checks itself, and
// the content of deleted entities, of which a message shows the ids. Nothing here depends on a reader, and
// nothing about access is cached. Rules: HOOK2, HOOK7.
import type { Database } from '@taskgraph/graph-store/driver/database';
import type { FeedGap } from '@taskgraph/graph-store/reads/changes';
import {
  type BatchSize,
  byTime,
  type EntryPlace,
  type LoadedEntry,
  loadEntryIds,
  loadRanges,
  readBatchSizes,
} from '@taskgraph/graph-store/reads/feed-entries';
import { type HistoryBatch, loadBatches } from '@taskgraph/graph-store/reads/history/history-batches';
import { LRUCache } from 'lru-cache';

/** How long an entry or a batch is cached, milliseconds: webhooks of one feed read it within seconds. */
const CACHED_MS = 30_000;
/**
 * Approximate characters of all cached entries, and of the changes of all cached batches. In the heap, they are about
 * 30 MB of entries, and 20 MB of batches, which are parsed.
 */
const ENTRY_CHARACTERS = 8_000_000;
const BATCH_CHARACTERS = 8_000_000;
/** An entry with more ids is not cached, nor a batch with longer changes. */
const MAXIMUM_IDS = 100;
const LONGEST_BATCH = 50_000;
/** Characters of an id with its overhead, and of an entry or a batch without ids and changes. */
const ID_CHARACTERS = 40;
const FRAME_CHARACTERS = 500;

type NamedIds = { readonly nodes: Set<string>; readonly links: Set<string> };
type Place = Pick<EntryPlace, 'feed' | 'seq'>;

export interface RecentBatches {
  /** As `listEntries`, for few gaps. */
  list(database: Database, gaps: readonly FeedGap[], each: number): Promise<EntryPlace[]>;
  /** As `readBatchSizes`. */
  sizes(database: Database, places: readonly EntryPlace[]): Promise<Map<string, BatchSize>>;
  /** As `loadEntryIds`. */
  ids(database: Database, places: readonly EntryPlace[]): Promise<Map<string, NamedIds>>;
  /** As `loadBatches`. */
  batches(
    database: Database,
    ids: readonly string[],
    acquireLongRead: () => Promise<void>,
  ): AsyncGenerator<HistoryBatch[]>;
}

export function createRecentBatches(): RecentBatches {
  const entries = new LRUCache<string, LoadedEntry>({ maxSize: ENTRY_CHARACTERS, ttl: CACHED_MS });
  const batches = new LRUCache<string, HistoryBatch>({ maxSize: BATCH_CHARACTERS, ttl: CACHED_MS });
  /** The loads in progress, by feed and by the id of a batch. */
  const loading = new Map<string, Promise<unknown>>();

  /** Runs a load that others wait for instead of repeating it, until it ends or `waits` resolves. */
  async function shared<T>(keys: readonly string[], load: Promise<T>, waits?: Promise<void>): Promise<T> {
    const end = Promise.race([load.catch(() => undefined), ...(waits === undefined ? [] : [waits])]);
    for (const key of keys) loading.set(key, end);
    try {
      return await load;
    } finally {
      for (const key of keys) if (loading.get(key) === end) loading.delete(key);
    }
  }

  /** The cached entries of these gaps, by their keys: a later look might miss one that has expired. */
  function cachedOf(gaps: readonly FeedGap[]): Map<string, LoadedEntry> {
    const found = new Map<string, LoadedEntry>();
    for (const { feed, since, head } of gaps) {
      for (let seq = since + 1; seq <= head; seq++) {
        const key = keyOf({ feed, seq });
        const entry = entries.get(key);
        if (entry !== undefined) found.set(key, entry);
      }
    }
    return found;
  }

  async function entriesOf(database: Database, gaps: readonly FeedGap[]): Promise<Map<string, LoadedEntry>> {
    const others = missingOf(gaps, cachedOf(gaps)).flatMap(({ feed }) => loading.get(feed) ?? []);
    if (others.length > 0) await Promise.all(others);
    const found = cachedOf(gaps);
    const missing = missingOf(gaps, found);
    if (missing.length === 0) return found;
    const feeds = missing.map(({ feed }) => feed);
    for (const entry of await shared(feeds, loadRanges(database, missing, MAXIMUM_IDS))) {
      const key = keyOf(entry);
      found.set(key, entry);
      if (entry.nodes !== null) entries.set(key, entry, { size: FRAME_CHARACTERS + entry.ids * ID_CHARACTERS });
    }
    return found;
  }

  function known(places: readonly EntryPlace[]): { readonly found: LoadedEntry[]; readonly others: EntryPlace[] } {
    const found: LoadedEntry[] = [];
    const others: EntryPlace[] = [];
    for (const place of places) {
      const entry = entries.get(keyOf(place));
      if (entry === undefined) others.push(place);
      else found.push(entry);
    }
    return { found, others };
  }

  return {
    async list(database, gaps, each) {
      const moved = gaps.filter(({ since, head }) => since < head);
      const bounded = moved.map(({ feed, since, head }) => ({ feed, since, head: Math.min(head, since + each) }));
      const found = await entriesOf(database, bounded);
      return [...found.values()].map(({ feed, seq, batch, ts }) => ({ feed, seq, batch, ts })).sort(byTime);
    },
    async sizes(database, places) {
      const { found, others } = known(places);
      const sizes = others.length === 0 ? new Map<string, BatchSize>() : await readBatchSizes(database, others);
      for (const entry of found) {
        const { ids = 0, isReset = false } = sizes.get(entry.batch) ?? {};
        sizes.set(entry.batch, { ids: ids + entry.ids, isReset: isReset || entry.reset });
      }
      return sizes;
    },
    async ids(database, places) {
      const { found, others } = known(places);
      const byBatch = others.length === 0 ? new Map<string, NamedIds>() : await loadEntryIds(database, others);
      for (const { batch, nodes, links } of found) {
        const ids = byBatch.get(batch) ?? { nodes: new Set<string>(), links: new Set<string>() };
        for (const id of nodes ?? []) ids.nodes.add(id);
        for (const id of links ?? []) ids.links.add(id);
        byBatch.set(batch, ids);
      }
      return byBatch;
    },
    async *batches(database, ids, acquireLongRead) {
      // Without a wait, so that reads that begin at the same moment find this one.
      const others = ids.flatMap((id) => (batches.has(id) ? [] : (loading.get(id) ?? [])));
      if (others.length > 0) await Promise.all(others);
      const cached = new Map(
        ids.flatMap((id) => {
          const batch = batches.get(id);
          return batch === undefined ? [] : [[id, batch] as const];
        }),
      );
      for (const stretch of stretchesOf(ids, cached)) {
        if (stretch.cached.length > 0) yield stretch.cached;
        else yield* loadStretch(database, stretch.missing, acquireLongRead);
      }
    },
  };

  /**
   * Others wait for the first portion alone: between portions, the caller does other work. Nor do they wait for the
   * turn of this read: a text that needs one is too long for the cache.
   */
  async function* loadStretch(database: Database, ids: readonly string[], acquireLongRead: () => Promise<void>) {
    let noteWait: () => void = () => undefined;
    const waits = new Promise<void>((resolve) => {
      noteWait = resolve;
    });
    const portions = loadBatches(database, ids, () => {
      noteWait();
      return acquireLongRead();
    });
    const first = shared(ids, portions.next().then(cacheOf), waits);
    for (let next = await first; next.done !== true; next = cacheOf(await portions.next())) yield next.value;
  }

  function cacheOf(next: IteratorResult<HistoryBatch[], void>): IteratorResult<HistoryBatch[], void> {
    for (const found of next.done === true ? [] : next.value) {
      const size = FRAME_CHARACTERS + found.characters;
      if (size <= LONGEST_BATCH) batches.set(found.batch.id, found, { size });
    }
    return next;
  }
}

/** The part of each gap from its first entry that is not found. */
function missingOf(gaps: readonly FeedGap[], found: ReadonlyMap<string, unknown>): FeedGap[] {
  return gaps.flatMap(({ feed, since, head }) => {
    for (let seq = since + 1; seq <= head; seq++)
      if (!found.has(keyOf({ feed, seq }))) return { feed, since: seq - 1, head };
    return [];
  });
}

function keyOf({ feed, seq }: Place): string {
  return `${feed} ${seq}`;
}

interface Stretch {
  readonly cached: HistoryBatch[];
  readonly missing: string[];
}

/** Stretches of ids that are all cached, or all missing, in the order of the ids. */
function stretchesOf(ids: readonly string[], cached: ReadonlyMap<string, HistoryBatch>): Stretch[] {
  const stretches: Stretch[] = [];
  for (const id of ids) {
    const batch = cached.get(id);
    let last = stretches.at(-1);
    if (last === undefined || last.cached.length > 0 !== (batch !== undefined)) {
      last = { cached: [], missing: [] };
      stretches.push(last);
    }
    if (batch === undefined) last.missing.push(id);
    else last.cached.push(batch);
  }
  return stretches;
}
