// Deletes history older than a moment: whole batches with their index records, and the entries of
// feeds. Maintenance outside of commands: HIS8, EVT2.
import type { StoredChange } from '@taskgraph/domain/state/batch';
import { type BatchSize, batchChunksOf } from '../driver/batch-chunks.ts';
import { integer } from '../driver/codec.ts';
import type { Database, OpenTransaction, Row } from '../driver/database.ts';
import { retry } from '../driver/retry.ts';

/** Time limit of one chunk, milliseconds. */
const TIMEOUT_MS = 30_000;
/** Maximum batches of one actor in one look-up. */
const BATCHES_EACH = 100;
/** Maximum records that one statement deletes. */
const RECORDS_AT_ONCE = 5_000;

/**
 * In: actors (ids), before (timestamp), each. Out: id, characters of old batches, some of each
 * actor's. Locks: none. Cost: the old batches of these actors, by the index.
 *
 * A batch stays while a newer one that undid or redid it depends on its state; an undo stays while
 * its origin is in the state that it left.
 */
const LIST_OLD_BATCHES = `
UNWIND $actors AS actor
CALL (actor) {
  MATCH (b:Batch) USING INDEX SEEK b:Batch(actorId, ts, id)
  WHERE b.actorId = actor AND b.ts < $before AND b.id > ''
    AND NOT EXISTS { MATCH (last:Batch {id: b.last}) WHERE last.ts >= $before }
    AND NOT EXISTS { MATCH (origin:Batch {id: b.origin}) WHERE origin.id <> b.id AND origin.last = b.id }
  RETURN b LIMIT $each
}
RETURN b.id AS id, size(b.changes) AS characters`;

/**
 * In: ids. Out: id, ts, changes of batches. Locks: none: nothing changes what a batch did. Cost:
 * one index look-up each.
 */
const READ_BATCHES = 'UNWIND $ids AS id MATCH (b:Batch {id: id}) RETURN b.id AS id, b.ts AS ts, b.changes AS changes';

/**
 * In: touches (entity, ts, batch). Out: nothing. Locks: the records. Cost: one index look-up each.
 */
const DELETE_TOUCHES = `
UNWIND $touches AS touch
MATCH (t:Touch) USING INDEX SEEK t:Touch(entity, ts, batch) WHERE t.entity = touch.entity AND t.ts = touch.ts AND t.batch = touch.batch
DELETE t`;

/** In: ids. Out: nothing. Locks: the records. Cost: one index look-up each. */
const DELETE_TOMBSTONES = 'UNWIND $ids AS id MATCH (d:Deleted {id: id}) DELETE d';

/**
 * In: ids. Out: nothing. Locks: the batches, before it reads them. Cost: one index look-up each. An
 * entry stays, as a node of its own, until the entries of its feed are deleted in their order.
 */
const DELETE_BATCHES = `
UNWIND $ids AS id
MATCH (b:Batch {id: id}) SET b.lock = true
WITH b
FOREACH (feed IN CASE WHEN b.feed IS NULL THEN [] ELSE [b.feed] END | CREATE (:Entry {
  feed: feed, seq: b.seq, batch: b.id, ts: b.ts, nodes: b.nodes, links: coalesce(b.links, []), reset: coalesce(b.reset, false)
}))
DELETE b`;

/**
 * In: owners (user ids), before (timestamp), limit. Out: deleted, how many. Locks: the records.
 * Cost: the deletions, by the index. A batch has records under its owners besides those under its
 * changed entities.
 */
const DELETE_OWNERS_TOUCHES = `
UNWIND $owners AS owner
MATCH (t:Touch) USING INDEX SEEK t:Touch(entity, ts, batch) WHERE t.entity = owner AND t.ts < $before AND t.batch > ''
WITH t LIMIT $limit
DELETE t
RETURN count(*) AS deleted`;

/**
 * In: owners (user ids), before (timestamp), limit. Out: removed, how many touches. Locks: the
 * batches. Cost: the removals, by the index. The batches stay.
 */
const REMOVE_OWNERS_TOUCHES = `
UNWIND $owners AS owner
MATCH (b:Batch) USING INDEX SEEK b:Batch(owner, ts, id) WHERE b.owner = owner AND b.ts < $before AND b.id > ''
WITH b LIMIT $limit
REMOVE b.owner
RETURN count(*) AS removed`;

/**
 * In: after (feed), limit. Out: feed, in order. Locks: none. Cost: what it gives, by the index's
 * order.
 */
const LIST_FEEDS = 'MATCH (f:Feed) WHERE f.id > $after RETURN f.id AS feed ORDER BY f.id LIMIT $limit';

/**
 * In: feeds, before (timestamp). Out: feed of those whose first entry is old. Locks: none. Cost:
 * two index look-ups each.
 */
const LIST_OLD_FEEDS = `
UNWIND $feeds AS feed
CALL (feed) {
  CALL (feed) {
    MATCH (e:Batch) USING INDEX SEEK e:Batch(feed, seq) WHERE e.feed = feed AND e.seq > 0
    RETURN e.seq AS seq, e.ts AS ts ORDER BY e.feed, e.seq LIMIT 1
    UNION ALL
    MATCH (e:Entry) USING INDEX SEEK e:Entry(feed, seq) WHERE e.feed = feed AND e.seq > 0
    RETURN e.seq AS seq, e.ts AS ts ORDER BY e.feed, e.seq LIMIT 1
  }
  RETURN ts ORDER BY seq LIMIT 1
}
WITH feed, ts WHERE ts < $before
RETURN feed`;

