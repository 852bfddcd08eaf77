// Lists all users page by page, for jobs that maintain each user's data.
import { integer } from '../driver/codec.ts';
import type { Database } from '../driver/database.ts';

/**
 * In: after (id), limit. Out: id of users, in order. Locks: none. Cost: what it gives, by the
 * index's order.
 */
const LIST_USERS = 'MATCH (u:User) WHERE u.id > $after RETURN u.id AS id ORDER BY u.id LIMIT $limit';

/** Users after an id, in order of id. */
export async function listUsers(database: Database, after: string, limit: number): Promise<string[]> {
  const rows = await database.read(LIST_USERS, { after, limit: integer(limit) });
  return rows.map(({ id }) => id as string);
}
