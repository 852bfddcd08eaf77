// The calls of a socket, from the packet to the answer. Rules: WIRE1, PUB3, GEN3, GEN8, LIM2, LIM4.
import { inWhole, type RawReply } from '@taskgraph/bus/requests/raw-reply';
import { limitsOf } from '@taskgraph/commands/rate-limits';
import { isRefusal, type Refusal, refuse } from '@taskgraph/wire/errors';
import type { ReplyMessage } from '@taskgraph/wire/messages';
import { operationOf } from '@taskgraph/wire/operations/operations';
import type { Socket } from 'socket.io';
import type { Dispatch } from '../calls/dispatch.ts';
import type { InFlight } from '../calls/in-flight.ts';
import { nameOf, type Observe } from '../calls/observing.ts';
import { type Answer, ackOf, answerOf, answerOfFailure } from '../http/answer.ts';
import type { Caller, Limits } from '../limits/limits.ts';
import type { Rooms } from '../realtime/rooms.ts';
import type { Audience, Subscriber } from '../realtime/subscriber.ts';
import type { Watched } from '../realtime/token-watch.ts';
import { CALLS, type CallRoom } from './call-room.ts';
import type { Connection } from './connection.ts';
import { type CallQueue, inOrder, limitedEvent } from './ordered-calls.ts';
import { type SocketCall, takeApart } from './socket-call.ts';

/** The parts of a gateway that calls of sockets go through. */
export interface CallWay {
  dispatch: Dispatch;
  limits: Pick<Limits, 'take'>;
  rooms: Pick<Rooms, 'reread'>;
  inFlight: InFlight;
  room: CallRoom;
  observe: Observe;
  log: { error(fields: object, message: string): void };
}

/** A socket that was let in. Its functions take it, so that none of them need be its own: a gateway holds tens of thousands. */
export interface OpenSocket extends CallQueue {
  readonly socket: Socket;
  readonly connection: Connection;
  readonly audience: Audience;
  /** Whether its token may only read (AUTH2). */
  readonly readOnly: boolean;
  /** Calls that are being worked on. */
  calls: number;
  /** Whether it is to be closed as soon as there are none. */
  isClosing: boolean;
  subscriber: Subscriber | null;
  watched: Watched | null;
}

/** Does one call of a socket, or refuses it. Of the calls of one socket, none goes out before those that came before it. */
export function takeCall(open: OpenSocket, packet: readonly unknown[], way: CallWay): void {
  const { socket, connection, audience, readOnly } = open;
  const arrivedMs = Date.now();
  const call = takeApart(packet);
  const observed = way.observe({ ...nameOf(operationOf(call.event)), transport: 'socket' });
  const { traceId } = observed;
  const { acknowledge } = call;
  const tell = (answer: Answer) => {
    observed.end(answer.status);
    if (acknowledge !== null) acknowledge(ackOf(answer));
    else socket.emit('request_error', { ...answer.body, event: call.event });
    const limited = limitedEvent(call.event, answer);
    if (limited !== null) socket.emit('rate_limited', limited);
  };
  const unseen = refusalUnseen(open, call, way.room);
  if (unseen !== null) {
    observed
      .within(() => refuseUnseen(open, call.event, unseen, way))
      .then((outcome) => answerOf(outcome, traceId))
      .catch((error: unknown) => answerOfFailure(error, traceId, way.log))
      .then(tell);
    return;
  }
  open.calls++;
  way.room.take();
  const finished = way.inFlight.begin();
  const circumstances = { audience, readOnly, traceId, arrivedMs, from: connection.address };
  observed
    .within(() => inOrder(open, callerOf(open), call, way.limits, () => perform(call, circumstances, way)))
    .then((outcome) => answerOf(outcome, traceId))
    .catch((error: unknown) => answerOfFailure(error, traceId, way.log))
    .then((answer) => {
      if (answer.status === 429) connection.noteRefusal();
      tell(answer);
    })
    .finally(() => {
      open.calls--;
      way.room.give();
      finished();
      if (open.isClosing && open.calls === 0) connection.end('server');
    });
}

interface Unseen {
  readonly refusal: Refusal;
  /** Whether a client that minds its answers would not have sent it. */
  readonly isItsFault: boolean;
}