/**
 * In: feed, before (timestamp), limit. Out: deleted, how many. Locks: the batches with merged
 * entries, which stay; then the feed, as groups do; the entries. Cost: the deletions, by the
 * indexes' order. The feed's first number advances in the same transaction, so that no reader
 * mistakes the rest for the whole.
 */
const DELETE_ENTRIES = `
MATCH (f:Feed {id: $feed})
CALL (f) {
  CALL (f) {
    MATCH (e:Batch) USING INDEX SEEK e:Batch(feed, seq) WHERE e.feed = f.id AND e.seq > 0
    RETURN e ORDER BY e.feed, e.seq LIMIT $limit
    UNION ALL
    MATCH (e:Entry) USING INDEX SEEK e:Entry(feed, seq) WHERE e.feed = f.id AND e.seq > 0
    RETURN e ORDER BY e.feed, e.seq LIMIT $limit
  }
  RETURN e ORDER BY e.seq LIMIT $limit
}
WITH f, e WHERE e.ts < $before
WITH f, collect(e) AS old, max(e.seq) + 1 AS first
WITH f, first, size(old) AS deleted, [e IN old WHERE e:Entry] AS entries, [e IN old WHERE e:Batch] AS batches
FOREACH (b IN batches | REMOVE b.feed, b.seq, b.nodes, b.links, b.reset)
SET f.first = CASE WHEN first > f.first THEN first ELSE f.first END
FOREACH (e IN entries | DELETE e)
RETURN deleted`;

/**
 * Deletes some batches of these users, or the system, from before a moment. Returns their number, 0
 * at the end.
 */
export async function deleteOldBatches(database: Database, actors: readonly string[], before: string): Promise<number> {
  const request = { actors: [...actors], before, each: integer(BATCHES_EACH) };
  const batches = (await database.read(LIST_OLD_BATCHES, request)) as unknown as BatchSize[];
  for (const portion of batchChunksOf(batches)) await deletePortion(database, portion);
  return batches.length;
}

async function deletePortion(database: Database, ids: readonly string[]): Promise<void> {
  const transaction = database.begin(TIMEOUT_MS);
  let committed = false;
  try {
    await deleteBatches(transaction, ids);
    await transaction.commit();
    committed = true;
  } finally {
    if (!committed) await transaction.rollback();
  }
}

/** Delete batches last: after a failure they lead to the remaining records. */
async function deleteBatches(transaction: OpenTransaction, ids: readonly string[]): Promise<void> {
  const rows = (await transaction.run(READ_BATCHES, { ids: [...ids] })) as StoredRow[];
  const touches = new Map<string, Row>();
  const deleted = new Set<string>();
  for (const { id: batch, ts, changes } of rows) {
    for (const { id: entity, kind, after } of JSON.parse(changes) as StoredChange[]) {
      touches.set(`${entity}|${batch}`, { entity, ts, batch });
      if (kind !== 'grant' && after === null) deleted.add(entity);
    }
  }
  const records = [...touches.values()];
  for (let from = 0; from < records.length; from += RECORDS_AT_ONCE) {
    await transaction.run(DELETE_TOUCHES, { touches: records.slice(from, from + RECORDS_AT_ONCE) });
  }
  // Only older batches can still mention them.
  await transaction.run(DELETE_TOMBSTONES, { ids: [...deleted] });
  await transaction.run(DELETE_BATCHES, { ids: [...ids] });
}

interface StoredRow extends Row {
  readonly id: string;
  readonly ts: string;
  readonly changes: string;
}

/**
 * Deletes some index records of these users' batches from before a moment. Returns their number, 0
 * at the end.
 */
export async function deleteOwnersTouches(
  database: Database,
  owners: readonly string[],
  before: string,
): Promise<number> {
  const request = { owners: [...owners], before, limit: integer(RECORDS_AT_ONCE) };
  const [separate] = await database.write(DELETE_OWNERS_TOUCHES, request);
  // An undo may lock the same batches in another order.
  const [merged] = await retry(() => database.write(REMOVE_OWNERS_TOUCHES, request));
  return (separate?.deleted as number) + (merged?.removed as number);
}

/** At most `limit` feeds after the given one, in order. */
export async function listFeeds(database: Database, after: string, limit: number): Promise<string[]> {
  const rows = await database.read(LIST_FEEDS, { after, limit: integer(limit) });
  return rows.map(({ feed }) => feed as string);
}

/** The given feeds that have entries from before a moment. */
export async function listOldFeeds(database: Database, feeds: readonly string[], before: string): Promise<string[]> {
  const rows = await database.read(LIST_OLD_FEEDS, { feeds: [...feeds], before });
  return rows.map(({ feed }) => feed as string);
}

/**
 * Deletes some of a feed's entries from before a moment; a reader further behind must read the
 * state again (EVT2). Returns their number.
 */
export async function deleteOldEntries(database: Database, feed: string, before: string): Promise<number> {
  const request = { feed, before, limit: integer(RECORDS_AT_ONCE) };
  // An undo may lock the same batches in another order.
  const [row] = await retry(() => database.write(DELETE_ENTRIES, request));
  return (row?.deleted as number | undefined) ?? 0;
}
