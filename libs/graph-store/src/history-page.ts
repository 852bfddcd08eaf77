// Batches as history lists them, loaded by their ids in portions that memory can bear. Rules: HIS5, HIS7.
import { isUndone, type StoredBatch } from '@taskgraph/domain/history';
import { decodeBatches } from './batches.ts';
import { integer } from './codec.ts';
import type { Database } from './database.ts';

/** A batch with what history says about it besides. */
export interface HistoryBatch {
  readonly batch: StoredBatch;
  /** Whether it counts as undone: that is kept with the batch that it goes back to. */
  readonly undone: boolean;
  /** How long its stored changes are. */
  readonly characters: number;
}

/** Batches with longer changes are loaded one by one. */
const SMALL_CHARACTERS = 20_000;

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

interface LoadedRow {
  readonly id: string;
  readonly characters: number;
  readonly undone: boolean;
  readonly batch: Record<string, unknown> | null;
}

/** Loads batches by their ids, in that order: many small ones at once, large ones one by one. */
export async function* loadBatches(database: Database, ids: readonly string[]): AsyncGenerator<HistoryBatch[]> {
  const rows = new Map((await loadRows(database, ids, SMALL_CHARACTERS)).map((row) => [row.id, row]));
  let small: HistoryBatch[] = [];
  for (const id of ids) {
    const row = rows.get(id);
    if (row === undefined) continue;
    if (row.batch !== null) {
      small.push(historyBatch(row));
      continue;
    }
    if (small.length > 0) yield small;
    small = [];
    const large = await loadRows(database, [id], Number.MAX_SAFE_INTEGER);
    if (large.length > 0) yield large.map(historyBatch);
  }
  if (small.length > 0) yield small;
}

async function loadRows(database: Database, ids: readonly string[], most: number): Promise<LoadedRow[]> {
  const rows = await database.read(LOAD_BATCHES, { ids: [...ids], most: integer(most) });
  return rows as unknown as LoadedRow[];
}

function historyBatch({ batch: properties, undone, characters }: LoadedRow): HistoryBatch {
  const [batch] = decodeBatches([properties ?? {}]).values();
  if (batch === undefined) throw new Error('a batch was loaded without its properties');
  return { batch, undone: isUndone(batch, { undone }), characters };
}
