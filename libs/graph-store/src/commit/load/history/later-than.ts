// The newest batches that touched entities after a timestamp.
import type { ReadItem } from '@taskgraph/domain/state/read-set';
import type { Row } from '../../../driver/database.ts';
import { decodeBatches } from '../../batches.ts';
import type { Loader } from '../loader.ts';

/** In: laterThan (entity, ts), shown. Out: entity and batch, newest first. Locks: none. Cost: the number shown, by the index's order. */
const LATER = `
  UNWIND $in.laterThan AS wish
  CALL (wish) {
    MATCH (t:Touch) USING INDEX SEEK t:Touch(entity, ts, batch) WHERE t.entity = wish.entity AND t.ts >= wish.ts AND t.batch IS NOT NULL
    RETURN t.batch AS id ORDER BY t.entity DESC, t.ts DESC, t.batch DESC LIMIT $shown
  }
  MATCH (b:Batch {id: id})
  RETURN collect({entity: wish.entity, batch: properties(b)}) AS laterThan`;

export const laterThan: Loader<ReadItem<'laterThan'>> = {
  cypher: LATER,
  missing: (world, wishes) => wishes.filter(({ entity }) => !world.later.has(entity)),
  hydrate(world, wishes, rows) {
    for (const { entity } of wishes) world.later.set(entity, []);
    for (const { entity, batch } of rows as { entity: string; batch: Row }[]) {
      world.later.set(entity, [...(world.later.get(entity) ?? []), ...decodeBatches([batch]).values()]);
    }
  },
};
