// Tells of each mutation that is `unavailable` whether it was done. Rule: GEN3.
import { type ErrorBody, isRefusal, refuse } from '@taskgraph/wire/errors';
import type { AccountReply } from '../accounts/performing.ts';
import type { Answer } from '../http/answer.ts';
import type { Routable } from './routes.ts';

/** Whether a call may change something. Of accounts that is each one but those that GET asks for. */
function isMutation(definition: Routable | undefined): boolean {
  if (definition === undefined) return false;
  return definition.kind === 'account' ? definition.rest.method !== 'GET' : definition.kind === 'command';
}

/** An answer that says nothing of the outcome comes from before the call was passed on: nothing of it was done. */
export function withOutcome(answer: Answer, definition: Routable | undefined): Answer {
  const { body } = answer;
  if (!('error' in body) || body.error !== 'unavailable' || !isMutation(definition)) return answer;
  const { details } = body as ErrorBody;
  return { ...answer, body: { ...body, details: { outcome: 'not_done', ...details } } };
}

/** A route of accounts that does not say how far it came may have done something; one that only reads has no outcome. */
export function withRouteOutcome(replied: AccountReply, definition: Routable): AccountReply {
  const { reply } = replied;
  if (!isRefusal(reply) || reply.code !== 'unavailable') return replied;
  const { code, message, details } = reply;
  if (!isMutation(definition)) return { ...replied, reply: refuse(code, message) };
  return { ...replied, reply: refuse(code, message, { outcome: 'unknown', ...details }) };
}
