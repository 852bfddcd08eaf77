// A decision's outcome. The write, the ack's diff, the broadcast and the history all come from this one list.
import type { Op } from '@taskgraph/wire/codes';
import type { LinkState, NodeState } from './state.ts';

/**
 * One version step of a node. `before` is null where it was created, `after` where it was deleted. `fields` are the changed ones,
 * without version and lastEditedTime; empty where it was created or deleted.
 */
export interface NodeChange {
  readonly kind: 'node';
  readonly op: Op;
  readonly id: string;
  readonly before: NodeState | null;
  readonly after: NodeState | null;
  readonly fields: readonly (keyof NodeState)[];
}

/** One version step of a link. */
export interface LinkChange {
  readonly kind: 'link';
  readonly op: Op;
  readonly id: string;
  readonly before: LinkState | null;
  readonly after: LinkState | null;
  readonly fields: readonly (keyof LinkState)[];
}

/** A node's blocker count moved and nothing that anybody sees: no version step, no diff, no history. */
export interface CounterChange {
  readonly kind: 'counter';
  readonly id: string;
  readonly openBlockers: number;
}

/** A trashed link's mark came off: it no longer comes back with its node (TRS3). No field on the wire and no version step. */
export interface MarkChange {
  readonly kind: 'mark';
  readonly id: string;
}

export type Change = NodeChange | LinkChange | CounterChange | MarkChange;
/** A change that clients see. */
export type VisibleChange = NodeChange | LinkChange;

export function isVisible(change: Change): change is VisibleChange {
  return change.kind === 'node' || change.kind === 'link';
}

/** The state that a change is about: the one after it, or the last one of what was deleted. */
export function subjectOf<T extends VisibleChange>(change: T): NonNullable<T['after']> {
  const state = change.after ?? change.before;
  if (state === null) throw new Error(`the change of ${change.id} has neither a state before nor one after`);
  return state as NonNullable<T['after']>;
}
