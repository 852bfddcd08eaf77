// Reads all stored data after the last write.
import { setTimeout as sleep } from 'node:timers/promises';
import { decodeBatch } from '@taskgraph/graph-store/commit/decode-batches';
import { type Database, openDatabase, type Row } from '@taskgraph/graph-store/driver/database';
import { findInconsistencies } from '@taskgraph/testkit/integrity/inconsistencies';
import type { Batch, FeedEntry, StoredData } from '../history/history.ts';

/** Reading the whole database takes longer than the server's default limit for a statement. */
const LOOK_MS = 120_000;
const BATCHES = 'MATCH (b:Batch) RETURN properties(b) AS batch';
const ENTRIES = `MATCH (e:Entry) RETURN e.feed AS feed, e.seq AS seq
UNION ALL MATCH (b:Batch) WHERE b.feed IS NOT NULL RETURN b.feed AS feed, b.seq AS seq`;
const CLAIMED = 'MATCH (n:Node) WHERE n.claimUntil IS NOT NULL RETURN n.id AS id';
const CLAIMS_LIMIT_MS = 150_000;
const CLAIMS_POLL_MS = 500;
const USERS = 'MATCH (u:User) RETURN u.id AS id, u.email AS email';

/**
 * Waits until no node has a claim: until the leases that agents left have ended, and the jobs have swept
 * them. Returns the nodes that still have one after a time limit. A database that restarts meanwhile is
 * asked again.
 */
export function untilNoClaims(environment: Readonly<Record<string, string>>): Promise<readonly string[]> {
  return withDatabase(environment, async (look) => {
    const deadline = performance.now() + CLAIMS_LIMIT_MS;
    for (;;) {
      const isLate = performance.now() > deadline;
      const rows = await look(CLAIMED).catch((error: unknown) => {
        if (isLate) throw error;
        return null;
      });
      const ids = rows?.map(({ id }) => String(id));
      if (ids !== undefined && (ids.length === 0 || isLate)) return ids;
      await sleep(CLAIMS_POLL_MS);
    }
  });
}

/** All stored data, and one line for each violation of an invariant in it. */
export function readStored(
  environment: Readonly<Record<string, string>>,
): Promise<{ stored: StoredData; inconsistencies: string[] }> {
  return withDatabase(environment, async (look, database) => {
    const rows = await look(BATCHES);
    const batches = rows.map(({ batch }) => decodeBatch(batch as Row)) as unknown as Batch[];
    const entries = (await look(ENTRIES)) as unknown as FeedEntry[];
    const users = (await look(USERS)) as unknown as StoredData['users'];
    return { stored: { users, batches, entries }, inconsistencies: await findInconsistencies(database, 'everybody') };
  });
}

type Look = (cypher: string) => Promise<Row[]>;

async function withDatabase<T>(
  environment: Readonly<Record<string, string>>,
  work: (look: Look, database: Database) => Promise<T>,
): Promise<T> {
  const { NEO4J_URL: url = '', NEO4J_USER: user = '', NEO4J_PASSWORD: password = '' } = environment;
  const database = openDatabase({ url, user, password });
  const look: Look = async (cypher) => {
    const transaction = database.begin(LOOK_MS);
    try {
      return [...(await transaction.run(cypher, {}))];
    } finally {
      await transaction.rollback();
    }
  };
  try {
    return await work(look, database);
  } finally {
    await database.close();
  }
}
