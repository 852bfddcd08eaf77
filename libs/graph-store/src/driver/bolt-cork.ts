// Corks the driver's connections. The driver writes each 1,400 bytes to its socket. A cork until the
// end of the turn of the event loop lets all chunks of a group leave in one write
// (docs/design/driver-writes.md).
import { createRequire } from 'node:module';
import type { Socket } from 'node:net';

/** The part of the driver's private class that this file needs. */
interface Channel {
  /** Plain or TLS. */
  readonly _conn: Socket;
  write(chunk: unknown): void;
}

let isCorked = false;

/**
 * Corks all connections that the drivers of this process have or open. Throws if the driver has no
 * such class; `bolt-cork.neo4j.test.ts` fails first.
 */
export function corkConnections(): void {
  if (isCorked) return;
  const channel = channelClass().prototype;
  const { write } = channel;
  channel.write = function (this: Channel, chunk) {
    const socket = this._conn;
    if (socket.writableCorked === 0) {
      socket.cork();
      process.nextTick(uncork, socket);
    }
    write.call(this, chunk);
  };
  isCorked = true;
}

/** Does nothing if the socket has ended since: `end` itself writes what was corked. */
function uncork(socket: Socket): void {
  socket.uncork();
}

/** The class as the driver itself loads it, wherever its packages are installed. */
function channelClass(): { readonly prototype: Channel } {
  const requireFromDriver = createRequire(createRequire(import.meta.url).resolve('neo4j-driver'));
  const module = requireFromDriver('neo4j-driver-bolt-connection/lib/channel/node/node-channel.js');
  return module.default;
}
