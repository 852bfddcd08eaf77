// Loads of history: batches by id and entity, and deleted entities.
import type { BatchHead, StoredBatch } from '@taskgraph/domain/state/batch';
import type { ReadItem } from '@taskgraph/domain/state/read-set';
import { laterBatch } from '@taskgraph/domain/views/history';
import type { Row } from '../../driver/database.ts';
import { DELETED_BY_ID } from '../../driver/statement-parts.ts';
import { decodeBatches } from '../decode-batches.ts';
import { type Loader, notIn, withoutLongBatches } from './loader.ts';

/**
 * In: batchHeads (ids). Out: batches without their changes. Locks: none. Cost: one index look-up
 * each.
 */
const BATCH_HEADS = `
  UNWIND $in.batchHeads AS id
  MATCH (b:Batch {id: id})
  RETURN collect({
    id: id, ts: b.ts, actorUsername: b.actorUsername, actorEmail: b.actorEmail, origin: coalesce(b.origin, id)
  }) AS batchHeads`;

/** Batches by id, without their changes. */
export const batchHeads: Loader<string> = {
  cypher: BATCH_HEADS,
  missing: (world, ids) => notIn(world.batchHeads, ids),
  hydrate(world, ids, rows) {
    for (const id of ids) world.batchHeads.set(id, null);
    for (const head of rows as unknown as BatchHead[]) world.batchHeads.set(head.id, head);
  },
};

/**
 * In: batches (ids), characters. Out: batches; only the id of a batch with more characters of
 * changes. Locks: none. Cost: one index look-up each, and the changes.
 */
const BATCHES = `
  UNWIND $in.batches AS id
  MATCH (b:Batch {id: id})
  RETURN collect(CASE WHEN size(b.changes) > $characters THEN {start: id, long: true} ELSE properties(b) END) AS batches`;

/** Batches by id, with their changes. */
export const batches: Loader<string> = {
  cypher: BATCHES,
  missing: (world, ids) => notIn(world.batches, ids),
  hydrate(world, ids, rows, load) {
    const found = new Map(
      [...decodeBatches(withoutLongBatches(rows, load)).values()].map((batch) => [batch.id, batch]),
    );
    for (const id of ids) if (!load.overflowing.has(id)) world.batches.set(id, found.get(id) ?? null);
  },
};

/**
 * In: deleted (ids). Out: id and readers of permanently deleted entities. Locks: none. Cost: one
 * index look-up each.
 */
const DELETED = `
  UNWIND $in.deleted AS id
  ${DELETED_BY_ID}
  RETURN collect({id: id, readers: d.readers}) AS deleted`;

/** The users who may learn of permanently deleted entities. */
export const deleted: Loader<string> = {
  cypher: DELETED,
  missing: (world, ids) => notIn(world.deleted, ids),
  hydrate(world, ids, rows) {
    for (const id of ids) world.deleted.set(id, []);
    for (const { id, readers } of rows as { id: string; readers: string[] }[]) world.deleted.set(id, readers);
  },
};

/**
 * Limits of reading, for any number of entities. Entities share the touches evenly, and the newest
 * batches come first.
 */
const TOUCHES = 4_000;
const TOUCHES_PER_ENTITY = `1 + ${TOUCHES} / (1 + size($in.laterThan))`;
const LATER_BATCHES = 500;
/** Maximum characters of the returned changes. */
const CHARACTERS = 1_000_000;
/** Maximum characters of the inspected changes: the server reads a text to measure it. */
const CHARACTERS_LOOKED_AT = 4_000_000;

/**
 * In: laterThan (entity, batch, ts). Out: one row: wishes, each with its later touches, newest
 * first, and the batches of these within the limits. Locks: none. Cost: the limits above.
 */
