// Stored batches, looked up by the key under which their command was sent.
import type { StoredChange } from '@taskgraph/domain/history';
import type { Row } from './database.ts';

/** What a batch holds, on its way in as well as out. */
export interface Batch {
  readonly key: string;
  readonly id: string;
  readonly event: string;
  /** SHA-256 of the payload: tells a retry from another command under the same key (GEN8). */
  readonly payloadHash: string;
  readonly actorId: string;
  readonly actorUsername: string;
  readonly actorEmail: string;
  readonly ts: string;
  readonly changes: readonly StoredChange[];
  /** Links that stay in the trash though their node came back (TRS3). */
  readonly skipped: readonly string[];
}

/** A batch as it is read back. */
export interface StoredBatch extends Batch {
  /** The number of its slice, by feed. */
  readonly feeds: Readonly<Record<string, number>>;
}

/** Batches by their key, from their stored properties. */
export function decodeBatches(rows: readonly Row[]): Map<string, StoredBatch> {
  return new Map(
    rows.map((row) => {
      const { changes, feeds, ...fields } = row as Record<string, string>;
      const batch = { ...fields, changes: JSON.parse(changes ?? '[]'), feeds: JSON.parse(feeds ?? '{}') };
      return [row.key as string, batch as unknown as StoredBatch];
    }),
  );
}
