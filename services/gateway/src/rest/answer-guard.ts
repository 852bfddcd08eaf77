// The guard of a REST answer: its caller's token. Rules: AUTH2, GEN3.
import type { CallerToken } from '../auth/caller-token.ts';
import type { Identity } from '../auth/token.ts';
import { type AnswerGuard, answerOf, retryHeaders } from '../http/answer.ts';
import { type TokenWatch, watchToken } from '../realtime/token-watch.ts';
import { isMutation } from './outcome.ts';
import type { Routable } from './route-table.ts';

interface GuardedCall {
  readonly identity: Identity;
  readonly token: CallerToken;
  readonly operation: Routable;
  readonly traceId: string;
}

/** The codes whose details may have an outcome. */
const OUTCOMES: ReadonlySet<string> = new Set(['unauthorized', 'unavailable']);

/** A function of its own, so that the guard of a call that waits retains nothing else of it (LONG2). */
export function createAnswerGuard(
  tokens: Pick<TokenWatch, 'enter' | 'leave'>,
  { identity, token, operation, traceId }: GuardedCall,
): AnswerGuard {
  return {
    async check() {
      const refusal = await token.check();
      if (refusal === null) return null;
      // The mutation may be done: it has an answer.
      const isUnknown = isMutation(operation) && OUTCOMES.has(refusal.code);
      const result = isUnknown ? { ...refusal, details: { ...refusal.details, outcome: 'unknown' } } : refusal;
      return { ...answerOf(result, traceId), headers: retryHeaders(result) };
    },
    watch: (close) => watchToken(tokens, identity, close),
  };
}
