// The Socket.IO side: who may connect, which rooms a socket is in, and its calls. Rules: AUTH3, EVT1, GEN3, GEN8.
import type { Requester } from '@taskgraph/bus/request';
import { definitionOf } from '@taskgraph/commands/catalog';
import { isRefusal, type Refusal, refuse } from '@taskgraph/wire/errors';
import { type ActingUser, type ReplyMessage, roomOf } from '@taskgraph/wire/messages';
import type { Server, Socket } from 'socket.io';
import { z } from 'zod';
import { type Answer, answerOf, answerOfFailure } from './answer.ts';
import { type Authenticate, isUser } from './authentication.ts';
import type { Dispatch } from './dispatch.ts';
import type { InFlight } from './in-flight.ts';
import { refuseOrigin } from './origin.ts';
import { type SocketCall, takeApart } from './socket-call.ts';
import { bearerToken } from './token.ts';
import { traceIdOf } from './trace.ts';

/** Calls of one socket that may be worked on at once; past it they are refused. */
const MAXIMUM_CALLS = 256;

interface Options {
  authenticate: Authenticate;
  requester: Pick<Requester, 'read'>;
  dispatch: Dispatch;
  allowedOrigins: readonly string[];
  deadlineMs: number;
  isStopping: () => boolean;
  inFlight: InFlight;
  log: { error(fields: object, message: string): void };
}

/** Answers a connection attempt and every call of every socket. */
export function serveSockets(io: Server, options: Options): void {
  io.use((socket, next) => {
    const traceId = traceIdOf(socket.handshake.headers.traceparent as string | undefined);
    admit(socket, options, traceId)
      .then((outcome) => {
        if (isRefusal(outcome)) return next(connectError(answerOf(outcome, traceId)));
        socket.data = outcome;
        next();
      })
      .catch((error: unknown) => next(connectError(answerOfFailure(error, traceId, options.log))));
  });
  io.on('connection', (socket) => welcome(socket, options));
}

/** What a socket needs while it lives. It is resolved once, so that no call has to wait for anything before it is published. */
interface Admission {
  readonly user: ActingUser;
  readonly feeds: z.infer<typeof readerFeeds>;
}

const readerFeeds = z.object({
  feeds: z.array(z.object({ feed: z.string(), epoch: z.int(), seq: z.int() })),
  position: z.string(),
});

/** Feeds are read before the connection is answered: a refusal is then a clean `connect_error`, and a call can't come too early. */
async function admit(socket: Socket, options: Options, traceId: string): Promise<Admission | Refusal> {
  if (options.isStopping()) return stopping;
  const { headers, auth } = socket.handshake;
  const refusedOrigin = refuseOrigin(headers.origin, headers.host, options.allowedOrigins);
  if (refusedOrigin !== null) return refusedOrigin;
  const token = auth.api_token === undefined ? bearerToken(headers.authorization) : String(auth.api_token);
  const user = await options.authenticate(token, traceId);
  if (!isUser(user)) return user;
  const deadline = Date.now() + options.deadlineMs;
  const reply = await options.requester.read({ event: 'reader:feeds', payload: {}, actor: user, deadline, traceId });
  if (!reply.ok) return refuse(reply.error, reply.message, reply.details);
  return { user, feeds: readerFeeds.parse(reply.body) };
}

const stopping = refuse('unavailable', 'This gateway is stopping. Connect again.');

/** Socket.IO tells a client an error's `message` and `data`. */
function connectError({ body }: Answer): Error {
  return Object.assign(new Error('error' in body ? String(body.error) : 'internal'), { data: body });
}

/** Joins the rooms of the reader's feeds, says `connected` (EVT1), and takes calls. */
function welcome(socket: Socket, options: Options): void {
  const { user, feeds } = socket.data as Admission;
  takeCalls(socket, user, options);
  void socket.join(feeds.feeds.map(({ feed, epoch }) => roomOf(feed, epoch)));
  socket.emit('connected', {
    ok: true,
    uid: user.id,
    client: 'api',
    serverTime: new Date().toISOString(),
    feeds: Object.fromEntries(feeds.feeds.map(({ feed, seq }) => [feed, seq])),
    position: feeds.position,
  });
}

function takeCalls(socket: Socket, user: ActingUser, options: Options): void {
  let calls = 0;
  const takeCall = (packet: readonly unknown[]) => {
    const arrivedMs = Date.now();
    const traceId = traceIdOf(undefined);
    const call = takeApart(packet);
    const { acknowledge } = call;
    if (acknowledge === null) {
      refuseWithoutAck(socket, call.event, traceId);
      return;
    }
    if (calls >= MAXIMUM_CALLS) {
      acknowledge(answerOf(tooManyCalls, traceId).body);
      return;
    }
    calls++;
    const finished = options.inFlight.begin();
    perform(call, { user, traceId, arrivedMs }, options)
      .then((outcome) => answerOf(outcome, traceId))
      .catch((error: unknown) => answerOfFailure(error, traceId, options.log))
      .then((answer) => acknowledge(answer.body))
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

/** Socket.IO's own `disconnect` would tell clients not to come back by themselves; a closed connection they repair. */
function closeConnection(socket: Socket): void {
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
function refuseWithoutAck(socket: Socket, event: string, traceId: string): void {
  const refusal =
    definitionOf(event) === undefined
      ? unknownEvent(event)
      : refuse('bad_request.missing_ack', 'A call needs an ack callback; it was not done.');
  socket.emit('request_error', { ...answerOf(refusal, traceId).body, event });
}

function unknownEvent(event: string): Refusal {
  return refuse('bad_request.unknown_event', `There is no event ${JSON.stringify(event)} here.`);
}

interface Circumstances {
  readonly user: ActingUser;
  readonly traceId: string;
  readonly arrivedMs: number;
}

/** Publishes before its first await: the calls of one socket go to NATS in the order in which they came. */
async function perform(
  { event, payload }: SocketCall,
  circumstances: Circumstances,
  { dispatch }: Options,
): Promise<ReplyMessage | Refusal> {
  const definition = definitionOf(event);
  if (definition === undefined) return unknownEvent(event);
  if (isRefusal(payload)) return payload;
  const { value, key } = payload;
  // Reads have no idempotency key: there it is a field like any other, and refused as unknown.
  const whole = definition.kind === 'read' && key !== undefined ? { ...value, idempotencyKey: key } : value;
  return dispatch({ definition, input: { value: whole }, key, ...circumstances });
}
