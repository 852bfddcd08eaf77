// Socket.IO connections without the SDK, for tests: acks and events arrive unchanged.
import { definedFields } from '@taskgraph/wire/defined-fields';
import { io, type Socket } from 'socket.io-client';

export type RawSocket = Socket;

export interface RawSocketOptions {
  /** The auth payload, with an API token or a public token (AUTH3, PUB3). */
  readonly auth?: object;
  /** Headers of the WebSocket handshake. */
  readonly headers?: Readonly<Record<string, string>>;
}

const FIXED = { path: '/ext-socket.io', transports: ['websocket'], forceNew: true };
/** Socket.IO does not reconnect after the service has closed or refused a connection. */
const RECONNECT_MS = 300;

/** Opens a socket that connects once. The caller adds its listeners before the next tick. */
export function openRawSocket(url: string, { auth, headers }: RawSocketOptions = {}): RawSocket {
  return io(url, { ...FIXED, reconnection: false, ...definedFields({ auth, extraHeaders: headers }) });
}

/**
 * Resolves with the payload of `connected`. Rejects with the error of a refused connection, and if
 * the connection ends without one.
 */
export function untilConnected(socket: RawSocket): Promise<Record<string, unknown>> {
  return new Promise((resolve, reject) => {
    socket.once('connected', resolve);
    socket.once('connect_error', reject);
    socket.once('disconnect', (reason, details) => {
      reject(new Error(`the connection ended before it was admitted: ${reason}`, { cause: details }));
    });
  });
}

/** Opens a socket and waits until it is connected. */
export async function connectRawSocket(url: string, options: RawSocketOptions): Promise<RawSocket> {
  const socket = openRawSocket(url, options);
  await untilConnected(socket);
  return socket;
}

/** Creates a socket that is not connected yet. It reconnects whenever it is offline. */
export function createReconnectingSocket(url: string, auth: object): RawSocket {
  const socket = io(url, { ...FIXED, auth, autoConnect: false });
  const reconnectLater = () => setTimeout(() => socket.connect(), RECONNECT_MS).unref();
  socket.on('disconnect', (reason) => {
    if (reason === 'io server disconnect') reconnectLater();
  });
  socket.on('connect_error', (error) => {
    if ('data' in error && error.data !== undefined) reconnectLater();
  });
  return socket;
}
