// The Socket.IO side: admits clients, greets them, starts their subscriptions, and closes their
// sockets. Rules: EVT1, PUB3, LIM4.
import { countedUser } from '@taskgraph/wire/actor';
import { definedFields } from '@taskgraph/wire/defined-fields';
import { isRefusal, type Refusal, refuse } from '@taskgraph/wire/errors';
import { scopesOf } from '@taskgraph/wire/scopes';
import type { Server, Socket } from 'socket.io';
import type { Authenticate } from '../auth/authentication.ts';
import type { CookieSettings } from '../auth/origin.ts';
import { answerOf, answerOfFailure, type CallAnswer } from '../http/answer.ts';
import { RawJson } from '../raw-json.ts';
import type { Subscriptions } from '../realtime/subscriptions.ts';
import type { TokenWatch } from '../realtime/token-watch.ts';
import { type Admission, admit, forgetArrival } from './admission.ts';
import { type CallDependencies, handleCall, type OpenSocket } from './call-handler.ts';
import type { Connection } from './connection.ts';
import type { ConnectionQuotas } from './connection-quotas.ts';
import type { FeedLookup } from './feed-lookup.ts';

interface SocketsOptions extends CallDependencies {
  authenticate: Authenticate;
  feedLookup: FeedLookup;
  /** Bounds the sockets of a user and of an address. */
  quotas: Pick<ConnectionQuotas, 'take' | 'leave'>;
  /** Returns the raw connection of a socket. */
  connectionOf: (socket: Socket) => Connection;
  subscriptions: Pick<Subscriptions, 'add' | 'feedsOf' | 'listen' | 'remove' | 'reauthorize'>;
  tokens: Pick<TokenWatch, 'enter' | 'leave'>;
  allowedOrigins: readonly string[];
  cookies: CookieSettings;
  isStopping: () => boolean;
}

/** Handles every connection attempt, and every call of every socket. */
export function serveSockets(io: Server, options: SocketsOptions): void {
  const { listen, feedsOf } = options.subscriptions;
  const admitting = { ...options, listen, feedsOf };
  io.use((socket, next) => {
    const traceParent = socket.handshake.headers.traceparent as string | undefined;
    const call = options.observe({ kind: 'connection', name: 'connect', transport: 'socket', traceParent });
    const { traceId } = call;
    const connection = options.connectionOf(socket);
    const turnAway = (answer: CallAnswer, refusal: Refusal) => {
      call.end(answer.status);
      next(connectError(answer));
      // After Socket.IO has sent the error.
      setImmediate(() => connection.turnAway(refusal));
    };
    const admitted = async () => {
      const { refusal } = await options.limits.take(['connect'], { ip: connection.address });
      const admission = refusal ?? (await admit(socket.handshake, admitting, connection.address));
      if (isRefusal(admission)) return admission;
      const user = admission.identity === null ? null : countedUser(admission.identity.user);
      const full = await options.quotas.take({ ip: connection.address, user });
      if (full !== null) return full;
      connection.accept(user, options.quotas.leave);
      return admission;
    };
    call
      .within(admitted)
      .then((outcome) => {
        if (isRefusal(outcome)) return turnAway(answerOf(outcome, traceId), outcome);
        socket.data = outcome;
        call.end(200);
        // Holds messages until the greeting: Socket.IO's answer and `connected` share one write.
        connection.hold();
        next();
      })
      .catch((error: unknown) => turnAway(answerOfFailure(error, traceId, options.log), failed));
  });
  io.on('connection', (socket) => welcome(socket, options));
}

const failed = refuse('internal.exception', 'Something went wrong.');

/** Socket.IO tells a client an error's `message` and `data`. */
function connectError({ body }: CallAnswer): Error {
  return Object.assign(new Error('error' in body ? String(body.error) : 'internal'), { data: body });
}

/** Sends `connected` (EVT1), then subscribes the socket to its feeds and handles its calls. */
function welcome(socket: Socket, options: SocketsOptions): void {
  const { audience, feeds, position, truncated, identity, client } = socket.data as Admission;
  const open: OpenSocket = {
    socket,
    connection: options.connectionOf(socket),
    audience,
    scopes: identity === null ? null : scopesOf(identity.token),
    before: null,
    calls: 0,
    isClosing: false,
    subscriber: null,
    watched: null,
  };
  forgetArrival(socket);
  socket.data = open;
  socket.on('disconnect', () => leave(open, options));
  // Socket.IO reports an unreadable packet and closes the connection.
  socket.on('error', () => open.connection.noteBroken());
  // `next` is never called, so no event reaches the socket's own listeners: a client's `error`
  // event would look like the gateway's.
  socket.use((packet) => handleCall(open, packet, options));
  // Before the subscriptions: slices committed after its feeds were read follow at once.
  const greeting = {
    ok: true,
    uid: identity === null ? null : identity.user.id,
    ...definedFields({ username: identity?.user.username }),
    client,
    serverTime: new Date().toISOString(),
    feeds: Object.fromEntries(feeds.map(({ feed, seq }) => [feed, seq])),
    position,
    ...definedFields({ truncated }),
  };
  socket.emit('connected', new RawJson(JSON.stringify(greeting)));
  open.connection.release();
  open.subscriber = options.subscriptions.add(socket, audience, feeds);
  if (identity !== null) open.watched = options.tokens.enter(identity, () => closeForGood(open));
  // The greeting may have been too much for a slow socket, which has disconnected by now.
  if (!socket.connected) leave(open, options);
}

/** Socket.IO may leave the raw connection open, with its topics: it ends here in every case. */
function leave({ connection, subscriber, watched }: OpenSocket, { subscriptions, tokens }: SocketsOptions): void {
  connection.end('client');
  if (subscriber !== null) subscriptions.remove(subscriber);
  if (watched !== null) tokens.leave(watched);
}

/** Closes a socket whose token has ended. Socket.IO tells the client not to reconnect. */
function closeForGood({ socket, connection }: OpenSocket): void {
  socket.disconnect(true);
  connection.end('server');
}

/**
 * Closes a socket as soon as it has no call in progress. The client reconnects, to another gateway;
 * Socket.IO's own `disconnect` would tell it not to.
 */
export function closeWhenIdle(socket: Socket): void {
  const open = socket.data as OpenSocket;
  open.isClosing = true;
  if (open.calls === 0) open.connection.end('server');
}
