// Batches by id, with their changes.
import { decodeBatches } from '../../batches.ts';
import { keepShort, type Loader, notIn } from '../loader.ts';

/** In: batches (ids), characters. Out: batches; of one with more characters of changes its id and that alone. Locks: none. Cost: one index look-up each, and the changes. */
const BATCHES = `
  UNWIND $in.batches AS id
  MATCH (b:Batch {id: id})
  RETURN collect(CASE WHEN size(b.changes) > $characters THEN {start: id, long: true} ELSE properties(b) END) AS batches`;

export const batches: Loader<string> = {
  cypher: BATCHES,
  missing: (world, ids) => notIn(world.batches, ids),
  hydrate(world, ids, rows, load) {
    const found = new Map([...decodeBatches(keepShort(rows, load)).values()].map((batch) => [batch.id, batch]));
    for (const id of ids) if (!load.overflowing.has(id)) world.batches.set(id, found.get(id) ?? null);
  },
};
