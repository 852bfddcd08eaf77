// The Socket.IO server of a gateway. Its sockets are its own: what concerns those of other gateways too goes over `fanout.ts` and control messages.
import { BOUNDS } from '@taskgraph/wire/fields';
import { Server, type ServerOptions } from 'socket.io';
import { Decoder } from 'socket.io-parser';
import type { App } from '../http/uws.ts';
import { RawEncoder } from '../raw-json.ts';

/** The path at which Socket.IO clients connect (AUTH3). */
const SOCKET_PATH = '/ext-socket.io';
/** The letter between namespace and room in the name of a topic of uWebSockets.js. */
const SEPARATOR = '\x1f';

export function createSocketServer(options: Partial<ServerOptions>): Server {
  return new Server({
    path: SOCKET_PATH,
    transports: ['websocket'],
    serveClient: false,
    parser: { Encoder: RawEncoder, Decoder },
    maxHttpBufferSize: BOUNDS.bodyBytes,
    ...options,
  });
}

/**
 * Attaches the server to an app. A packet for one room is published to its topic and that is all: Socket.IO would go on to look at each
 * socket of the room for one that has another transport, and here none has.
 */
export function attachTo(app: App, io: Server): void {
  io.attachApp(app);
  const { adapter } = io.sockets;
  // Socket.IO puts these into the prototype of all adapters, and the end of another server in this process takes them back.
  const broadcast = adapter.broadcast.bind(adapter);
  adapter.addAll = adapter.addAll.bind(adapter);
  adapter.del = adapter.del.bind(adapter);
  const encoder = new RawEncoder();
  adapter.broadcast = (packet, options) => {
    const [room, ...others] = options.rooms;
    if (room === undefined || others.length > 0 || (options.except?.size ?? 0) > 0) return broadcast(packet, options);
    for (const text of encoder.encode({ ...packet, nsp: '/' })) app.publish(`/${SEPARATOR}${room}`, `4${text}`);
  };
}
