// Batches by id.
import { decodeBatches } from '../../batches.ts';
import { type Loader, notIn } from '../loader.ts';

/** In: batches (ids). Out: batches. Locks: none. Cost: one index look-up each. */
const BATCHES = `
  UNWIND $in.batches AS id
  MATCH (b:Batch {id: id})
  RETURN collect(properties(b)) AS batches`;

export const batches: Loader<string> = {
  cypher: BATCHES,
  missing: (world, ids) => notIn(world.batches, ids),
  hydrate(world, ids, rows) {
    for (const id of ids) world.batches.set(id, null);
    for (const batch of decodeBatches(rows).values()) world.batches.set(batch.id, batch);
  },
};
