// How much work a command may be: beside others on the worker's main loop, and by itself in its thread. Rules: LIM5, LIM6.
import type { TooMuchWork, WorkBounds } from '@taskgraph/domain/state/work';
import { type Refusal, refuse } from '@taskgraph/wire/errors';

export interface GroupBounds {
  /** The most work of one command. */
  readonly command: WorkBounds;
  /** Once the commands of a group have come to so much, as a number of changes, no further one is decided with them. */
  readonly group: number;
}

/** A group with others: all that it does keeps the worker's main loop for about as long as the network takes. */
export const WORK_TOGETHER: GroupBounds = { command: { changes: 5_000, steps: 125_000 }, group: 8_000 };

/** A command by itself. Past it the memory of its thread would not do. */
export const WORK_ALONE: GroupBounds = { command: { changes: 200_000, steps: 5_000_000 }, group: 200_000 };

const UNITS = { changes: 'changes', steps: 'nodes, links and entries looked at' } as const;

/** The refusal of a command that passes what one may do at all. */
export function refuseTooMuchWork({ kind, most, index }: TooMuchWork): Refusal {
  return refuse('bad_request.too_large', `It would come to more than ${most} ${UNITS[kind]} at once.`, {
    most,
    ...(index === undefined ? {} : { index }),
  });
}
