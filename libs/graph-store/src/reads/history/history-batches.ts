// Batches of a history list, loaded by id in chunks that fit in memory. Rules: GEN11, HIS5, HIS7.

import type { StoredBatch, StoredChange } from '@taskgraph/domain/state/batch';
import { isUndone } from '@taskgraph/domain/views/history';
import { decodeBatches } from '../../commit/decode-batches.ts';
import { integer } from '../../driver/codec.ts';
import type { Database } from '../../driver/database.ts';
import { CHARACTERS_AT_ONCE, changeChunksOf } from '../../driver/stored-changes.ts';

/** A batch with its derived facts in history. */
export interface HistoryBatch {
  readonly batch: Omit<StoredBatch, 'changes'>;
  /** Its changes in order, in chunks; a short batch is one chunk. */
  changes(): Iterable<readonly StoredChange[]>;
  readonly isShort: boolean;
  /** Whether it counts as undone, which is stored with its origin. */
  readonly undone: boolean;
  /** The length of its stored changes. */
  readonly characters: number;
}

/** Approximate characters of changes loaded at once; a longer batch is loaded alone. */
const CHARACTERS_OF_ALL = 2_000_000;
const BATCHES_AT_ONCE = 500;

/** Batches with longer changes are loaded only in their reader's turn. */
const LONG_CHARACTERS = 4_000_000;

/**
 * In: ids, actors (usernames, or null for all), most (characters). Out: id, characters (null after
 * the first that have this many together), batch (null there too, and if its own changes are
 * longer), undone (of its origin); no row for batches of other actors, and for those that history
 * no longer reaches. Locks: none. Cost: two index look-ups each, and the changes of the counted
 * batches: the server reads a text to measure it.
 */
const LOAD_BATCHES = `
UNWIND range(0, size($ids) - 1) AS place
MATCH (b:Batch {id: $ids[place]}) WHERE $actors IS NULL OR b.actorUsername IN $actors
OPTIONAL MATCH (origin:Batch {id: coalesce(b.origin, b.id)})
WITH b, coalesce(origin.undone, false) AS undone ORDER BY place
WITH collect({b: b, undone: undone}) AS found
WITH found, reduce(seen = {left: $most, lengths: []}, one IN found | CASE WHEN seen.left <= 0 THEN seen ELSE
  [length IN [size(one.b.changes)] | {left: seen.left - length, lengths: seen.lengths + length}][0] END).lengths AS lengths
UNWIND range(0, size(found) - 1) AS at
WITH found[at].b AS b, found[at].undone AS undone, lengths[at] AS characters
RETURN b.id AS id, characters, undone, CASE WHEN characters <= $most THEN properties(b) END AS batch`;

interface LoadedRow {
  readonly id: string;
  readonly characters: number | null;
  readonly undone: boolean;
  readonly batch: Record<string, string> | null;
}

/**
 * Loads batches by id, in that order, in groups with changes of bounded length. Awaits `acquireLongRead`
 * before it loads a batch with longer changes. With `actors`, only the batches of these usernames.
 */
export async function* loadBatches(
  database: Database,
  ids: readonly string[],
  acquireLongRead: () => Promise<void>,
  actors: readonly string[] | null = null,
): AsyncGenerator<HistoryBatch[]> {
  const load = (some: readonly string[], most: number) => loadRows(database, { ids: some, actors, most });
  // A repeated id would be counted once, and the walk could stall before it.
  const order = [...new Set(ids)];
  let from = 0;
  while (from < order.length) {
    const some = order.slice(from, from + BATCHES_AT_ONCE);
    const rows = new Map((await load(some, CHARACTERS_OF_ALL)).map((row) => [row.id, row]));
    const end = some.findIndex((id) => rows.has(id) && rows.get(id)?.batch === null);
    const ready = some.slice(0, end < 0 ? some.length : end).flatMap((id) => rows.get(id) ?? []);
    if (ready.length > 0) yield ready.map(historyBatch);
    from += end < 0 ? some.length : end;
    const next = end < 0 ? undefined : rows.get(some[end] as string);
    // Not counted yet.
    if (next === undefined || next.characters === null) continue;
    if (next.characters > LONG_CHARACTERS) await acquireLongRead();
    from++;
    const alone = await load([next.id], Number.MAX_SAFE_INTEGER);
    if (alone.length > 0) yield alone.map(historyBatch);
  }
}

interface LoadRequest {
  readonly ids: readonly string[];
  readonly actors: readonly string[] | null;
  readonly most: number;
}

async function loadRows(database: Database, { ids, actors, most }: LoadRequest): Promise<LoadedRow[]> {
  const parameters = { ids: [...ids], actors: actors && [...actors], most: integer(most) };
  const rows = await database.read(LOAD_BATCHES, parameters);
  return rows as unknown as LoadedRow[];
}

function historyBatch({ batch: properties, undone, characters }: LoadedRow): HistoryBatch {
  const { changes: json = '[]', ...fields } = properties ?? {};
  const [batch] = decodeBatches([fields]).values();
  if (batch === undefined) throw new Error('a batch was loaded without its properties');
  // Keep a batch parsed at once, since it is read more than once.
  let whole: StoredChange[] | undefined;
  return {
    batch,
    *changes() {
      if (whole !== undefined) return yield whole;
      for (const portion of changeChunksOf(json)) {
        if (json.length <= CHARACTERS_AT_ONCE) whole = portion;
        yield portion;
      }
    },
    isShort: json.length <= CHARACTERS_AT_ONCE,
    undone: isUndone(batch, { undone }),
    characters: characters ?? 0,
  };
}
