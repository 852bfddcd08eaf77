// The clock of the database, shared by all its clients.
import type { Database } from './database.ts';

/** In: nothing. Out: its time, milliseconds since 1970. Locks: nothing. Cost: none. */
const READ_CLOCK = 'RETURN timestamp() AS ms';

/** The database's time, milliseconds since 1970. */
export async function readClock(database: Database): Promise<number> {
  const [row] = await database.read(READ_CLOCK, {});
  return row?.ms as number;
}
