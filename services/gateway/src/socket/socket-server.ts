// The Socket.IO server of one gateway's sockets. `fanout.ts` and control messages connect the
// gateways.
import { BOUNDS } from '@taskgraph/wire/fields';
import { Server, type ServerOptions, type Socket } from 'socket.io';
import { Decoder, type Packet } from 'socket.io-parser';
import type { App } from '../http/uws.ts';
import { RawEncoder } from '../raw-json.ts';
import { type Connection, connectionOf } from './connection.ts';

/** The path for Socket.IO clients (AUTH3). */
const SOCKET_PATH = '/ext-socket.io';
/** Separates namespace and room in the name of a uWebSockets.js topic. */
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

/** The receivers of a packet, as Socket.IO passes them to its adapter. */
interface Whom {
  readonly rooms: ReadonlySet<string>;
  /** Rooms whose sockets are excluded. */
  readonly except?: ReadonlySet<string>;
}

/**
 * Attaches the server to an app. Its rooms are only topics of uWebSockets.js: the subscriptions
 * know who is in which, and Socket.IO's own lists would cost each socket a kilobyte. A packet is
 * published to the topics of its rooms; no socket is in two rooms of one packet.
 */
export function attachTo(app: App, io: Server): void {
  io.attachApp(app);
  const { adapter, sockets } = io.sockets;
  const encoder = new RawEncoder();
  const connectionIn = (id: string): Connection | null => {
    const socket = sockets.get(id);
    return socket === undefined ? null : connectionOf(socket);
  };
  // Only for this adapter: Socket.IO extends the prototype of all, and the end of another server in
  // this process reverts that.
  Object.assign(adapter, {
    addAll(id: string, rooms: ReadonlySet<string>): void {
      for (const room of rooms) if (room !== id) connectionIn(id)?.subscribe(topicOf(room));
    },
    del(id: string, room: string): void {
      connectionIn(id)?.unsubscribe(topicOf(room));
    },
    broadcast(packet: Packet, { rooms, except }: Whom): void {
      if (except !== undefined && except.size > 0) throw new Error('a packet is for whole rooms');
      for (const text of encoder.encode({ ...packet, nsp: '/' })) {
        for (const room of rooms) app.publish(topicOf(room), `4${text}`);
      }
    },
    /** Socket.IO's operations on sockets work for all sockets, not for rooms. */
    apply({ rooms }: Whom, visit: (socket: Socket) => void): void {
      if (rooms.size > 0) throw new Error('no room has a list of its sockets');
      for (const socket of sockets.values()) visit(socket);
    },
  });
}

function topicOf(room: string): string {
  return `/${SEPARATOR}${room}`;
}
