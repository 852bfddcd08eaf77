// Refusals of a command that is too large even for a transaction of its own. Rule: LIM5.
import { refuseTooMuchWork } from '@taskgraph/commands/pipeline/work-bounds';
import { STEPS_OF_A_CHANGE, type TooMuchWork } from '@taskgraph/domain/state/work';
import { refusalReply } from '@taskgraph/wire/bus/calls';
import { refuse } from '@taskgraph/wire/errors';
import type { Decision } from './group-completion.ts';

/** Refuses commands that exceed the bound of work. */
export function refuseTooMuch({ undecided: { tooMuch }, replies }: Decision): void {
  for (const [job, error] of tooMuch)
    replies.set(job, { ...refusalReply(refuseTooMuchWork(error)), work: workOf(error) });
  tooMuch.clear();
}

function workOf({ kind, most }: TooMuchWork): number {
  return kind === 'changes' ? most : Math.floor(most / STEPS_OF_A_CHANGE);
}

/** Refuses commands that would load too many entities. */
export function refuseTooLarge(decision: Decision, entities: number): Decision {
  const refusal = refuse('bad_request.too_large', `It would touch more than ${entities} entities at once.`, {
    most: entities,
  });
  for (const job of decision.undecided.notLoaded.keys()) decision.replies.set(job, refusalReply(refusal));
  return decision;
}
