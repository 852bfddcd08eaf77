// The lengths of batches, before their changes are loaded. Rule: HOOK5.
import type { Database } from '../driver/database.ts';

/**
 * In: ids. Out: id, characters of its changes; no row for those that history no longer reaches. Locks: none. Cost:
 * an index look-up each, and the changes: the server reads a text to measure it.
 */
const READ_LENGTHS = `
UNWIND $ids AS id
MATCH (b:Batch {id: id}) USING INDEX SEEK b:Batch(id)
RETURN id, size(b.changes) AS characters`;

/** The lengths of the stored changes of batches, by id. */
export async function readChangeLengths(database: Database, ids: readonly string[]): Promise<Map<string, number>> {
  if (ids.length === 0) return new Map();
  const rows = await database.read(READ_LENGTHS, { ids: [...ids] });
  return new Map(rows.map(({ id, characters }) => [id as string, (characters ?? 0) as number]));
}
