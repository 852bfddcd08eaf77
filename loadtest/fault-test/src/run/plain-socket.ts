// A socket of a client without the SDK: it reconnects and does nothing else.
import { io, type Socket } from 'socket.io-client';

const AGAIN_MS = 300;

/** A socket that is not connected yet. */
export function plainSocket(url: string, token: string): Socket {
  const socket = io(url, {
    path: '/ext-socket.io',
    transports: ['websocket'],
    auth: { api_token: token },
    forceNew: true,
    autoConnect: false,
  });
  // After the service has closed or refused a connection, Socket.IO does not reconnect on its own.
  const later = () => setTimeout(() => socket.connect(), AGAIN_MS).unref();
  socket.on('disconnect', (reason) => {
    if (reason === 'io server disconnect') later();
  });
  socket.on('connect_error', (error) => {
    if ('data' in error && error.data !== undefined) later();
  });
  return socket;
}
