// Adds `details.outcome` to the answer of a mutation that is `unavailable`. Rule: GEN3.
import { type ErrorBody, isRefusal, refuse } from '@taskgraph/wire/errors';
import type { AccountReply } from '../accounts/route-handler.ts';
import type { CallAnswer } from '../http/answer.ts';
import type { Routable } from './route-table.ts';

/** Whether a call may change something: of account routes, all except GET. */
export function isMutation(operation: Routable | undefined): boolean {
  if (operation === undefined) return false;
  return operation.kind === 'account' ? operation.transports.rest.method !== 'GET' : operation.kind === 'command';
}

/** An answer without an outcome comes from before the dispatch, so nothing was done. */
export function withOutcome(answer: CallAnswer, operation: Routable | undefined): CallAnswer {
  const { body } = answer;
  if (!('error' in body) || body.error !== 'unavailable' || !isMutation(operation)) return answer;
  const { details } = body as ErrorBody;
  return { ...answer, body: { ...body, details: { outcome: 'not_done', ...details } } };
}

/**
 * A mutating account route without an outcome may have done something; a reading one has no
 * outcome.
 */
export function withRouteOutcome(replied: AccountReply, operation: Routable): AccountReply {
  const { reply } = replied;
  if (!isRefusal(reply) || reply.code !== 'unavailable') return replied;
  const { code, message, details } = reply;
  if (!isMutation(operation)) return { ...replied, reply: refuse(code, message) };
  return { ...replied, reply: refuse(code, message, { outcome: 'unknown', ...details }) };
}
