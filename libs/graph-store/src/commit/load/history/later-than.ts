// The newest batches that touched entities since other batches, as far as a bounded amount of reading tells: the changes of a batch are one text,
// and an entity may have been touched by thousands of long ones.
import type { StoredBatch } from '@taskgraph/domain/state/batch';
import type { ReadItem } from '@taskgraph/domain/state/read-set';
import { laterBatch } from '@taskgraph/domain/views/history';
import type { Row } from '../../../driver/database.ts';
import { decodeBatches } from '../../batches.ts';
import type { Loader } from '../loader.ts';

/** How much is read, whatever the number of entities. They share the touches evenly; of the batches the newest come first. */
const TOUCHES = 4_000;
const BATCHES = 500;
/** Of all changes that are given together. */
const CHARACTERS = 1_000_000;
/** Of all changes that are looked at: the server reads a text to know how long it is. */
const CHARACTERS_LOOKED_AT = 4_000_000;

/**
 * In: laterThan (entity, batch, ts). Out: one row: wishes, each with the touches that came since, newest first, and the batches of these that there
 * is room for. Locks: none. Cost: the bounds above.
 */
const LATER = `
  UNWIND $in.laterThan AS wish
  CALL (wish) {
    MATCH (t:Touch) USING INDEX SEEK t:Touch(entity, ts, batch)
    WHERE t.entity = wish.entity AND t.ts >= wish.ts AND t.batch IS NOT NULL AND t.batch <> wish.batch
    WITH t ORDER BY t.entity DESC, t.ts DESC, t.batch DESC LIMIT 1 + ${TOUCHES} / (1 + size($in.laterThan))
    RETURN collect({batch: t.batch, ts: t.ts}) AS touches
  }
  WITH collect({entity: wish.entity, batch: wish.batch, touches: touches}) AS wishes
  CALL (wishes) {
    UNWIND wishes AS wish
    UNWIND range(0, size(wish.touches) - 1) AS place
    WITH wish.touches[place].batch AS id, min(place) AS place ORDER BY place, id LIMIT ${BATCHES}
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

interface Found {
  readonly wishes: readonly (Wish & { readonly touches: readonly Touch[] })[];
  readonly batches: readonly Row[];
}
type Wish = Pick<ReadItem<'laterThan'>, 'entity' | 'batch'>;
interface Touch {
  readonly batch: string;
  readonly ts: string;
}

export const laterThan: Loader<ReadItem<'laterThan'>> = {
  cypher: LATER,
  missing: (world, wishes) => wishes.filter(({ entity, batch }) => !world.later.get(entity)?.since.has(batch)),
  hydrate(world, wishes, rows) {
    const [found] = rows as unknown as Found[];
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
 * The newest of the touching batches, up to the first that was not read: an older one may not be the one that set a field last. Batches of one
 * group have one timestamp, and stand in no order of theirs.
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
