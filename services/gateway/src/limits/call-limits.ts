// Applies the rate limits to a REST call, and adds their headers to its answer. Rules: LIM1, LIM2,
// LIM6, GEN3.
import type { LimitName } from '@taskgraph/commands/rate-limits';
import { answerOf, answerOfFailure, type CallAnswer } from '../http/answer.ts';
import type { Caller, Limits } from './limits.ts';
import { countWork } from './work-count.ts';

interface CallLimitsOptions {
  readonly limits: Pick<Limits, 'take'>;
  readonly log: { error(fields: object, message: string): void };
}

/** Counts a call, makes it if the limits allow it, and adds the limits' headers to its answer. */
export async function answerWithin(
  { limits, log }: CallLimitsOptions,
  { names, traceId, ...caller }: Caller & { names: readonly LimitName[]; traceId: string },
  answer: () => CallAnswer | Promise<CallAnswer>,
): Promise<CallAnswer> {
  const { refusal, headers } = await limits.take(names, caller);
  if (refusal !== null) return { ...answerOf(refusal, traceId), headers };
  try {
    const { work, ...answered } = await answer();
    const limitHeaders = await countWork(limits, { transport: 'rest', work, caller, headers });
    return { ...answered, headers: { ...limitHeaders, ...answered.headers } };
  } catch (error) {
    return { ...answerOfFailure(error, traceId, log), headers };
  }
}
