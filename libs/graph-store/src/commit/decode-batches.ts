// Decodes the rows of stored batches.
import type { StoredBatch } from '@taskgraph/domain/state/batch';
import type { Row } from '../driver/database.ts';

/** The batches by idempotency key. */
export function decodeBatches(rows: readonly Row[]): Map<string, StoredBatch> {
  return new Map(
    rows.map((row) => {
      const { changes, feeds, ...fields } = row as Record<string, string>;
      const batch = {
        undoOf: null,
        redoOf: null,
        origin: row.id,
        reverses: false,
        undone: false,
        last: null,
        ...fields,
        changes: JSON.parse(changes ?? '[]'),
        feeds: JSON.parse(feeds ?? '{}'),
      };
      return [row.key as string, batch as unknown as StoredBatch];
    }),
  );
}
