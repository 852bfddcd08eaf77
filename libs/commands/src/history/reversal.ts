// The reversal of one change of a batch. Rules: HIS2 to HIS4, HIS10.
import type { Draft } from '@taskgraph/domain/decision/draft';
import type { StoredBatch, StoredChange } from '@taskgraph/domain/state/batch';
import { appliedState } from '@taskgraph/domain/views/history';
import { type Refusal, refuse } from '@taskgraph/wire/errors';
import type { DecisionContext } from '../define-command.ts';
import type { Caller } from '../rules/caller.ts';
import type { Patch } from './fields.ts';
import type { NetReversals } from './net-reversals.ts';

/** The context of an undo or redo. */
export interface RevertContext {
  readonly draft: Draft;
  readonly caller: Caller;
  readonly context: DecisionContext;
  readonly batch: StoredBatch;
  readonly kind: 'undo' | 'redo';
  /** Only for a batch of several operations. */
  readonly net?: NetReversals;
}

/** The reversal of one change. Creating it has no effect; `apply` has. */
export interface Reversal {
  /** Refuses a caller without the level of the command with the same effect (HIS3). */
  readonly forbids: Refusal | null;
  /** An obstacle other than a conflict. */
  readonly problem: Refusal | null;
  /** A refusal has no effect. */
  readonly apply: () => Refusal | null;
  /** Links that stayed in the trash when their node was restored; known after `apply`. */
  readonly skipped: () => readonly string[];
}

/** The state after the batch and the state to restore; null where the entity is absent. */
export function sidesOf(
  { kind }: RevertContext,
  change: StoredChange,
): { expected: Patch | null; wanted: Patch | null } {
  const { before, after } = change;
  const changed = appliedState(before, after);
  return kind === 'undo' ? { expected: changed, wanted: before } : { expected: before, wanted: changed };
}

/** A grant is named by its e-mail too. */
type EntityReference = Readonly<{ id: string; email?: string }>;

export function refuseIrreversible({ id }: Pick<StoredChange, 'id'>): Refusal {
  return refuse('conflict.irreversible', 'A permanently deleted entity cannot be restored.', { id });
}

export function refuseExpired(named: EntityReference): Refusal {
  return refuse('conflict.expired', 'The grant or publication to restore has expired.', named);
}

/** A change that no caller can revert. */
export function impossibleReversal(problem: Refusal): Reversal {
  return { forbids: null, problem, apply: () => problem, skipped: () => [] };
}

/** If the state to restore is already there, nothing remains to do. */
export function unlessInPlace(isThere: boolean, reversal: Reversal): Reversal {
  return isThere ? { ...reversal, problem: null, apply: () => null } : reversal;
}

/** Reverts a change exactly or, if that is impossible, by a fallback; null leaves the change. */
export function withFallback(exact: Reversal, fallbackOf: () => Reversal | null): Reversal {
  if (exact.problem !== null) {
    const fallback = fallbackOf() ?? unlessInPlace(true, exact);
    return { ...fallback, forbids: exact.forbids };
  }
  const skipped: string[] = [];
  const applyReversal = (reversal: Reversal): Refusal | null => {
    const refusal = reversal.problem ?? reversal.apply();
    if (refusal === null) skipped.push(...reversal.skipped());
    return refusal;
  };
  return {
    ...exact,
    apply() {
      if (applyReversal(exact) === null) return null;
      const fallback = fallbackOf();
      return fallback === null ? null : applyReversal(fallback);
    },
    skipped: () => skipped,
  };
}
