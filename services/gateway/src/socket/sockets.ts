// The Socket.IO side: who is let in, what a connecting client is told, and how its socket goes.
// Rules: EVT1, PUB3, LIM4.
import { isRefusal, type Refusal, refuse } from '@taskgraph/wire/errors';
import type { Server, Socket } from 'socket.io';
import type { Authenticate } from '../auth/authentication.ts';
import type { CookieSettings } from '../auth/origin.ts';
import { type Answer, answerOf, answerOfFailure } from '../http/answer.ts';
import { RawJson } from '../raw-json.ts';
import type { Subscriptions } from '../realtime/subscriptions.ts';
import type { TokenWatch } from '../realtime/token-watch.ts';
import { type Admission, admit, forgetArrival } from './admission.ts';
import type { Connection } from './connection.ts';
import type { FeedQuestions } from './feed-questions.ts';
import type { Places } from './socket-quotas.ts';
import { type CallWay, type OpenSocket, takeCall } from './taking-calls.ts';

interface Options extends CallWay {
  authenticate: Authenticate;
  feedQuestions: FeedQuestions;
  /** How many sockets a user and an address have at once. */
  places: Pick<Places, 'take' | 'leave'>;
  /** The raw connection that a socket goes over. */
  connectionOf: (socket: Socket) => Connection;
  subscriptions: Pick<Subscriptions, 'add' | 'listen' | 'remove' | 'reauthorize'>;
  tokens: Pick<TokenWatch, 'enter' | 'leave'>;
  allowedOrigins: readonly string[];
  cookies: CookieSettings;
  isStopping: () => boolean;
}

/** Answers a connection attempt and every call of every socket. */
export function serveSockets(io: Server, options: Options): void {
  const admitting = { ...options, listen: options.subscriptions.listen };
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
      const admission = refusal ?? (await admit(socket.handshake, admitting, connection.address));
      if (isRefusal(admission)) return admission;
      const user = admission.identity?.user.id ?? null;
      const full = await options.places.take({ ip: connection.address, user });
      if (full !== null) return full;
      connection.accept(user, options.places.leave);
      return admission;
    };
    call
      .within(admitted)
      .then((outcome) => {
        if (isRefusal(outcome)) return turnAway(answerOf(outcome, traceId), outcome);
        socket.data = outcome;
        call.end(200);
        // Until it is greeted: Socket.IO's answer and the greeting go out in one write.
        connection.hold();
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
  const { audience, feeds, position, truncated, identity, client } = socket.data as Admission;
  const open: OpenSocket = {
    socket,
    connection: options.connectionOf(socket),
    audience,
    readOnly: identity?.token.readOnly === true,
    before: null,
    calls: 0,
    isClosing: false,
    subscriber: null,
    watched: null,
  };
  forgetArrival(socket);
  socket.data = open;
  socket.on('disconnect', () => leave(open, options));
  // A packet that Socket.IO could not read; it closes the connection then.
  socket.on('error', () => open.connection.noteBroken());
  // `next` is never called: no event reaches the socket's own listeners, where a client's `error`
  // event would be taken for ours.
  socket.use((packet) => takeCall(open, packet, options));
  // Before it enters: what was committed since its feeds were read follows at once.
  const greeting = {
    ok: true,
    uid: identity === null ? null : identity.user.id,
    client,
    serverTime: new Date().toISOString(),
    feeds: Object.fromEntries(feeds.map(({ feed, seq }) => [feed, seq])),
    position,
    ...(truncated === undefined ? {} : { truncated }),
  };
  socket.emit('connected', new RawJson(JSON.stringify(greeting)));
  open.connection.release();
  open.subscriber = options.subscriptions.add(socket, audience, feeds);
  if (identity !== null) open.watched = options.tokens.enter(identity, () => closeForGood(open));
  // The message just sent may have been too much for a slow socket, which is gone then and has said
  // so already.
  if (!socket.connected) leave(open, options);
}

/**
 * However Socket.IO lets a socket go: its raw connection would go on hearing what it was subscribed
 * to.
 */
function leave({ connection, subscriber, watched }: OpenSocket, { subscriptions, tokens }: Options): void {
  connection.end('client');
  if (subscriber !== null) subscriptions.remove(subscriber);
  if (watched !== null) tokens.leave(watched);
}

/** Its token opens nothing any more, and Socket.IO tells the client not to come back by itself. */
function closeForGood({ socket, connection }: OpenSocket): void {
  socket.disconnect(true);
  connection.end('server');
}

/**
 * Closes a socket as soon as none of its calls is under way; its client connects again, to another
 * gateway. Socket.IO's own `disconnect` would tell clients not to come back by themselves; a closed
 * connection they repair.
 */
export function closeWhenIdle(socket: Socket): void {
  const open = socket.data as OpenSocket;
  open.isClosing = true;
  if (open.calls === 0) open.connection.end('server');
}
