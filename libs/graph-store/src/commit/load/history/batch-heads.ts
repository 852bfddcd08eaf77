// Batches by id, without their changes.
import type { BatchHead } from '@taskgraph/domain/state/batch';
import { type Loader, notIn } from '../loader.ts';

/** In: batchHeads (ids). Out: batches without their changes. Locks: none. Cost: one index look-up each. */
const BATCH_HEADS = `
  UNWIND $in.batchHeads AS id
  MATCH (b:Batch {id: id})
  RETURN collect({
    id: id, ts: b.ts, actorUsername: b.actorUsername, actorEmail: b.actorEmail, origin: coalesce(b.origin, id)
  }) AS batchHeads`;

export const batchHeads: Loader<string> = {
  cypher: BATCH_HEADS,
  missing: (world, ids) => notIn(world.batchHeads, ids),
  hydrate(world, ids, rows) {
    for (const id of ids) world.batchHeads.set(id, null);
    for (const head of rows as unknown as BatchHead[]) world.batchHeads.set(head.id, head);
  },
};
