// Batches under the keys of the group's commands: a command that was done already.
import { decodeBatches } from '../../batches.ts';
import { distinct, keepShort, type Loader } from '../loader.ts';

/** In: keys, characters. Out: batches under these keys, as BATCHES. Locks: none. Cost: one index look-up each, and the changes. */
const KEYS = `
  UNWIND $in.keys AS key
  MATCH (b:Batch {key: key})
  RETURN collect(CASE WHEN size(b.changes) > $characters THEN {start: key, long: true} ELSE properties(b) END) AS keys`;

export const keys: Loader<string> = {
  cypher: KEYS,
  missing: (_world, wanted) => distinct(wanted),
  hydrate(_world, _keys, rows, load) {
    for (const [key, batch] of decodeBatches(keepShort(rows, load))) load.stored.set(key, batch);
  },
};
