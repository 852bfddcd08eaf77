// Puts the limits into the answers of REST: every answer tells of them. Rules: LIM1, LIM2, LIM6, GEN3.
import type { LimitName } from '@taskgraph/commands/rate-limits';
import { type Answer, answerOf, answerOfFailure } from '../http/answer.ts';
import type { Caller, Limits } from '../limits/limits.ts';
import { countWork } from '../limits/work-count.ts';

interface Options {
  readonly limits: Pick<Limits, 'take'>;
  readonly log: { error(fields: object, message: string): void };
}

/** Counts a call, makes it where its limits let it pass, and adds their headers to whatever is answered. */
export async function answerWithin(
  { limits, log }: Options,
  { names, traceId, ...caller }: Caller & { names: readonly LimitName[]; traceId: string },
  answer: () => Answer | Promise<Answer>,
): Promise<Answer> {
  const { refusal, headers } = await limits.take(names, caller);
  if (refusal !== null) return { ...answerOf(refusal, traceId), headers };
  try {
    const { work, ...answered } = await answer();
    const told = await countWork(limits, { transport: 'rest', work, caller, headers });
    return { ...answered, headers: { ...told, ...answered.headers } };
  } catch (error) {
    return { ...answerOfFailure(error, traceId, log), headers };
  }
}
