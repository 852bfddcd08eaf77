// Names for each conflict the batch that set the field last, and its actor, within a bounded number
// of reads. Rule: HIS9.

import type { Draft } from '@taskgraph/domain/decision/draft';
import type { BatchHead, FieldsSet, LaterBatch, StoredBatch } from '@taskgraph/domain/state/batch';
import { definedFields } from '@taskgraph/wire/defined-fields';
import { type Conflict, trasherOf } from './conflicts.ts';
import { PRESENCE } from './fields.ts';

export function namedConflicts(
  draft: Draft,
  { id: batch, ts }: StoredBatch,
  conflicts: readonly Conflict[],
): Record<string, unknown>[] {
  const withTrashers = conflicts.map((conflict) => ({ conflict, trasher: namedTrasher(draft, conflict) }));
  const items = withTrashers
    .filter(({ trasher }) => trasher === null)
    .map(({ conflict: { entity } }) => ({ entity, batch, ts }));
  draft.requireHistory(
    withTrashers.flatMap(({ trasher }) => trasher ?? []),
    items,
  );
  return withTrashers.map(({ conflict, trasher }) => {
    const { entity, field, email } = conflict;
    const setter =
      trasher === null ? lastSetter(draft.later({ entity, batch, ts }), conflict, batch) : draft.batchHead(trasher);
    return { entity, field, ...definedFields({ email }), ...nameOf(setter) };
  });
}

/** A trashed entity stores the batch that trashed it, so that a long batch need not be read. */
function namedTrasher(draft: Draft, { kind, entity, field }: Conflict): string | null {
  if (kind === 'grant' || (field !== PRESENCE && field !== 'lastBatchID')) return null;
  const present = kind === 'node' ? draft.node(entity) : draft.link(entity);
  return present?.inTrash || field === 'lastBatchID' ? trasherOf(draft, { kind, id: entity }) : null;
}

function nameOf(setter: Omit<BatchHead, 'origin' | 'ts'> | null): Record<string, unknown> {
  if (setter === null) return { batchId: null };
  return { batchId: setter.id, actor: { username: setter.actorUsername, email: setter.actorEmail } };
}

function lastSetter(later: readonly LaterBatch[], conflict: Conflict, batch: string): LaterBatch | null {
  const setters = later
    .filter(({ id }) => id !== batch)
    .map((by) => ({ by, version: versionSet(by.sets, conflict) }))
    .filter(({ version }) => version > 0);
  // Batches of one group share a timestamp, and their ids have no order, so versions decide.
  const [last] = setters.sort((one, other) =>
    one.by.ts === other.by.ts ? other.version - one.version : one.by.ts < other.by.ts ? 1 : -1,
  );
  return last?.by ?? null;
}

/** The version that resulted when a batch set the field; 0 if it did not. */
function versionSet(sets: readonly FieldsSet[], { field, email }: Conflict): number {
  const setters = sets.filter((one) => one.email === email && (one.fields === null || one.fields.includes(field)));
  return Math.max(0, ...setters.map(({ version }) => version));
}
