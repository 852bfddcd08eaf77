// A decision's outcome. The write, the ack's diff, the broadcast and the history all come from this one list.
import type { Op } from '@taskgraph/wire/codes';
import type { LinkState, NodeState } from './state.ts';

/** One version step of a node. `fields` are the changed ones, without version and lastEditedTime; empty where it was created. */
export interface NodeChange {
  readonly kind: 'node';
  readonly op: Op;
  readonly id: string;
  readonly before: NodeState | null;
  readonly after: NodeState;
  readonly fields: readonly (keyof NodeState)[];
}

/** One version step of a link. */
export interface LinkChange {
  readonly kind: 'link';
  readonly op: Op;
  readonly id: string;
  readonly before: LinkState | null;
  readonly after: LinkState;
  readonly fields: readonly (keyof LinkState)[];
}

/** A node's blocker count moved and nothing that anybody sees: no version step, no diff, no history. */
export interface CounterChange {
  readonly kind: 'counter';
  readonly id: string;
  readonly openBlockers: number;
}

export type Change = NodeChange | LinkChange | CounterChange;
/** A change that clients see. */
export type VisibleChange = NodeChange | LinkChange;

export function isVisible(change: Change): change is VisibleChange {
  return change.kind !== 'counter';
}
