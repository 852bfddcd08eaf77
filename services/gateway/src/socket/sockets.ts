// The Socket.IO side: what a connecting client is told, and its calls. Rules: EVT1, PUB3, GEN3, GEN8, LIM2, LIM4.
import { inWhole, type RawReply } from '@taskgraph/bus/requests/raw-reply';
import { definitionOf } from '@taskgraph/commands/catalog';
import { limitsOf } from '@taskgraph/commands/limits';
import { isRefusal, type Refusal, refuse } from '@taskgraph/wire/errors';
import type { ReplyMessage } from '@taskgraph/wire/messages';
import type { Server, Socket } from 'socket.io';
import type { Authenticate } from '../auth/authentication.ts';
import type { CookieSettings } from '../auth/origin.ts';
import { type Dispatch, isAnonymous } from '../calls/dispatch.ts';
import type { InFlight } from '../calls/in-flight.ts';
import { nameOf, type Observe } from '../calls/observing.ts';
import { type Answer, ackOf, answerOf, answerOfFailure } from '../http/answer.ts';
import type { Limits } from '../limits/limits.ts';
import type { Rooms } from '../realtime/rooms.ts';
import type { Audience } from '../realtime/subscriber.ts';
import type { TokenWatch } from '../realtime/token-watch.ts';
import { type Admission, admit, forgetArrival } from './admission.ts';
import type { Connection } from './connection.ts';
import type { FeedQuestions } from './feed-questions.ts';
import { limitedEvent, orderCalls } from './ordered-calls.ts';
import { type SocketCall, takeApart } from './socket-call.ts';
import type { Places } from './socket-quotas.ts';

/** Calls of one socket that may be worked on at once; past it they are refused. */
const MAXIMUM_CALLS = 256;

interface Options {
  authenticate: Authenticate;
  feedQuestions: FeedQuestions;
  dispatch: Dispatch;
  limits: Pick<Limits, 'take'>;
  /** How many sockets a user and an address have at once. */
  places: Pick<Places, 'take'>;
  /** The raw connection that a socket goes over. */
  connectionOf: (socket: Socket) => Connection;
  rooms: Pick<Rooms, 'enter' | 'listen' | 'remove' | 'reread'>;
  tokens: Pick<TokenWatch, 'enter'>;
  allowedOrigins: readonly string[];
  cookies: CookieSettings;
  isStopping: () => boolean;
  inFlight: InFlight;
  observe: Observe;
  log: { error(fields: object, message: string): void };
}

/** Answers a connection attempt and every call of every socket. */
export function serveSockets(io: Server, options: Options): void {
  io.use((socket, next) => {
    const traceParent = socket.handshake.headers.traceparent as string | undefined;
    const call = options.observe({ kind: 'connection', name: 'connect', transport: 'socket', traceParent });
    const { traceId } = call;
    const connection = options.connectionOf(socket);
    const turnAway = (answer: Answer, refusal: Refusal) => {
      call.end(answer.status);
      next(connectError(answer));
      // After Socket.IO has told it.
      setImmediate(() => connection.turnAway(refusal));
    };
    const admitted = async () => {
      const { refusal } = await options.limits.take(['connect'], { ip: connection.address });
      const admission =
        refusal ?? (await admit(socket.handshake, { ...options, listen: options.rooms.listen }, connection.address));
      if (isRefusal(admission)) return admission;
      const user = admission.identity?.user.id ?? null;
      const leave = await options.places.take({ ip: connection.address, user });
      if (isRefusal(leave)) return leave;
      connection.accept(user, leave);
      return admission;
    };
    call
      .within(admitted)
      .then((outcome) => {
        if (isRefusal(outcome)) return turnAway(answerOf(outcome, traceId), outcome);
        socket.data = outcome;
        call.end(200);
        next();
      })
      .catch((error: unknown) => turnAway(answerOfFailure(error, traceId, options.log), failed));
  });
  io.on('connection', (socket) => welcome(socket, options));
}

const failed = refuse('internal.exception', 'Something went wrong.');

/** Socket.IO tells a client an error's `message` and `data`. */
function connectError({ body }: Answer): Error {
  return Object.assign(new Error('error' in body ? String(body.error) : 'internal'), { data: body });
}

/** Lets it into the rooms of the reader's feeds, says `connected` (EVT1), and takes calls. */
function welcome(socket: Socket, options: Options): void {
  const admission = socket.data as Admission;
  const { audience, feeds, position, identity, client } = admission;
  forgetArrival(socket);
  const connection = options.connectionOf(socket);
  // However Socket.IO lets a socket go: its raw connection would go on hearing what it was subscribed to.
  socket.on('disconnect', () => connection.end('client'));
  // A packet that Socket.IO could not read; it closes the connection then.
  socket.on('error', () => connection.noteBroken());
  takeCalls(socket, admission, options);
  // Before it enters: what was committed since its feeds were read follows at once.
  socket.emit('connected', {
    ok: true,
    uid: identity === null ? null : identity.user.id,
    client,
    serverTime: new Date().toISOString(),
    feeds: Object.fromEntries(feeds.map(({ feed, seq }) => [feed, seq])),
    position,
  });
  const subscriber = options.rooms.enter(socket, audience, feeds);
  whenGone(socket, () => options.rooms.remove(subscriber));
  if (identity !== null)
    whenGone(
      socket,
      options.tokens.enter(identity, () => {
        // Its token opens nothing any more, and Socket.IO tells the client not to come back by itself.
        socket.disconnect(true);
        connection.end('server');
      }),
    );
}

