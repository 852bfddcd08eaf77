// Entities that have been in the trash for long, found by the indexes of the trash's pages: a
// separate index would cost every write. Rules: TRS3, TRS5.
import { integer } from '../driver/codec.ts';
import type { Database } from '../driver/database.ts';

/**
 * In: owners (user ids), before (timestamp), each. Out: id of trashed nodes last changed before
 * then, some of each owner's. Locks: none. Cost: the results, by the index.
 */
const LIST_OLD_NODES = `
UNWIND $owners AS owner
CALL (owner) {
  MATCH (n:Node)
  WHERE n.ownerId = owner AND n.inTrash = true AND n.lastEditedTime < $before
  RETURN n.id AS id LIMIT $each
}
RETURN id`;

/**
 * In: owners (user ids), before (timestamp), each. Out: id of trashed links last changed before
 * then, some of each owner's, without links trashed together with a node, which go with it; a link
 * whose node was restored counts from that time. Locks: none. Cost: the old links of these owners,
 * by the index.
 */
const LIST_OLD_LINKS = `
UNWIND $owners AS owner
CALL (owner) {
  MATCH ()-[r:TRASHED]->() USING INDEX SEEK r:TRASHED(ownerId, lastEditedTime)
  WHERE r.ownerId = owner AND r.lastEditedTime < $before AND r.trashedWithNode = false
    AND coalesce(r.unmarkedTime, '') < $before
  RETURN r.id AS id LIMIT $each
}
RETURN id`;

/**
 * Ids of nodes or links that were trashed before a moment (ISO 8601); at most `each` of an owner's.
 */
export async function listOldTrash(
  database: Database,
  kind: 'nodes' | 'links',
  { owners, before, each }: { readonly owners: readonly string[]; readonly before: string; readonly each: number },
): Promise<string[]> {
  const statement = kind === 'nodes' ? LIST_OLD_NODES : LIST_OLD_LINKS;
  const rows = await database.read(statement, { owners: [...owners], before, each: integer(each) });
  return rows.map(({ id }) => id as string);
}
