// Reads all stored data after the last write.
import { decodeBatch } from '@taskgraph/graph-store/commit/decode-batches';
import { openDatabase, type Row } from '@taskgraph/graph-store/driver/database';
import { findInconsistencies } from '@taskgraph/testkit/integrity/inconsistencies';
import type { Batch, FeedEntry, StoredData } from '../history/history.ts';

/** Reading the whole database takes longer than the server's default limit for a statement. */
const LOOK_MS = 120_000;
const BATCHES = 'MATCH (b:Batch) RETURN properties(b) AS batch';
const ENTRIES = `MATCH (e:Entry) RETURN e.feed AS feed, e.seq AS seq
UNION ALL MATCH (b:Batch) WHERE b.feed IS NOT NULL RETURN b.feed AS feed, b.seq AS seq`;
const USERS = 'MATCH (u:User) RETURN u.id AS id, u.email AS email';

/** All stored data, and one line for each violation of an invariant in it. */
export async function readStored(
  environment: Readonly<Record<string, string>>,
): Promise<{ stored: StoredData; inconsistencies: string[] }> {
  const { NEO4J_URL: url = '', NEO4J_USER: user = '', NEO4J_PASSWORD: password = '' } = environment;
  const database = openDatabase({ url, user, password });
  try {
    const look = async (cypher: string) => {
      const transaction = database.begin(LOOK_MS);
      try {
        return await transaction.run(cypher, {});
      } finally {
        await transaction.rollback();
      }
    };
    const rows = await look(BATCHES);
    const batches = rows.map(({ batch }) => decodeBatch(batch as Row)) as unknown as Batch[];
    const entries = (await look(ENTRIES)) as unknown as FeedEntry[];
    const users = (await look(USERS)) as unknown as StoredData['users'];
    return { stored: { users, batches, entries }, inconsistencies: await findInconsistencies(database, 'everybody') };
  } finally {
    await database.close();
  }
}
