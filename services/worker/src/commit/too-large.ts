// Refusals of a command that is more than one may be though it has a transaction of its own. Rule: LIM5.
import { refuseTooMuchWork } from '@taskgraph/commands/pipeline/work-bounds';
import { STEPS_OF_A_CHANGE, type TooMuchWork } from '@taskgraph/domain/state/work';
import { refusalReply, refuse } from '@taskgraph/wire/errors';
import type { Decision } from './finish-group.ts';

/** A command by itself that comes to too much is refused. */
export function refuseTooMuch({ tooMuch, replies }: Decision): void {
  for (const [job, error] of tooMuch)
    replies.set(job, { ...refusalReply(refuseTooMuchWork(error)), work: workOf(error) });
  tooMuch.clear();
}

function workOf({ kind, most }: TooMuchWork): number {
  return kind === 'changes' ? most : Math.floor(most / STEPS_OF_A_CHANGE);
}

/** So is one that would walk over too much. */
export function refuseTooLarge(decision: Decision, entities: number): Decision {
  const refusal = refuse('bad_request.too_large', `It would touch more than ${entities} entities at once.`, {
    most: entities,
  });
  for (const job of decision.notLoaded.keys()) decision.replies.set(job, refusalReply(refusal));
  return decision;
}