/** The message just sent may have been too much for a slow socket, which is gone then and says so to nobody who listens only now. */
function whenGone(socket: Socket, leave: () => void): void {
  if (socket.connected) socket.on('disconnect', leave);
  else leave();
}

function takeCalls(socket: Socket, { audience, identity }: Admission, options: Options): void {
  const readOnly = identity?.token.readOnly === true;
  const connection = options.connectionOf(socket);
  let calls = 0;
  const user = audience.kind === 'user' ? audience.user.id : null;
  const from = connection.address;
  const caller = { ip: from, user };
  const inOrder = orderCalls(options.limits, caller);
  /** Counts a call that is refused unseen (LIM4). The limits come first, as for any other call. */
  const refuseUnseen = async (event: string, refusal: Refusal) => {
    connection.noteRefusal();
    return (await options.limits.take(limitsOf('socket', event), caller)).refusal ?? refusal;
  };
  const takeCall = (packet: readonly unknown[]) => {
    const arrivedMs = Date.now();
    const call = takeApart(packet);
    const observed = options.observe({ ...nameOf(definitionOf(call.event)), transport: 'socket' });
    const { traceId } = observed;
    const { acknowledge } = call;
    const tell = (answer: Answer) => {
      observed.end(answer.status);
      if (acknowledge !== null) acknowledge(ackOf(answer));
      else socket.emit('request_error', { ...answer.body, event: call.event });
      const limited = limitedEvent(call.event, answer);
      if (limited !== null) socket.emit('rate_limited', limited);
    };
    if (acknowledge === null || calls >= MAXIMUM_CALLS) {
      const refusal = acknowledge === null ? missingAck(call.event) : tooManyCalls;
      observed
        .within(() => refuseUnseen(call.event, refusal))
        .then((outcome) => answerOf(outcome, traceId))
        .catch((error: unknown) => answerOfFailure(error, traceId, options.log))
        .then(tell);
      return;
    }
    calls++;
    const finished = options.inFlight.begin();
    observed
      .within(() => inOrder(call, () => perform(call, { audience, readOnly, traceId, arrivedMs, from }, options)))
      .then((outcome) => answerOf(outcome, traceId))
      .catch((error: unknown) => answerOfFailure(error, traceId, options.log))
      .then((answer) => {
        if (answer.status === 429) connection.noteRefusal();
        tell(answer);
      })
      .finally(() => {
        calls--;
        finished();
        if (calls === 0 && socket.data.isClosing === true) connection.end('server');
      });
  };
  // `next` is never called: no event reaches the socket's own listeners, where a client's `error` event would be taken for ours.
  socket.use((packet) => takeCall(packet));
  socket.data.closeWhenIdle = () => {
    socket.data.isClosing = true;
    if (calls === 0) connection.end('server');
  };
}

/**
 * Closes a socket as soon as none of its calls is under way; its client connects again, to another gateway. Socket.IO's own `disconnect`
 * would tell clients not to come back by themselves; a closed connection they repair.
 */
export function closeWhenIdle(socket: Socket): void {
  (socket.data as Partial<Closable>).closeWhenIdle?.();
}

interface Closable {
  closeWhenIdle(): void;
}

const tooManyCalls = refuse('unavailable', `A connection can have at most ${MAXIMUM_CALLS} calls under way.`);

/** A call whose answer can't be given is not done: its sender would never learn what became of it. */
function missingAck(event: string): Refusal {
  return definitionOf(event) === undefined
    ? unknownEvent(event)
    : refuse('bad_request.missing_ack', 'A call needs an ack callback; it was not done.');
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
  { dispatch, rooms }: Options,
): Promise<ReplyMessage | RawReply | Refusal> {
  const definition = definitionOf(event);
  if (definition === undefined) return unknownEvent(event);
  if (audience.kind === 'public' && !isAnonymous(definition)) return onlyReading;
  if (isRefusal(payload)) return payload;
  const { value, key } = payload;
  // Reads have no idempotency key: there it is a field like any other, and refused as unknown.
  const whole = definition.kind === 'read' && key !== undefined ? { ...value, idempotencyKey: key } : value;
  const user = audience.kind === 'user' ? audience.user : null;
  const input = { value: audience.kind === 'user' ? whole : { root: audience.token, ...whole } };
  const outcome = await dispatch({ definition, input, user, transport: 'socket', key, ...circumstances });
  if (user !== null && event === 'changes:get' && tellsOfAccess(inWhole(outcome))) rooms.reread([user.id]);
  return outcome;
}

const onlyReading = refuse('forbidden', 'A connection with a public token can only read what is published.');

/** A reader who learns of feeds gained or lost may have missed slices because this gateway missed it too: then it is made up for now. */
function tellsOfAccess(outcome: ReplyMessage | Refusal): boolean {
  if (isRefusal(outcome) || !outcome.ok) return false;
  const { feeds } = outcome.body as { feeds?: { gained?: unknown; lost?: unknown } };
  return [feeds?.gained, feeds?.lost].some((list) => Array.isArray(list) && list.length > 0);
}
