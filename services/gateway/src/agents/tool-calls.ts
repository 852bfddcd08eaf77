// The calls that the tools of an agent make for one request. Each is counted, observed and
// dispatched like a call over REST, as the request's user. Rules: LIM1, LIM6, AUTH2.
import { withParsedBody } from '@taskgraph/bus/requests/raw-reply';
import { limitOfAll, limitsOf, weightOf } from '@taskgraph/commands/rate-limits';
import { type AgentService, type CallBody, ToolFailure } from '@taskgraph/mcp/service';
import { countedUser } from '@taskgraph/wire/actor';
import { refusalOf } from '@taskgraph/wire/bus/calls';
import { definedFields } from '@taskgraph/wire/defined-fields';
import { httpStatusOf } from '@taskgraph/wire/error-codes';
import { isRefusal, type Refusal } from '@taskgraph/wire/errors';
import type { Operation } from '@taskgraph/wire/operations/operation';
import { operationOf } from '@taskgraph/wire/operations/operations';
import { scopesOf } from '@taskgraph/wire/scopes';
import type { CallerToken } from '../auth/caller-token.ts';
import type { Identity } from '../auth/token.ts';
import { nameOf, type Observe } from '../calls/call-observer.ts';
import type { Dispatch } from '../calls/dispatch.ts';
import type { Limits } from '../limits/limits.ts';
import { countWork } from '../limits/work-count.ts';

export interface ToolCallOptions {
  readonly dispatch: Dispatch;
  readonly limits: Pick<Limits, 'take'>;
  readonly observe: Observe;
}

export interface ToolCaller {
  readonly identity: Identity;
  /** Checked before each call: the request began with those before it. */
  readonly token: CallerToken;
  /** The client's address. */
  readonly ip: string;
  readonly traceId: string;
  readonly traceParent: string;
  /** Milliseconds since 1970: all calls of the request have one deadline. */
  readonly arrivedMs: number;
}

/**
 * The request itself counted as one call over REST, so its first call counts only for the limits of
 * its own name.
 */
export function createToolCalls({ dispatch, limits, observe }: ToolCallOptions, caller: ToolCaller): AgentService {
  const { identity, token, ip, traceId, traceParent, arrivedMs } = caller;
  const { user } = identity;
  let countedCalls = 1;

  async function take(event: string, payload: object): Promise<Refusal | null> {
    const weight = Math.max(0, weightOf(event, payload) - countedCalls);
    countedCalls = 0;
    const names = limitsOf('rest', event).filter((name) => weight > 0 || name !== limitOfAll('rest'));
    return (await limits.take(names, { ip, user: countedUser(user), call: event, weight })).refusal;
  }

  async function make(operation: Operation, payload: object, key: string | undefined): Promise<CallBody | Refusal> {
    const { name: event } = operation;
    const limited = await take(event, payload);
    if (limited !== null) return limited;
    const ended = await token.check();
    if (ended !== null) return ended;
    const request = { operation, input: { value: payload }, user, scopes: scopesOf(identity.token), token, key };
    const reply = await dispatch({ ...request, transport: 'tool', traceId, arrivedMs, from: ip });
    if (isRefusal(reply)) return reply;
    const counted = { ip, user: countedUser(user), call: event, weight: weightOf(event, payload) };
    await countWork(limits, { transport: 'rest', work: reply.work, caller: counted });
    const parsed = withParsedBody(reply);
    return parsed.ok ? parsed.body : refusalOf(parsed);
  }

  return {
    async call(event, payload, { idempotencyKey } = {}) {
      const operation = operationOf(event);
      if (operation === undefined) throw new Error(`no call is named ${event}`);
      const call = observe({ ...nameOf(operation), transport: 'rest', traceParent });
      const outcome = await call
        .within(() => make(operation, payload, idempotencyKey))
        .catch((error: unknown) => {
          call.end(httpStatusOf('internal.exception'));
          throw error;
        });
      call.end(isRefusal(outcome) ? httpStatusOf(outcome.code) : 200);
      if (!isRefusal(outcome)) return outcome;
      const { code, message, details } = outcome;
      throw new ToolFailure(code, message, definedFields({ details }));
    },
  };
}
