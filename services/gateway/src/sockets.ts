// The Socket.IO side: what a connecting client is told, and its calls. Rules: EVT1, PUB3, GEN3, GEN8, LIM2.
import type { Requester } from '@taskgraph/bus/request';
import { definitionOf } from '@taskgraph/commands/catalog';
import { isRefusal, type Refusal, refuse } from '@taskgraph/wire/errors';
import type { ReplyMessage } from '@taskgraph/wire/messages';
import type { Server, Socket } from 'socket.io';
import { type Admission, admit } from './admission.ts';
import { type Answer, answerOf, answerOfFailure } from './answer.ts';
import type { Authenticate } from './authentication.ts';
import type { CookieSettings } from './credential.ts';
import { type Dispatch, isAnonymous } from './dispatch.ts';
import type { InFlight } from './in-flight.ts';
import type { Limits } from './limits.ts';
import type { Audience } from './member.ts';
import type { Observe } from './observing.ts';
import { limitedEvent, orderCalls } from './ordered-calls.ts';
import type { Rooms } from './rooms.ts';
import { nameOf } from './routes.ts';
import { type SocketCall, takeApart } from './socket-call.ts';
import type { TokenWatch } from './token-watch.ts';

/** Calls of one socket that may be worked on at once; past it they are refused. */
const MAXIMUM_CALLS = 256;

interface Options {
  authenticate: Authenticate;
  requester: Pick<Requester, 'read'>;
  dispatch: Dispatch;
  limits: Pick<Limits, 'take'>;
  /** The client's address, of the connection's other end and its X-Forwarded-For. */
  addressOf: (remote: string, forwarded: string) => string;
  rooms: Pick<Rooms, 'enter' | 'listen' | 'remove' | 'reread'>;
  tokens: Pick<TokenWatch, 'enter'>;
  allowedOrigins: readonly string[];
  cookies: CookieSettings;
  deadlineMs: number;
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
    const turnAway = (answer: Answer) => {
      call.end(answer.status);
      next(connectError(answer));
    };
    const judge = async () => {
      const { refusal } = await options.limits.take(['connect'], { ip: addressOf(socket, options) });
      return refusal ?? admit(socket.handshake, { ...options, listen: options.rooms.listen }, traceId);
    };
    call
      .within(judge)
      .then((outcome) => {
        if (isRefusal(outcome)) return turnAway(answerOf(outcome, traceId));
        socket.data = outcome;
        call.end(200);
        next();
      })
      .catch((error: unknown) => turnAway(answerOfFailure(error, traceId, options.log)));
  });
  io.on('connection', (socket) => welcome(socket, options));
}

function addressOf({ handshake }: Socket, options: Options): string {
  return options.addressOf(handshake.address, String(handshake.headers['x-forwarded-for'] ?? ''));
}

/** Socket.IO tells a client an error's `message` and `data`. */
function connectError({ body }: Answer): Error {
  return Object.assign(new Error('error' in body ? String(body.error) : 'internal'), { data: body });
}

/** Lets it into the rooms of the reader's feeds, says `connected` (EVT1), and takes calls. */
function welcome(socket: Socket, options: Options): void {
  const { audience, feeds, position, identity, client } = socket.data as Admission;
  takeCalls(socket, socket.data as Admission, options);
  // Before it enters: what was committed since its feeds were read follows at once.
  socket.emit('connected', {
    ok: true,
    uid: identity === null ? null : identity.user.id,
    client,
    serverTime: new Date().toISOString(),
    feeds: Object.fromEntries(feeds.map(({ feed, seq }) => [feed, seq])),
    position,
  });
  const member = options.rooms.enter(socket, audience, feeds);
  socket.data.leaveRooms = () => options.rooms.remove(member);
  socket.on('disconnect', socket.data.leaveRooms);
  if (identity !== null)
    socket.on(
      'disconnect',
      options.tokens.enter(identity, () => endConnection(socket)),
    );
}

