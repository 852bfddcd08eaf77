// Batches under the keys of the group's commands: a command that was done already.
import { decodeBatches } from '../../batches.ts';
import { distinct, type Loader } from '../loader.ts';

/** In: keys. Out: batches under these keys. Locks: none. Cost: one index look-up each. */
const KEYS = `
  UNWIND $in.keys AS key
  MATCH (b:Batch {key: key})
  RETURN collect(properties(b)) AS keys`;

export const keys: Loader<string> = {
  cypher: KEYS,
  missing: (_world, wanted) => distinct(wanted),
  hydrate(_world, _keys, rows, { stored }) {
    for (const [key, batch] of decodeBatches(rows)) stored.set(key, batch);
  },
};
