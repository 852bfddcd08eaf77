// Stored batches, looked up by the key under which their command was sent.
import type { StoredChange } from '@taskgraph/domain/history';
import type { Row } from './database.ts';

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
