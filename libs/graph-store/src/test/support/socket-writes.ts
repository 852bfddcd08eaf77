// Counts the writes to the database's sockets in this process.
import { Socket } from 'node:net';

export interface SocketWrites {
  /** Writes to the operating system, or to TLS. */
  writes: number;
  /** The pieces in which the driver handed them over. */
  chunks: number;
  bytes: number;
}

/** Counts the writes of all sockets to this port until `stop`. */
export function countSocketWrites(port: number): SocketWrites & { stop(): void } {
  const prototype = Socket.prototype as Required<Pick<Socket, '_write' | '_writev'>>;
  const { _write, _writev } = prototype;
  const counts = { writes: 0, chunks: 0, bytes: 0 };
  const count = (socket: Socket, chunks: readonly Buffer[]) => {
    if (socket.remotePort !== port) return;
    counts.writes++;
    counts.chunks += chunks.length;
    for (const { length } of chunks) counts.bytes += length;
  };
  prototype._write = function (this: Socket, chunk, ...others) {
    count(this, [chunk]);
    _write.call(this, chunk, ...others);
  };
  prototype._writev = function (this: Socket, chunks, ...others) {
    count(
      this,
      chunks.map(({ chunk }) => chunk),
    );
    _writev.call(this, chunks, ...others);
  };
  return Object.assign(counts, { stop: () => Object.assign(prototype, { _write, _writev }) });
}
