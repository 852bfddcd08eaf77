// Answers agents: one message of the Model Context Protocol in each POST, without sessions. Rules:
// AUTH2, AUTH3, GEN3, LIM1.

import { answerMessage, isProtocolVersion } from '@taskgraph/mcp/message-answer';
import type { DescribedCall } from '@taskgraph/mcp/service';
import { createToolServer } from '@taskgraph/mcp/tool-server';
import { countedUser } from '@taskgraph/wire/actor';
import { httpStatusOf } from '@taskgraph/wire/error-codes';
import { isRefusal, type Refusal, refuse } from '@taskgraph/wire/errors';
import { errorsOf, requirementsOf } from '@taskgraph/wire/operations/operation';
import { socketOperations } from '@taskgraph/wire/operations/operations';
import { fieldsOf } from '@taskgraph/wire/operations/payload-schema';
import { REMEDIES } from '@taskgraph/wire/remedies';
import { mayChange, scopesOf } from '@taskgraph/wire/scopes';
import type { Authenticate } from '../auth/authentication.ts';
import { type CallerToken, createCallerToken } from '../auth/caller-token.ts';
import { bearerToken, type Identity } from '../auth/token.ts';
import { type AnswerGuard, answerOf, type CallAnswer, retryHeaders } from '../http/answer.ts';
import { parseBody, readBody } from '../http/body.ts';
import type { ReceivedRequest } from '../http/exchange.ts';
import { withGuard } from '../http/guarded-answer.ts';
import type { OpenRequest } from '../http/open-requests.ts';
import type { Response } from '../http/uws.ts';
import { answerWithin } from '../limits/call-limits.ts';
import { type TokenWatch, watchToken } from '../realtime/token-watch.ts';
import { VERSION } from '../version.ts';
import { createToolCalls, type ToolCallOptions } from './tool-calls.ts';

export const AGENT_PATH = '/mcp';
export const AGENT_METHODS = ['POST'] as const;

/** The calls that agents can make: all of them are also events of sockets. */
const CATALOG: readonly DescribedCall[] = socketOperations.map((operation) => ({
  event: operation.name,
  changes: operation.changes,
  summary: operation.summary,
  description: `${operation.description} Needed: ${requirementsOf(operation)}`,
  fields: fieldsOf(operation),
  codes: errorsOf(operation, 'rest'),
}));

interface AgentOptions extends ToolCallOptions {
  readonly authenticate: Authenticate;
  /** Ends the answers that are being sent when their tokens end (AUTH2). */
  readonly tokens: Pick<TokenWatch, 'enter' | 'leave'>;
  readonly log: { error(fields: object, message: string): void };
}

interface AgentRequest {
  readonly received: ReceivedRequest;
  readonly traceId: string;
  /** The client's address. */
  readonly ip: string;
  readonly open: Pick<OpenRequest, 'keepBody'>;
}

/** Cookies do not count here: an agent is no page of a browser. */
export async function answerAgent(
  options: AgentOptions,
  response: Response,
  request: AgentRequest,
): Promise<CallAnswer> {
  const { received, traceId, ip, open } = request;
  const arrivedMs = Date.now();
  const body = await readBody(response, received.header('content-length'), open.keepBody);
  const text = bearerToken(received.header('authorization'));
  const identity = isRefusal(body) ? body : await options.authenticate(text, ip);
  // If no worker can identify the caller, the call must not count for the address.
  if (isRefusal(identity) && httpStatusOf(identity.code) >= 500) return answerOf(identity, traceId);
  const user = isRefusal(identity) ? null : countedUser(identity.user);
  return answerWithin(options, { names: ['rest'], traceId, ip, user, call: 'mcp' }, async () => {
    if (isRefusal(identity)) return refusedCaller(identity, traceId);
    const message = messageOf(received, body as Uint8Array);
    if (isRefusal(message)) return answerOf(message, traceId);
    const token = createCallerToken(options.authenticate, identity, { text, ip });
    const answer = await answerFor(options, { ...request, identity, token, arrivedMs }, message.value);
    return answer.status === 202 ? answer : withGuard(answer, guardOf(options, { identity, token, traceId }));
  });
}

function guardOf(
  { tokens }: AgentOptions,
  { identity, token, traceId }: Pick<IdentifiedAgent, 'identity' | 'token' | 'traceId'>,
): AnswerGuard {
  return {
    async check() {
      const refusal = await token.check();
      return refusal === null ? null : refusedCaller(refusal, traceId);
    },
    watch: (close) => watchToken(tokens, identity, close),
  };
}

/** Clients look for this header after a refused token. */
function refusedCaller(refusal: Refusal, traceId: string): CallAnswer {
  const challenge = refusal.code === 'unauthorized' ? { 'WWW-Authenticate': 'Bearer' } : {};
  return { ...answerOf(refusal, traceId), headers: { ...retryHeaders(refusal), ...challenge } };
}

function messageOf(received: ReceivedRequest, body: Uint8Array): { readonly value: unknown } | Refusal {
  if (received.query !== '') return refuse('bad_request.unknown_field', 'There are no query parameters here.');
  const version = received.header('mcp-protocol-version');
  if (version !== '' && !isProtocolVersion(version)) {
    return refuse('bad_request', 'The header Mcp-Protocol-Version names no version that this service knows.');
  }
  return parseBody(body, received.header('content-type'));
}

interface IdentifiedAgent extends AgentRequest {
  readonly identity: Identity;
  readonly token: CallerToken;
  readonly arrivedMs: number;
}

/** A server for this message alone. A token that may change nothing gets only the tools that read. */
async function answerFor(options: AgentOptions, agent: IdentifiedAgent, message: unknown): Promise<CallAnswer> {
  const { identity, token, received, ip, traceId, arrivedMs } = agent;
  const caller = { identity, token, ip, traceId, arrivedMs, traceParent: received.header('traceparent') };
  const server = createToolServer({
    version: VERSION,
    context: {
      service: createToolCalls(options, caller),
      catalog: CATALOG,
      canWrite: mayChange(scopesOf(identity.token)),
      nowMs: () => arrivedMs,
      // The service itself reads days, and times with an offset.
      withTimes: (_event, payload) => payload,
    },
    remedyOf: (code) => REMEDIES[code] ?? REMEDIES[`${code.slice(0, code.lastIndexOf('_'))}_<field>`],
    onBug(error) {
      options.log.error({ error, traceId }, 'a tool failed');
      return `error: internal.exception\nSomething went wrong. Please report the trace id ${traceId}.`;
    },
  });
  const { json, isValid } = await answerMessage(server, message);
  const status = json === null ? 202 : isValid ? 200 : 400;
  return { status, content: [Buffer.from(json ?? '')], body: { ok: true, trace_id: traceId } };
}
