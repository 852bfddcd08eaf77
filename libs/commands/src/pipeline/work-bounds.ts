// Bounds on the work of commands: in a group on the worker's main loop, and of one command in a
// thread of its own. Rules: LIM5, LIM6.

import type { TooMuchWork, WorkBounds } from '@taskgraph/domain/state/work';
import { definedFields } from '@taskgraph/wire/defined-fields';
import { type Refusal, refuse } from '@taskgraph/wire/errors';

export interface GroupBounds {
  /** The most work of one command. */
  readonly command: WorkBounds;
  /**
   * The group's total work, in changes. Above it, the remaining commands go into the next group.
   */
  readonly group: number;
}

/** The bounds of a group. It blocks the worker's main loop for about one network round trip. */
export const WORK_TOGETHER: GroupBounds = { command: { changes: 5_000, steps: 125_000 }, group: 8_000 };

/** The bounds of a command in a thread of its own, set by the thread's memory. */
export const WORK_ALONE: GroupBounds = { command: { changes: 200_000, steps: 5_000_000 }, group: 200_000 };

const UNITS = { changes: 'changes', steps: 'nodes, links and entries looked at' } as const;

/** The refusal of a command that exceeds `WORK_ALONE`. */
export function refuseTooMuchWork({ kind, most, index }: TooMuchWork): Refusal {
  return refuse('bad_request.too_large', `It would come to more than ${most} ${UNITS[kind]} at once.`, {
    most,
    ...definedFields({ index }),
  });
}
