// The owners of nodes: their names and revisions.
import type { OwnerNames } from '@taskgraph/domain/state/state';
import type { Database } from '../driver/database.ts';

/** In: ids (of users). Out: id, username, email. Locks: none. Cost: one index look-up each. */
const READ_OWNER_NAMES = `UNWIND $ids AS id MATCH (u:User {id: id})
RETURN id, u.username AS username, u.email AS email`;

/** The names of these users; deleted users are omitted. */
export async function readOwnerNames(database: Database, ids: Iterable<string>): Promise<Map<string, OwnerNames>> {
  const sought = [...new Set(ids)];
  if (sought.length === 0) return new Map();
  const rows = await database.read(READ_OWNER_NAMES, { ids: sought });
  return new Map(
    rows.map(({ id, username, email }) => [id as string, { username: username as string, email: email as string }]),
  );
}

/** In: ids (of users). Out: id, revision. Locks: none. Cost: one index look-up each. */
const READ_REVISIONS = 'UNWIND $ids AS id MATCH (u:User {id: id}) RETURN id, u.rev AS revision';

/**
 * The revision of each of these users; deleted users are omitted. It grows, in the same
 * transaction, with every change to their nodes, to links and grants on those, and to the feeds
 * that these belong to.
 */
export async function readRevisions(database: Database, ids: readonly string[]): Promise<Map<string, number>> {
  if (ids.length === 0) return new Map();
  const rows = await database.read(READ_REVISIONS, { ids: [...ids] });
  return new Map(rows.map(({ id, revision }) => [id as string, revision as number]));
}