/** Why a call is not even looked at, or null. */
function refusalUnseen({ calls }: OpenSocket, { event, acknowledge }: SocketCall, room: CallRoom): Unseen | null {
  if (acknowledge === null) return { refusal: missingAck(event), isItsFault: true };
  const lacking = room.lacking(calls);
  if (lacking === null) return null;
  room.refuse(lacking);
  const isCommand = operationOf(event)?.kind === 'command';
  return { refusal: NO_ROOM[lacking][isCommand ? 'ofCommands' : 'ofReads'], isItsFault: lacking === 'full' };
}

/**
 * Counts a call that is refused unseen (LIM4). The limits come first, as for any other call. A client can't know how much others ask for:
 * being refused for that is not held against it, but going on past a limit is.
 */
async function refuseUnseen(open: OpenSocket, event: string, unseen: Unseen, { limits }: CallWay): Promise<Refusal> {
  if (unseen.isItsFault) open.connection.noteRefusal();
  const { refusal } = await limits.take(limitsOf('socket', event), callerOf(open));
  if (refusal !== null && !unseen.isItsFault) open.connection.noteRefusal();
  return refusal ?? unseen.refusal;
}

function callerOf({ connection, audience }: OpenSocket): Caller {
  return { ip: connection.address, user: audience.kind === 'user' ? audience.user.id : null };
}

const NO_ROOM = {
  full: noRoom(`A connection can have at most ${CALLS.ofOne} calls under way.`),
  busy: noRoom('Too many calls are in progress: wait for answers, then try again.'),
};

/** Of a command it is told that nothing was done (GEN3). */
function noRoom(message: string): { readonly ofReads: Refusal; readonly ofCommands: Refusal } {
  return {
    ofReads: refuse('unavailable', message),
    ofCommands: refuse('unavailable', message, { outcome: 'not_done' }),
  };
}

/** A call whose answer can't be given is not done: its sender would never learn what became of it. */
function missingAck(event: string): Refusal {
  return operationOf(event) === undefined
    ? unknownEvent(event)
    : refuse('bad_request.missing_ack', 'A call needs an ack callback; the service did not execute it.');
}

function unknownEvent(event: string): Refusal {
  return refuse('bad_request.unknown_event', `There is no event ${JSON.stringify(event)} here.`);
}

interface Circumstances {
  readonly audience: Audience;
  readonly readOnly: boolean;
  readonly traceId: string;
  readonly arrivedMs: number;
  /** The client's address. */
  readonly from: string;
}

/** Publishes before its first await: the calls of one socket go to NATS in the order in which they came. */
async function perform(
  { event, payload }: SocketCall,
  { audience, ...circumstances }: Circumstances,
  { dispatch, rooms }: CallWay,
): Promise<ReplyMessage | RawReply | Refusal> {
  const operation = operationOf(event);
  if (operation === undefined) return unknownEvent(event);
  if (audience.kind === 'public' && operation.caller !== 'reader') return onlyReading;
  if (isRefusal(payload)) return payload;
  const { value, key } = payload;
  // Reads have no idempotency key: there it is a field like any other, and refused as unknown.
  const whole = operation.kind === 'read' && key !== undefined ? { ...value, idempotencyKey: key } : value;
  const user = audience.kind === 'user' ? audience.user : null;
  const input = { value: audience.kind === 'user' ? whole : { root: audience.token, ...whole } };
  const outcome = await dispatch({ operation, input, user, transport: 'socket', key, ...circumstances });
  if (user !== null && event === 'changes:get' && tellsOfAccess(inWhole(outcome))) rooms.reread([user.id]);
  return outcome;
}

const onlyReading = refuse('forbidden', 'A connection with a public token can only read the publication.');

/** A reader who learns of feeds gained or lost may have missed slices because this gateway missed it too: then it is made up for now. */
function tellsOfAccess(outcome: ReplyMessage | Refusal): boolean {
  if (isRefusal(outcome) || !outcome.ok) return false;
  const { feeds } = outcome.body as { feeds?: { gained?: unknown; lost?: unknown } };
  return [feeds?.gained, feeds?.lost].some((list) => Array.isArray(list) && list.length > 0);
}
