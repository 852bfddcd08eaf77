// The users who may know of entities that were deleted for good.
import { DELETED_BY_ID } from '../../../driver/statement-parts.ts';
import { type Loader, notIn } from '../loader.ts';

/** In: deleted (ids). Out: id and readers of what was deleted for good. Locks: none. Cost: one index look-up each. */
const DELETED = `
  UNWIND $in.deleted AS id
  ${DELETED_BY_ID}
  RETURN collect({id: id, readers: d.readers}) AS deleted`;

export const deleted: Loader<string> = {
  cypher: DELETED,
  missing: (world, ids) => notIn(world.deleted, ids),
  hydrate(world, ids, rows) {
    for (const id of ids) world.deleted.set(id, []);
    for (const { id, readers } of rows as { id: string; readers: string[] }[]) world.deleted.set(id, readers);
  },
};
