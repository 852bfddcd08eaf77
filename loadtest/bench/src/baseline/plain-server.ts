// The baseline of pushes: plain Socket.IO on uWebSockets.js. It holds the valid tokens in memory
// and relays one socket's messages to all others in its room. It runs in its own process, as a
// gateway does.

import uws from 'uWebSockets.js';
import { randomUUID } from 'node:crypto';
import { Server, type Socket } from 'socket.io';

export interface PlainServerOptions {
  readonly tokens: readonly string[];
}

export interface PlainServerActs {
  /** Returns the port. */
  listen(input: null): Promise<number>;
}

const ROOM = 'everybody';
export const PLAIN_PATH = '/socket.io';

export async function openPlainServer({ tokens }: PlainServerOptions): Promise<PlainServerActs> {
  const known = new Set(tokens);
  const app = uws.App();
  const io = new Server({ path: PLAIN_PATH, transports: ['websocket'], serveClient: false });
  io.use((socket, next) => {
    const { api_token: token } = socket.handshake.auth as { api_token?: string };
    next(token !== undefined && known.has(token) ? undefined : new Error('unauthorized'));
  });
  io.on('connection', (socket) => onConnection(io, socket));
  io.attachApp(app);
  return {
    listen: () =>
      new Promise((resolve, reject) => {
        app.listen('127.0.0.1', 0, (listening) => {
          if (listening === false) reject(new Error('the plain server found no port'));
          else resolve(uws.us_socket_local_port(listening));
        });
      }),
  };
}

function onConnection(io: Server, socket: Socket): void {
  void socket.join(ROOM);
  const { uid = null } = socket.handshake.auth as { uid?: string };
  socket.emit('connected', {
    uid,
    client: randomUUID(),
    serverTime: new Date().toISOString(),
    feeds: {},
    position: '',
  });
  const relay = (room: { emit(event: string, update: unknown): unknown }) => {
    return (update: unknown, acknowledge: (answer: unknown) => void) => {
      room.emit('graph:diff', update);
      acknowledge({ update });
    };
  };
  // A message to the whole room is one publication of uWebSockets.js.
  socket.on('update', relay(io.to(ROOM)));
  // A message to all others is sent socket by socket, as most programs do it.
  socket.on('update:others', relay(socket.to(ROOM)));
}
