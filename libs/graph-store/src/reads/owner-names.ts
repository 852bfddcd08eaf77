// The names of nodes' owners.
import type { OwnerNames } from '@taskgraph/domain/state/state';
import type { Database } from '../driver/database.ts';

/** In: ids (of users). Out: id, username, email. Locks: none. Cost: one index look-up each. */
const READ_OWNER_NAMES = `UNWIND $ids AS id MATCH (u:User {id: id})
RETURN id, u.username AS username, u.email AS email`;

/** The names of these users; those who are gone are left out. */
export async function readOwnerNames(database: Database, ids: Iterable<string>): Promise<Map<string, OwnerNames>> {
  const sought = [...new Set(ids)];
  if (sought.length === 0) return new Map();
  const rows = await database.read(READ_OWNER_NAMES, { ids: sought });
  return new Map(
    rows.map(({ id, username, email }) => [id as string, { username: username as string, email: email as string }]),
  );
}
