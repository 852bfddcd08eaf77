// Open connections whose message was too old when they were ready. The next attempt for the same
// webhook uses them, so that a slow connection does not make every message late.
import type { Socket } from 'node:net';

interface SpareConnectionsOptions {
  /** Milliseconds after which an unused connection is closed. */
  readonly idleMs: number;
  /** The most connections; the oldest is closed above it. */
  readonly maximum: number;
}

export interface SpareConnections {
  /** Stores a connection; one that is stored under the key already is closed. */
  put(key: string, socket: Socket): void;
  /** Removes and returns the connection under the key, if it is still open. */
  take(key: string): Socket | undefined;
  /** The number of connections. */
  size(): number;
  /** Closes all. */
  clear(): void;
}

export function createSpareConnections({ idleMs, maximum }: SpareConnectionsOptions): SpareConnections {
  const spares = new Map<string, { readonly socket: Socket; release(): void }>();

  function drop(key: string): void {
    const spare = spares.get(key);
    spare?.release();
    spare?.socket.destroy();
  }

  return {
    put(key, socket) {
      drop(key);
      if (!isUsable(socket)) {
        socket.on('error', ignore).destroy();
        return;
      }
      const [oldest] = spares.keys();
      if (spares.size >= maximum && oldest !== undefined) drop(oldest);
      const close = () => drop(key);
      const timer = setTimeout(close, idleMs).unref();
      const events = ['end', 'close', 'error'] as const;
      for (const event of events) socket.once(event, close);
      const release = () => {
        clearTimeout(timer);
        for (const event of events) socket.off(event, close);
        socket.on('error', ignore);
        spares.delete(key);
      };
      spares.set(key, { socket, release });
    },
    take(key) {
      const spare = spares.get(key);
      if (spare === undefined) return undefined;
      spare.release();
      spare.socket.off('error', ignore);
      if (isUsable(spare.socket)) return spare.socket;
      spare.socket.on('error', ignore).destroy();
      return undefined;
    },
    size: () => spares.size,
    clear() {
      for (const key of [...spares.keys()]) drop(key);
    },
  };
}

/**
 * Whether a request may be sent: the other side has not ended the connection, perhaps before anybody
 * listened to it, and has sent nothing. An answer that arrives before its request belongs to none.
 */
function isUsable({ destroyed, writable, readableEnded, readableLength }: Socket): boolean {
  return !destroyed && writable && !readableEnded && readableLength === 0;
}

/** A connection that is being closed may still fail. */
function ignore(): void {}
