// Removes the content of permanently deleted entities from stored history, which also answers
// repeated commands. Rule: TRS5.

import type { StoredChange } from '@taskgraph/domain/state/batch';
import { bareChange } from '@taskgraph/domain/views/history';
import { type BatchSize, batchChunksOf } from '../driver/batch-chunks.ts';
import { integer } from '../driver/codec.ts';
import type { Database, OpenTransaction } from '../driver/database.ts';

/** Time limit of one chunk, milliseconds: a single batch may hold the changes of 60,000 links. */
const TIMEOUT_MS = 30_000;
/** Maximum batches in one look-up. */
const BATCHES_AT_ONCE = 1_000;

/**
 * In: limit. Out: id of deleted entities whose content is still in history. Locks: none. Cost: the
 * results, by the index.
 */
const LIST_UNWRITTEN = `
MATCH (d:Deleted) USING INDEX SEEK d:Deleted(unwritten, id) WHERE d.unwritten = true AND d.id > ''
RETURN d.id AS id LIMIT $limit`;

/**
 * In: entities (ids), after (batch id), limit. Out: id and characters of the batches that touched
 * any of them, in order; no characters of a batch that was deleted meanwhile. Locks: none. Cost:
 * the touches of these entities, by the indexes.
 */
const LIST_TOUCHING = `
UNWIND $entities AS entity
CALL (entity) {
  MATCH (t:Touch) USING INDEX SEEK t:Touch(entity, ts, batch) WHERE t.entity = entity AND t.ts > '' AND t.batch > $after
  RETURN t.batch AS id
  UNION ALL
  MATCH (b:Batch) USING INDEX SEEK b:Batch(entity, ts, id) WHERE b.entity = entity AND b.ts > '' AND b.id > $after
  RETURN b.id AS id
}
WITH DISTINCT id ORDER BY id LIMIT $limit
OPTIONAL MATCH (b:Batch {id: id})
RETURN id, size(b.changes) AS characters ORDER BY id`;

/**
 * In: ids. Out: id, changes. Locks: these batches, in order: concurrent rewrites of one batch would
 * lose the first one's removals. Cost: one index look-up each.
 */
const LOCK_CHANGES = `
UNWIND $ids AS id
MATCH (b:Batch {id: id}) SET b.lock = true
RETURN id, b.changes AS changes`;

/**
 * In: rows (id, changes). Out: nothing. Locks: batches that are locked already. Cost: one index
 * look-up each.
 */
const STORE_CHANGES = `
UNWIND $rows AS row
MATCH (b:Batch {id: row.id}) SET b.changes = row.changes REMOVE b.lock`;

/** In: ids. Out: nothing. Locks: the marks. Cost: one index look-up each. */
const MARK_WRITTEN = 'UNWIND $ids AS id MATCH (d:Deleted {id: id}) REMOVE d.unwritten';

interface Touching {
  readonly id: string;
  readonly characters: number | null;
}

/** Ids of permanently deleted entities whose content is still in history, at most `limit`. */
export async function listUnwritten(database: Database, limit: number): Promise<string[]> {
  const rows = await database.read(LIST_UNWRITTEN, { limit: integer(limit) });
  return rows.map(({ id }) => id as string);
}

/**
 * Reduces these entities to ids, types and times in all batches that touched them. No later batch
 * can touch them, so the result is complete; repeating it changes nothing. Returns the number of
 * rewritten batches.
 */
export async function rewriteHistory(database: Database, entities: readonly string[]): Promise<number> {
  const gone = new Set(entities);
  let rewritten = 0;
  for (let after = ''; ; ) {
    const request = { entities: [...entities], after, limit: integer(BATCHES_AT_ONCE) };
    const touching = (await database.read(LIST_TOUCHING, request)) as unknown as Touching[];
    const batches = touching.filter((batch): batch is BatchSize => batch.characters !== null);
    for (const portion of batchChunksOf(batches)) rewritten += await rewritePortion(database, portion, gone);
    after = touching.at(-1)?.id ?? '';
    // A full page with a deleted batch is not the last one.
    if (touching.length < BATCHES_AT_ONCE) break;
  }
  await database.write(MARK_WRITTEN, { ids: [...entities] });
  return rewritten;
}

async function rewritePortion(database: Database, ids: readonly string[], gone: ReadonlySet<string>): Promise<number> {
  const transaction = database.begin(TIMEOUT_MS);
  let committed = false;
  try {
    const count = await rewrite(transaction, ids, gone);
    await transaction.commit();
    committed = true;
    return count;
  } finally {
    if (!committed) await transaction.rollback();
  }
}

async function rewrite(
  transaction: OpenTransaction,
  ids: readonly string[],
  gone: ReadonlySet<string>,
): Promise<number> {
  const rows = (await transaction.run(LOCK_CHANGES, { ids: [...ids].sort() })) as { id: string; changes: string }[];
  const rewritten = rows.map(({ id, changes }) => {
    const stored = JSON.parse(changes) as StoredChange[];
    return { id, changes: JSON.stringify(stored.map((change) => (gone.has(change.id) ? bareChange(change) : change))) };
  });
  await transaction.run(STORE_CHANGES, { rows: rewritten });
  return rewritten.filter(({ changes }, index) => changes !== rows[index]?.changes).length;
}
