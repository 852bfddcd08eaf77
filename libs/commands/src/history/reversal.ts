// How one change of a batch is taken back or made again. Rules: HIS2 to HIS4, HIS10.
import type { Draft } from '@taskgraph/domain/decision/draft';
import type { StoredBatch, StoredChange } from '@taskgraph/domain/state/batch';
import { appliedState } from '@taskgraph/domain/views/history';
import { type Refusal, refuse } from '@taskgraph/wire/errors';
import type { DecisionContext } from '../define-command.ts';
import type { Caller } from '../rules/caller.ts';
import type { Patch } from './fields.ts';
import type { NetReversals } from './net-reversals.ts';

/** An undo or redo under way. */
export interface RevertContext {
  readonly draft: Draft;
  readonly caller: Caller;
  readonly context: DecisionContext;
  readonly batch: StoredBatch;
  readonly kind: 'undo' | 'redo';
  /** Of a batch of several operations alone. */
  readonly net?: NetReversals;
}

/** One own change of the batch, judged; nothing is done before `apply`. */
export interface Reversal {
  /** Refuses a caller without the level that the command asks for which would do it by hand (HIS3). */
  readonly forbids: Refusal | null;
  /** An obstacle that is no conflict. */
  readonly problem: Refusal | null;
  /** A refusal changes nothing. */
  readonly apply: () => Refusal | null;
  /** Links that stay in the trash though their node came back; known after `apply`. */
  readonly skipped: () => readonly string[];
}

/** The state that the batch left, and the state to come; null where the entity is not there. */
export function sidesOf(
  { kind }: RevertContext,
  change: StoredChange,
): { expected: Patch | null; wanted: Patch | null } {
  const { before, after } = change;
  const changed = appliedState(before, after);
  return kind === 'undo' ? { expected: changed, wanted: before } : { expected: before, wanted: changed };
}

/** Of a grant also whose it is. */
type Named = Readonly<{ id: string; email?: string }>;

export function irreversible({ id }: Pick<StoredChange, 'id'>): Refusal {
  return refuse('conflict.irreversible', 'A permanently deleted entity cannot be restored.', { id });
}

export function expired(named: Named): Refusal {
  return refuse('conflict.expired', 'The grant or publication to restore has expired.', named);
}

/** A change that can't be taken back, whoever asks. */
export function impossibleReversal(problem: Refusal): Reversal {
  return { forbids: null, problem, apply: () => problem, skipped: () => [] };
}

/** Nothing is left to do where the state to come is there already. */
export function unlessInPlace(isThere: boolean, reversal: Reversal): Reversal {
  return isThere ? { ...reversal, problem: null, apply: () => null } : reversal;
}

/** Takes a change back to the values of its own operation or, where they can't come back, to others; null stands for none, which leaves it. */
export function withFallback(exact: Reversal, fallbackOf: () => Reversal | null): Reversal {
  if (exact.problem !== null) {
    const fallback = fallbackOf() ?? unlessInPlace(true, exact);
    return { ...fallback, forbids: exact.forbids };
  }
  const skipped: string[] = [];
  const appliedState = (reversal: Reversal): Refusal | null => {
    const refusal = reversal.problem ?? reversal.apply();
    if (refusal === null) skipped.push(...reversal.skipped());
    return refusal;
  };
  return {
    ...exact,
    apply() {
      if (appliedState(exact) === null) return null;
      const fallback = fallbackOf();
      return fallback === null ? null : appliedState(fallback);
    },
    skipped: () => skipped,
  };
}