const LATER = `
  UNWIND $in.laterThan AS wish
  CALL (wish) {
    CALL (wish) {
      MATCH (t:Touch) USING INDEX SEEK t:Touch(entity, ts, batch)
      WHERE t.entity = wish.entity AND t.ts >= wish.ts AND t.batch IS NOT NULL AND t.batch <> wish.batch
      RETURN t.ts AS ts, t.batch AS batch
      ORDER BY t.entity DESC, t.ts DESC, t.batch DESC LIMIT ${TOUCHES_PER_ENTITY}
      UNION ALL
      MATCH (b:Batch) USING INDEX SEEK b:Batch(entity, ts, id)
      WHERE b.entity = wish.entity AND b.ts >= wish.ts AND b.id IS NOT NULL AND b.id <> wish.batch
      RETURN b.ts AS ts, b.id AS batch
      ORDER BY b.entity DESC, b.ts DESC, b.id DESC LIMIT ${TOUCHES_PER_ENTITY}
    }
    WITH ts, batch ORDER BY ts DESC, batch DESC LIMIT ${TOUCHES_PER_ENTITY}
    RETURN collect({batch: batch, ts: ts}) AS touches
  }
  WITH collect({entity: wish.entity, batch: wish.batch, touches: touches}) AS wishes
  CALL (wishes) {
    UNWIND wishes AS wish
    UNWIND range(0, size(wish.touches) - 1) AS place
    WITH wish.touches[place].batch AS id, min(place) AS place ORDER BY place, id LIMIT ${LATER_BATCHES}
    MATCH (b:Batch {id: id})
    WITH b ORDER BY place, b.id
    WITH collect(b) AS found
    RETURN reduce(seen = {read: 0, left: ${CHARACTERS}, kept: []}, b IN found |
      CASE WHEN seen.read > ${CHARACTERS_LOOKED_AT} THEN seen ELSE [length IN [size(b.changes)] | {
        read: seen.read + length,
        left: seen.left - CASE WHEN length > seen.left THEN 0 ELSE length END,
        kept: seen.kept + CASE WHEN length > seen.left THEN [] ELSE [properties(b)] END
      }][0] END).kept AS batches
  }
  RETURN [{wishes: wishes, batches: batches}] AS laterThan`;

interface LaterRow {
  readonly wishes: readonly (LaterItem & { readonly touches: readonly Touch[] })[];
  readonly batches: readonly Row[];
}
type LaterItem = Pick<ReadItem<'laterThan'>, 'entity' | 'batch'>;
interface Touch {
  readonly batch: string;
  readonly ts: string;
}

/**
 * The newest batches that touched entities after other batches, within bounded reading: a batch's
 * changes are one text, and thousands of long ones may have touched an entity.
 */
export const laterThan: Loader<ReadItem<'laterThan'>> = {
  cypher: LATER,
  missing: (world, wishes) => wishes.filter(({ entity, batch }) => !world.later.get(entity)?.since.has(batch)),
  hydrate(world, wishes, rows) {
    const [found] = rows as unknown as LaterRow[];
    const batches = new Map([...decodeBatches(found?.batches ?? []).values()].map((batch) => [batch.id, batch]));
    const limit = 1 + Math.floor(TOUCHES / (1 + wishes.length));
    for (const { entity, batch, touches } of found?.wishes ?? []) {
      const known = knownOf(touches, batches, limit).map((one) => laterBatch(one, entity));
      const { since = new Map(), made = [] } = world.later.get(entity) ?? {};
      world.later.set(entity, { since: new Map([...since, [batch, known]]), made });
    }
  },
};

/**
 * The newest of the touching batches, up to the first unread one: an older one may not be the last
 * to set a field. Batches of one group share a timestamp and have no order among themselves.
 */
function knownOf(
  touches: readonly Touch[],
  batches: ReadonlyMap<string, StoredBatch>,
  limit: number,
): readonly StoredBatch[] {
  const unread =
    touches.find(({ batch }) => !batches.has(batch)) ?? (touches.length < limit ? undefined : touches.at(-1));
  return touches
    .filter(({ ts }) => unread === undefined || ts > unread.ts)
    .flatMap(({ batch }) => batches.get(batch) ?? []);
}
