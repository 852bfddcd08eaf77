// Decodes the rows of stored batches.
import type { StoredBatch } from '@taskgraph/domain/state/batch';
import type { Row } from '../driver/database.ts';

/** The batches by idempotency key. */
export function decodeBatches(rows: readonly Row[]): Map<string, StoredBatch> {
  return new Map(rows.map((row) => [row.key as string, decodeBatch(row)]));
}

export function decodeBatch(row: Row): StoredBatch {
  const { changes, ...fields } = withHead(row);
  // The first touches and the first entry of a batch in the merged form are not fields of it.
  const {
    entity: _entity,
    owner: _owner,
    feed: _feed,
    seq: _seq,
    nodes: _nodes,
    links: _links,
    reset: _reset,
    ...own
  } = fields;
  const batch = {
    skipped: [],
    undoOf: null,
    redoOf: null,
    origin: row.id,
    reverses: false,
    undone: false,
    last: null,
    ...own,
    changes: JSON.parse((changes as string | undefined) ?? '[]'),
    feeds: typeof own.feeds === 'string' ? JSON.parse(own.feeds) : (own.feeds ?? {}),
  };
  return batch as unknown as StoredBatch;
}

/** The fields of a batch; in the merged form a part of them is one text. */
export function withHead({ head, ...fields }: Row): Row {
  return typeof head === 'string' ? { ...fields, ...JSON.parse(head) } : fields;
}
