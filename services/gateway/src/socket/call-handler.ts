// Handles the calls of a socket: limits, dispatch, and the answer. Rules: WIRE1, PUB3, GEN3, GEN8,
// LIM2, LIM4.
import { type RawReply, withParsedBody } from '@taskgraph/bus/requests/raw-reply';
import { countedUser } from '@taskgraph/wire/actor';
import type { ReplyMessage } from '@taskgraph/wire/bus/calls';
import { isRefusal, type Refusal, refuse } from '@taskgraph/wire/errors';
import { operationOf } from '@taskgraph/wire/operations/operations';
import type { TokenScopes } from '@taskgraph/wire/scopes';
import type { Socket } from 'socket.io';
import type { CallerToken } from '../auth/caller-token.ts';
import { nameOf, type Observe } from '../calls/call-observer.ts';
import type { Dispatch } from '../calls/dispatch.ts';
import type { InFlight } from '../calls/in-flight.ts';
import { ackOf, answerOf, answerOfFailure, type CallAnswer } from '../http/answer.ts';
import type { Caller, Limits } from '../limits/limits.ts';
import type { Audience } from '../realtime/subscriber.ts';
import type { Subscriber } from '../realtime/subscription.ts';
import type { Subscriptions } from '../realtime/subscriptions.ts';
import type { WatchedSocket } from '../realtime/token-watch.ts';
import { CALLS, type CallLimiter } from './call-limiter.ts';
import type { Connection } from './connection.ts';
import { type CallQueue, inOrder, limitedEvent } from './ordered-calls.ts';
import { parsePacket, type SocketCall } from './socket-call.ts';

/** The parts of the gateway that handle socket calls. */
export interface CallDependencies {
  dispatch: Dispatch;
  limits: Pick<Limits, 'take'>;
  subscriptions: Pick<Subscriptions, 'reauthorize'>;
  inFlight: InFlight;
  callLimiter: CallLimiter;
  observe: Observe;
  log: { error(fields: object, message: string): void };
}

/**
 * An admitted socket. Plain data, since functions of its own would cost memory in each of tens of
 * thousands.
 */
export interface OpenSocket extends CallQueue {
  readonly socket: Socket;
  readonly connection: Connection;
  readonly audience: Audience;
  /** The scopes of its token (SCOPE1). */
  readonly scopes: TokenScopes;
  /** Calls in progress. */
  calls: number;
  /** Whether it closes as soon as it has none. */
  isClosing: boolean;
  subscriber: Subscriber | null;
  watched: WatchedSocket | null;
}

/** Handles one call. The calls of one socket are published in the order of their arrival. */
export function handleCall(open: OpenSocket, packet: readonly unknown[], dependencies: CallDependencies): void {
  const { socket, connection, audience, scopes } = open;
  const arrivedMs = Date.now();
  const call = parsePacket(packet);
  const observed = dependencies.observe({ ...nameOf(operationOf(call.event)), transport: 'socket' });
  const { traceId } = observed;
  const { acknowledge } = call;
  const reply = ({ answer, ack }: SocketAnswer) => {
    observed.end(answer.status);
    if (acknowledge !== null) acknowledge(ack);
    else socket.emit('request_error', { ...answer.body, event: call.event });
    const rateLimited = limitedEvent(call.event, answer);
    if (rateLimited !== null) socket.emit('rate_limited', rateLimited);
  };
  const rejection = earlyRejectionOf(open, call, dependencies.callLimiter);
  if (rejection !== null) {
    observed
      .within(() => rejectEarly(open, call, rejection, dependencies))
      .then((outcome) => socketAnswerOf(answerOf(outcome, traceId)))
      .catch((error: unknown) => socketAnswerOf(answerOfFailure(error, traceId, dependencies.log)))
      .then(reply);
    return;
  }
  open.calls++;
  dependencies.callLimiter.begin();
  const finished = dependencies.inFlight.begin();
  const context = { audience, scopes, token: tokenOf(open), traceId, arrivedMs, from: connection.address };
  observed
    .within(() => inOrder(open, callerOf(open), call, dependencies.limits, () => perform(call, context, dependencies)))
    .then((outcome) => socketAnswerOf(answerOf(outcome, traceId)))
    .catch((error: unknown) => socketAnswerOf(answerOfFailure(error, traceId, dependencies.log)))
    .then((encoded) => {
      if (encoded.answer.status === 429) connection.noteRefusal();
      reply(encoded);
    })
    .finally(() => {
      open.calls--;
      dependencies.callLimiter.end();
      finished();
      if (open.isClosing && open.calls === 0) connection.end('server');
    });
}

/** The connection of an ended token ends (token-watch.ts). Null for a public token. */
function tokenOf({ watched, connection }: OpenSocket): CallerToken | null {
  return watched === null ? null : { id: watched.token, check: async () => (connection.isEnded ? tokenEnded : null) };
}

