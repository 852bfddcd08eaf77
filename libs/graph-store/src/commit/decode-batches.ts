// Decodes the rows of stored batches.
import type { StoredBatch } from '@taskgraph/domain/state/batch';
import type { Row } from '../driver/database.ts';
import { MERGED_PROPERTIES } from './history-rows.ts';

/** The batches by idempotency key. */
export function decodeBatches(rows: readonly Row[]): Map<string, StoredBatch> {
  return new Map(rows.map((row) => [row.key as string, decodeBatch(row)]));
}

export function decodeBatch(row: Row): StoredBatch {
  const { changes, feeds, ...fields } = withDetails(row);
  const batch = {
    skipped: [],
    undoOf: null,
    redoOf: null,
    origin: row.id,
    commandId: row.key,
    reverses: false,
    undone: false,
    last: null,
    ...fields,
    changes: JSON.parse((changes as string | undefined) ?? '[]'),
    feeds: typeof feeds === 'string' ? JSON.parse(feeds) : (feeds ?? {}),
  };
  return batch as unknown as StoredBatch;
}

/** The fields of a batch; in the merged form a part of them is one text. */
function withDetails({ details, ...properties }: Row): Row {
  const fields = Object.entries(properties).filter(([name]) => !MERGED_PROPERTIES.has(name));
  return { ...Object.fromEntries(fields), ...(typeof details === 'string' ? JSON.parse(details) : {}) };
}
