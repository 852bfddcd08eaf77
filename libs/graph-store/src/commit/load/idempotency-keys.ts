// Loads the batches of commands that were already executed, by idempotency key. Rule: GEN8.
import { decodeBatches } from '../decode-batches.ts';
import { distinct, type Loader, withoutLongBatches } from './loader.ts';

/**
 * In: keys, characters. Out: batches under these keys, as `BATCHES` of `history-loads.ts`. Locks:
 * none. Cost: one index look-up each, and the changes.
 */
const BATCHES_BY_KEY = `
  UNWIND $in.keys AS key
  MATCH (b:Batch {key: key})
  RETURN collect(CASE WHEN size(b.changes) > $characters THEN {start: key, long: true} ELSE properties(b) END) AS keys`;

/** Batches under the keys of the group's commands: the results of commands already executed. */
export const keys: Loader<string> = {
  cypher: BATCHES_BY_KEY,
  missing: (_world, wanted) => distinct(wanted),
  hydrate(_world, _keys, rows, load) {
    for (const [key, batch] of decodeBatches(withoutLongBatches(rows, load))) load.stored.set(key, batch);
  },
};
