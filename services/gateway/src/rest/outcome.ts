// Adds `details.outcome` to each mutation that is answered `unavailable`. Rule: GEN3.
import { type ErrorBody, isRefusal, refuse } from '@taskgraph/wire/errors';
import type { AccountReply } from '../accounts/performing.ts';
import type { Answer } from '../http/answer.ts';
import type { Routable } from './routes.ts';

/** Whether a call may change something. Among the routes of accounts these are all except GET. */
function isMutation(operation: Routable | undefined): boolean {
  if (operation === undefined) return false;
  return operation.kind === 'account' ? operation.transports.rest.method !== 'GET' : operation.kind === 'command';
}

/** An answer without an outcome was made before the call was dispatched, so nothing was done. */
export function withOutcome(answer: Answer, operation: Routable | undefined): Answer {
  const { body } = answer;
  if (!('error' in body) || body.error !== 'unavailable' || !isMutation(operation)) return answer;
  const { details } = body as ErrorBody;
  return { ...answer, body: { ...body, details: { outcome: 'not_done', ...details } } };
}

/** A mutating route of accounts that reports no outcome may have done something; one that only reads has no outcome. */
export function withRouteOutcome(replied: AccountReply, operation: Routable): AccountReply {
  const { reply } = replied;
  if (!isRefusal(reply) || reply.code !== 'unavailable') return replied;
  const { code, message, details } = reply;
  if (!isMutation(operation)) return { ...replied, reply: refuse(code, message) };
  return { ...replied, reply: refuse(code, message, { outcome: 'unknown', ...details }) };
}
