// How one change of a batch is taken back or made again, and what stands in its way. Rules: HIS2, HIS3.
import type { Draft } from '@taskgraph/domain/draft';
import type { StoredBatch, StoredChange } from '@taskgraph/domain/history';
import { type Refusal, refuse } from '@taskgraph/wire/errors';
import type { Caller } from './caller.ts';
import type { DecisionContext } from './define-command.ts';

/** An undo or redo under way. */
export interface Reverting {
  readonly draft: Draft;
  readonly caller: Caller;
  readonly context: DecisionContext;
  readonly batch: StoredBatch;
  readonly kind: 'undo' | 'redo';
}

/** One own change of the batch, judged; nothing is done before `apply`. */
export interface Reversal {
  /** Whether the caller has the level that the command asks for which would do it by hand (HIS3). */
  readonly allowed: boolean;
  /** Fields that no longer hold what the batch left there. */
  readonly conflicts: readonly Conflict[];
  /** What else stands in the way. */
  readonly problem: Refusal | null;
  readonly apply: () => Refusal | null;
  /** Links that stay in the trash though their node came back; known after `apply`. */
  readonly skipped: () => readonly string[];
}

export interface Conflict {
  readonly entity: string;
  readonly field: string;
}

type Patch = Readonly<Record<string, unknown>>;

/** What the batch left, which must still be so, and what it is to become; null where the entity is not there. */
export function sidesOf({ kind }: Reverting, change: StoredChange): { expected: Patch | null; wanted: Patch | null } {
  return kind === 'undo'
    ? { expected: change.after, wanted: change.before }
    : { expected: change.before, wanted: change.after };
}

/** Those of the fields in which the present state differs from the expected. */
export function differing(present: object, expected: Patch, fields: readonly string[], entity: string): Conflict[] {
  const now = present as Patch;
  return fields
    .filter(
      (field) => field in expected && JSON.stringify(now[field] ?? null) !== JSON.stringify(expected[field] ?? null),
    )
    .map((field) => ({ entity, field }));
}

export const irreversible = refuse('conflict.irreversible', 'What was deleted for good can not come back.');
export const expired = refuse('conflict.expired', 'What would come back has ended meanwhile.');

/** A change that can't be taken back, whoever asks. */
export function impossible(problem: Refusal): Reversal {
  return { allowed: true, conflicts: [], problem, apply: () => problem, skipped: () => [] };
}

/** Names, for each conflict, the newest batch that set the field since, and its actor. */
export function conflictsOf({ draft, batch }: Reverting, conflicts: readonly Conflict[]): Record<string, unknown>[] {
  return conflicts.map(({ entity, field }) => {
    const later = draft
      .later(entity, batch.ts)
      .filter(({ id, ts }) => id !== batch.id && ts >= batch.ts)
      .find(({ changes }) => changes.some((change) => change.id === entity && sets(change, field)));
    if (later === undefined) return { entity, field, batchId: null };
    const actor = { username: later.actorUsername, email: later.actorEmail };
    return { entity, field, batchId: later.id, actor };
  });
}

function sets({ before, after }: StoredChange, field: string): boolean {
  return before === null || after === null || field in after || (field === 'status' && 'statusBefore' in after);
}
