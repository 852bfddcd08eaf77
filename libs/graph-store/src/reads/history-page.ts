// Batches as history lists them, loaded by their ids in portions that memory can bear. Rules: GEN11, HIS5, HIS7.

import type { StoredBatch, StoredChange } from '@taskgraph/domain/state/batch';
import { isUndone } from '@taskgraph/domain/views/history';
import { decodeBatches } from '../commit/batches.ts';
import { integer } from '../driver/codec.ts';
import type { Database } from '../driver/database.ts';
import { portionsOf, type Sized } from '../driver/portions.ts';
import { CHARACTERS_AT_ONCE, portionsOfChanges } from '../driver/stored-changes.ts';

/** A batch with what history says about it besides. */
export interface HistoryBatch {
  readonly batch: Omit<StoredBatch, 'changes'>;
  /** Its changes in their order, a portion at a time: all in one where it is short. */
  changes(): Iterable<readonly StoredChange[]>;
  readonly isShort: boolean;
  /** Whether it counts as undone: that is kept with the batch that it goes back to. */
  readonly undone: boolean;
  /** How long its stored changes are. */
  readonly characters: number;
}

/** Batches with changes up to this length are loaded with the look at how long all are. */
const SMALL_CHARACTERS = 4_000;

/** Batches with longer changes are loaded alone, and only when it is their reader's turn. */
const LONG_CHARACTERS = 4_000_000;

/**
 * In: ids, most (characters). Out: id, characters, batch (null where its changes are longer than most), undone (of its origin); no row for
 * what history does not reach back to any more. Locks: none. Cost: two index look-ups each.
 */
const LOAD_BATCHES = `
UNWIND $ids AS id
MATCH (b:Batch {id: id})
OPTIONAL MATCH (origin:Batch {id: b.origin})
WITH id, b, size(b.changes) AS characters, coalesce(origin.undone, false) AS undone
RETURN id, characters, undone, CASE WHEN characters <= $most THEN properties(b) END AS batch`;

interface LoadedRow extends Sized {
  readonly undone: boolean;
  readonly batch: Record<string, string> | null;
}

/**
 * Loads batches by their ids, in that order: as many at once as have changes of a bounded length together. `takeTurn` is awaited before
 * changes are loaded that are longer than that alone.
 */
export async function* loadBatches(
  database: Database,
  ids: readonly string[],
  takeTurn: () => Promise<void>,
): AsyncGenerator<HistoryBatch[]> {
  const rows = new Map((await loadRows(database, ids, SMALL_CHARACTERS)).map((row) => [row.id, row]));
  const found = ids.map((id) => rows.get(id)).filter((row) => row !== undefined);
  const portions = portionsOf(found.filter(({ batch }) => batch === null));
  const portionOf = new Map(portions.flatMap((portion) => portion.map((id) => [id, portion])));
  let loaded = new Map<string, LoadedRow>();
  let present: readonly string[] | undefined;
  let ready: HistoryBatch[] = [];
  for (const row of found) {
    if (row.batch !== null) {
      ready.push(historyBatch(row));
      continue;
    }
    const portion = portionOf.get(row.id) as string[];
    if (portion !== present) {
      if (ready.length > 0) yield ready;
      ready = [];
      loaded = new Map();
      if (row.characters > LONG_CHARACTERS) await takeTurn();
      present = portion;
      loaded = new Map((await loadRows(database, portion, Number.MAX_SAFE_INTEGER)).map((one) => [one.id, one]));
    }
    const large = loaded.get(row.id);
    if (large !== undefined) ready.push(historyBatch(large));
  }
  if (ready.length > 0) yield ready;
}

async function loadRows(database: Database, ids: readonly string[], most: number): Promise<LoadedRow[]> {
  const rows = await database.read(LOAD_BATCHES, { ids: [...ids], most: integer(most) });
  return rows as unknown as LoadedRow[];
}

function historyBatch({ batch: properties, undone, characters }: LoadedRow): HistoryBatch {
  const { changes: json = '[]', ...fields } = properties ?? {};
  const [batch] = decodeBatches([fields]).values();
  if (batch === undefined) throw new Error('a batch was loaded without its properties');
  // What is taken apart at once is kept, since it is looked at more than once.
  let whole: StoredChange[] | undefined;
  return {
    batch,
    *changes() {
      if (whole !== undefined) return yield whole;
      for (const portion of portionsOfChanges(json)) {
        if (json.length <= CHARACTERS_AT_ONCE) whole = portion;
        yield portion;
      }
    },
    isShort: json.length <= CHARACTERS_AT_ONCE,
    undone: isUndone(batch, { undone }),
    characters,
  };
}