const tokenEnded = refuse('unauthorized', 'The token is missing, wrong or no longer valid.');

interface SocketAnswer {
  readonly answer: CallAnswer;
  /** The content of its ack. */
  readonly ack: unknown;
}

/** Throws on a bug: the call then fails, and not the gateway. */
function socketAnswerOf(answer: CallAnswer): SocketAnswer {
  return { answer, ack: ackOf(answer) };
}

interface EarlyRejection {
  readonly refusal: Refusal;
  /** Whether a client that waits for its answers would not have sent the call. */
  readonly isItsFault: boolean;
}

/** Rejects a call before its payload is checked; null lets it pass. */
function earlyRejectionOf(
  { calls }: OpenSocket,
  { event, acknowledge }: SocketCall,
  callLimiter: CallLimiter,
): EarlyRejection | null {
  if (acknowledge === null) return { refusal: missingAck(event), isItsFault: true };
  const reason = callLimiter.refusalOf(calls);
  if (reason === null) return null;
  callLimiter.countRefusal(reason);
  const isCommand = operationOf(event)?.kind === 'command';
  return { refusal: LIMITED[reason][isCommand ? 'ofCommands' : 'ofReads'], isItsFault: reason === 'full' };
}

/**
 * Counts an early rejection (LIM4). The rate limits come first, as for any call. A client does not
 * know how busy others keep the gateway: that rejection is not held against it, but passing a rate
 * limit is.
 */
async function rejectEarly(
  open: OpenSocket,
  call: SocketCall,
  rejection: EarlyRejection,
  { limits }: CallDependencies,
): Promise<Refusal> {
  if (rejection.isItsFault) open.connection.noteRefusal();
  const { refusal } = await limits.take(call.limits, callerOf(open));
  if (refusal !== null && !rejection.isItsFault) open.connection.noteRefusal();
  return refusal ?? rejection.refusal;
}

function callerOf({ connection, audience }: OpenSocket): Caller {
  return { ip: connection.address, user: audience.kind === 'user' ? countedUser(audience.user) : null };
}

const LIMITED = {
  full: limited(`A connection can have at most ${CALLS.ofOne} calls under way.`),
  busy: limited('Too many calls are in progress: wait for answers, then try again.'),
};

/** A rejected command was not done (GEN3). */
function limited(message: string): { readonly ofReads: Refusal; readonly ofCommands: Refusal } {
  return {
    ofReads: refuse('unavailable', message),
    ofCommands: refuse('unavailable', message, { outcome: 'not_done' }),
  };
}

/** A call without an ack is not done: its sender would never learn the outcome. */
function missingAck(event: string): Refusal {
  return operationOf(event) === undefined
    ? unknownEvent(event)
    : refuse('bad_request.missing_ack', 'A call needs an ack callback; the service did not execute it.');
}

function unknownEvent(event: string): Refusal {
  return refuse('bad_request.unknown_event', `There is no event ${JSON.stringify(event)} here.`);
}

interface CallContext {
  readonly audience: Audience;
  readonly scopes: TokenScopes;
  readonly token: CallerToken | null;
  readonly traceId: string;
  readonly arrivedMs: number;
  /** The client's address. */
  readonly from: string;
}

/** Publishes before its first await, so that the calls of one socket reach NATS in order. */
async function perform(
  { event, payload }: SocketCall,
  { audience, ...context }: CallContext,
  { dispatch, subscriptions }: CallDependencies,
): Promise<ReplyMessage | RawReply | Refusal> {
  const operation = operationOf(event);
  if (operation === undefined) return unknownEvent(event);
  if (audience.kind === 'public' && operation.caller !== 'reader') return onlyReading;
  if (isRefusal(payload)) return payload;
  const { value, key } = payload;
  // Reads have no idempotency key: there it is an unknown field.
  const whole = operation.kind === 'read' && key !== undefined ? { ...value, idempotencyKey: key } : value;
  const user = audience.kind === 'user' ? audience.user : null;
  const input = { value: audience.kind === 'user' ? whole : { root: audience.token, ...whole } };
  const outcome = await dispatch({ operation, input, user, transport: 'socket', key, ...context });
  if (user !== null && event === 'changes:get' && changesAccess(withParsedBody(outcome)))
    subscriptions.reauthorize([user.id]);
  return outcome;
}

const onlyReading = refuse('forbidden', 'A connection with a public token can only read the publication.');

/**
 * Whether an answer names gained or lost feeds: this gateway may have missed the same control
 * message.
 */
function changesAccess(outcome: ReplyMessage | Refusal): boolean {
  if (isRefusal(outcome) || !outcome.ok) return false;
  const { feeds } = outcome.body as { feeds?: { gained?: unknown; lost?: unknown } };
  return [feeds?.gained, feeds?.lost].some((list) => Array.isArray(list) && list.length > 0);
}
