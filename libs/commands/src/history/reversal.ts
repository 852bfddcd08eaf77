// How one change of a batch is taken back or made again, and what stands in its way. Rules: HIS2, HIS3.
import type { Draft } from '@taskgraph/domain/decision/draft';
import type { StoredBatch, StoredChange } from '@taskgraph/domain/state/batch';
import { applied } from '@taskgraph/domain/views/history';
import { type Refusal, refuse } from '@taskgraph/wire/errors';
import type { DecisionContext } from '../define-command.ts';
import type { Caller } from '../rules/caller.ts';
import type { Held } from './held.ts';

/** An undo or redo under way. */
export interface Reverting {
  readonly draft: Draft;
  readonly caller: Caller;
  readonly context: DecisionContext;
  readonly batch: StoredBatch;
  readonly kind: 'undo' | 'redo';
  /** Of a batch of several operations alone. */
  readonly held?: Held;
}

/** One own change of the batch, judged; nothing is done before `apply`. */
export interface Reversal {
  /** Refuses a caller without the level that the command asks for which would do it by hand (HIS3). */
  readonly forbids: Refusal | null;
  /** Fields that no longer hold what the batch left there. */
  readonly conflicts: readonly Conflict[];
  /** Another obstacle. */
  readonly problem: Refusal | null;
  readonly apply: () => Refusal | null;
  /** Links that stay in the trash though their node came back; known after `apply`. */
  readonly skipped: () => readonly string[];
}

export interface Conflict {
  readonly entity: string;
  readonly field: string;
  /** Of a grant, whose entity is its node. */
  readonly email?: string;
}

type Patch = Readonly<Record<string, unknown>>;

/** The state that the batch left, which must still hold, and the state to come; null where the entity is not there. */
export function sidesOf({ kind }: Reverting, change: StoredChange): { expected: Patch | null; wanted: Patch | null } {
  const { before, after } = change;
  const changed = applied(before, after);
  return kind === 'undo' ? { expected: changed, wanted: before } : { expected: before, wanted: changed };
}

/** Those of the fields in which the present state differs from the expected. */
export function differing(
  present: object,
  expected: Patch,
  fields: readonly string[],
  named: Omit<Conflict, 'field'>,
): Conflict[] {
  const now = present as Patch;
  return fields
    .filter(
      (field) => field in expected && JSON.stringify(now[field] ?? null) !== JSON.stringify(expected[field] ?? null),
    )
    .map((field) => ({ ...named, field }));
}

/**
 * A change that brings an entity back from the trash must find it as the batch, or an undo or redo of the same, put it there: one that came back
 * and was trashed again meanwhile was so by another batch.
 */
export function trashConflicts(reverting: Reverting, { id, inTrash, lastBatchID }: Trashable): Conflict[] {
  return [
    ...(inTrash ? [] : [{ entity: id, field: 'inTrash' }]),
    ...(isKin(reverting, lastBatchID) ? [] : [{ entity: id, field: 'lastBatchID' }]),
  ];
}

/** An earlier step of the same undo is not stored yet. */
function isKin({ draft, batch, context }: Reverting, lastBatchID: string | null): boolean {
  if (lastBatchID === context.batchId) return true;
  return lastBatchID !== null && draft.batch(lastBatchID)?.origin === batch.origin;
}

interface Trashable {
  readonly id: string;
  readonly inTrash: boolean;
  readonly lastBatchID: string | null;
}

/** Of a grant also whose it is. */
type Named = Omit<Conflict, 'field' | 'entity'> & { readonly id: string };

export function irreversible({ id }: Pick<StoredChange, 'id'>): Refusal {
  return refuse('conflict.irreversible', 'What was deleted for good cannot come back.', { id });
}

export function expired(named: Named): Refusal {
  return refuse('conflict.expired', 'What would come back has ended meanwhile.', named);
}

/** A change that can't be taken back, whoever asks. */
export function impossible(problem: Refusal): Reversal {
  return { forbids: null, conflicts: [], problem, apply: () => problem, skipped: () => [] };
}

/** Names, for each conflict, the newest batch that set the field since, and its actor. */
export function conflictsOf({ draft, batch }: Reverting, conflicts: readonly Conflict[]): Record<string, unknown>[] {
  return conflicts.map(({ entity, field, email }) => {
    const setters = draft
      .later(entity, batch.ts)
      .filter(({ id, ts }) => id !== batch.id && ts >= batch.ts)
      .map((by) => ({ by, version: versionSet(by, { entity, field, ...(email === undefined ? {} : { email }) }) }))
      .filter(({ version }) => version > 0);
    // Batches of one group have one timestamp, and their ids say nothing about their order: versions do.
    const [newest] = setters.sort((one, other) =>
      one.by.ts === other.by.ts ? other.version - one.version : one.by.ts < other.by.ts ? 1 : -1,
    );
    const later = newest?.by;
    const named = { entity, field, ...(email === undefined ? {} : { email }) };
    if (later === undefined) return { ...named, batchId: null };
    const actor = { username: later.actorUsername, email: later.actorEmail };
    return { ...named, batchId: later.id, actor };
  });
}

/** The version that a batch gave an entity by setting a field of it; 0 where it did not set it. */
function versionSet({ changes }: StoredBatch, { entity, field, email }: Conflict): number {
  const setting = changes.filter((change) => change.id === entity && change.email === email && sets(change, field));
  return Math.max(0, ...setting.map(({ before, after }) => Number(after?.version ?? Number(before?.version) + 1)));
}

/** Of some changes more is stored than changed: a restored entity whole, a publication and a grant with all their fields. */
function sets({ before, after }: StoredChange, field: string): boolean {
  if (before === null || after === null) return true;
  const moved = (name: string) => name in before && JSON.stringify(before[name]) !== JSON.stringify(after[name]);
  return moved(field) || (field === 'status' && moved('statusBefore'));
}