function takeCalls(socket: Socket, { audience, identity }: Admission, options: Options): void {
  const readOnly = identity?.token.readOnly === true;
  let calls = 0;
  const user = audience.kind === 'user' ? audience.user.id : null;
  const from = addressOf(socket, options);
  const inOrder = orderCalls(options.limits, { ip: from, user });
  const takeCall = (packet: readonly unknown[]) => {
    const arrivedMs = Date.now();
    const call = takeApart(packet);
    const observed = options.observe({ ...nameOf(definitionOf(call.event)), transport: 'socket' });
    const { traceId } = observed;
    const { acknowledge } = call;
    if (acknowledge === null) {
      observed.end(refuseWithoutAck(socket, call.event, traceId));
      return;
    }
    if (calls >= MAXIMUM_CALLS) {
      const answer = answerOf(tooManyCalls, traceId);
      acknowledge(answer.body);
      observed.end(answer.status);
      return;
    }
    calls++;
    const finished = options.inFlight.begin();
    observed
      .within(() => inOrder(call.event, () => perform(call, { audience, readOnly, traceId, arrivedMs, from }, options)))
      .then((outcome) => answerOf(outcome, traceId))
      .catch((error: unknown) => answerOfFailure(error, traceId, options.log))
      .then((answer) => {
        acknowledge(answer.body);
        observed.end(answer.status);
        const limited = limitedEvent(call.event, answer);
        if (limited !== null) socket.emit('rate_limited', limited);
      })
      .finally(() => {
        calls--;
        finished();
        if (calls === 0 && socket.data.isClosing === true) closeConnection(socket);
      });
  };
  // `next` is never called: no event reaches the socket's own listeners, where a client's `error` event would be taken for ours.
  socket.use((packet) => takeCall(packet));
  socket.data.closeWhenIdle = () => {
    socket.data.isClosing = true;
    if (calls === 0) closeConnection(socket);
  };
}

/** Ends a connection for good: its token opens nothing any more, and Socket.IO tells the client not to come back by itself. */
function endConnection(socket: Socket): void {
  // `disconnect` may leave the raw socket subscribed to rooms that it is still in.
  socket.data.leaveRooms?.();
  for (const room of socket.rooms) void socket.leave(room);
  socket.disconnect(true);
}

/** Socket.IO's own `disconnect` would tell clients not to come back by themselves; a closed connection they repair. */
function closeConnection(socket: Socket): void {
  // Else it could still be let into other rooms while it closes.
  socket.data.leaveRooms?.();
  for (const room of socket.rooms) void socket.leave(room);
  socket.conn.close();
}

/** Closes a socket as soon as none of its calls is under way; its client connects again, to another gateway. */
export function closeWhenIdle(socket: Socket): void {
  (socket.data as Partial<Admission & Closable>).closeWhenIdle?.();
}

interface Closable {
  closeWhenIdle(): void;
}

const tooManyCalls = refuse('unavailable', `A connection can have at most ${MAXIMUM_CALLS} calls under way.`);

/** A call whose answer can't be given is not done: its sender would never learn what became of it. */
function refuseWithoutAck(socket: Socket, event: string, traceId: string): number {
  const refusal =
    definitionOf(event) === undefined
      ? unknownEvent(event)
      : refuse('bad_request.missing_ack', 'A call needs an ack callback; it was not done.');
  const { status, body } = answerOf(refusal, traceId);
  socket.emit('request_error', { ...body, event });
  return status;
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
): Promise<ReplyMessage | Refusal> {
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
  if (user !== null && tellsOfAccess(outcome)) rooms.reread([user.id]);
  return outcome;
}

const onlyReading = refuse('forbidden', 'A connection with a public token can only read what is published.');

/** Who learns of feeds gained or lost may have missed slices because this gateway missed it too: then it is made up for now. */
function tellsOfAccess(outcome: ReplyMessage | Refusal): boolean {
  if (isRefusal(outcome) || !outcome.ok) return false;
  const { feeds } = outcome.body as { feeds?: { gained?: unknown; lost?: unknown } };
  return [feeds?.gained, feeds?.lost].some((list) => Array.isArray(list) && list.length > 0);
}
