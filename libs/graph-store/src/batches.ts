// Stored batches, looked up by the key under which their command was sent.
import type { StoredChange } from '@taskgraph/domain/history';
import type { OpenTransaction } from './database.ts';

/** A batch as it is read back. */
export interface StoredBatch {
  readonly key: string;
  readonly id: string;
  readonly event: string;
  readonly payloadHash: string;
  readonly actorId: string;
  readonly actorUsername: string;
  readonly actorEmail: string;
  readonly ts: string;
  readonly changes: readonly StoredChange[];
  readonly skipped: readonly string[];
  readonly feeds: Readonly<Record<string, number>>;
}

/** In: keys. Out: the batches that are stored under them. Locks: none. Cost: one index look-up each. */
const LOAD_BATCHES = 'UNWIND $keys AS key MATCH (b:Batch {key: key}) RETURN properties(b) AS batch';

/** Finds what was already done under these keys. It must run after the locks, so that a batch of a moment ago is seen. */
export async function loadBatches(
  transaction: OpenTransaction,
  keys: readonly string[],
): Promise<Map<string, StoredBatch>> {
  const rows = await transaction.run(LOAD_BATCHES, { keys });
  return new Map(
    rows.map((row) => {
      const stored = row.batch as Record<string, string>;
      const batch = {
        ...stored,
        changes: JSON.parse(stored.changes ?? '[]'),
        feeds: JSON.parse(stored.feeds ?? '{}'),
      } as unknown as StoredBatch;
      return [batch.key, batch];
    }),
  );
}
