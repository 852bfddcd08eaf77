// A WebSocket to the Engine.IO endpoint without a client library: it answers pings, and sends and
// passes on packets unchanged. The bench uses it for its low cost, the siege to violate protocols.

import { connect, type Socket } from 'node:net';
import { createFrameReader, frameOf } from '@taskgraph/testkit/sockets/websocket-frames';
import { definedFields } from '@taskgraph/wire/defined-fields';

export interface RawConnection {
  readonly isOpen: boolean;
  /** Resolves when the connection has ended. */
  readonly ended: Promise<void>;
  /**
   * Sends one Engine.IO packet unchanged, bytes as a binary message. Does nothing after the end.
   */
  send(packet: string | Uint8Array): void;
  /** Stops reading, so that the server's buffers fill. */
  pause(): void;
  close(): void;
}

export interface RawConnectionOptions {
  /** Such as `http://127.0.0.1:8080`. */
  readonly url: string;
  readonly path: string;
  /** The source address, such as 127.0.2.7. */
  readonly localAddress?: string;
  /** The time limit of the WebSocket handshake. */
  readonly openLimitMs: number;
  /** Receives the payload of each text message except pings. */
  readonly onPacket: (packet: Buffer) => void;
}

const PING = 0x32;

/** Opens a connection without authentication. Null if the server refuses it or the time is over. */
export async function openRawConnection(options: RawConnectionOptions): Promise<RawConnection | null> {
  const { url, path, localAddress, openLimitMs, onPacket } = options;
  const { hostname, port } = new URL(url);
  const socket = connect({
    host: hostname,
    port: Number(port),
    noDelay: true,
    ...definedFields({ localAddress }),
  });
  socket.on('error', () => undefined);
  const ended = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  const readFrames = createFrameReader((packet) => {
    if (packet.length === 1 && packet[0] === PING) socket.write(frameOf('3'));
    else onPacket(packet);
  });
  const timer = setTimeout(() => socket.destroy(), openLimitMs);
  const upgraded = requestUpgrade(socket, `${path}/?EIO=4&transport=websocket`, readFrames);
  const isUpgraded = await Promise.race([upgraded, ended.then(() => false)]);
  clearTimeout(timer);
  if (!isUpgraded) {
    socket.destroy();
    return null;
  }
  return {
    get isOpen() {
      return !socket.destroyed;
    },
    ended,
    send(packet) {
      if (!socket.destroyed) socket.write(frameOf(packet));
    },
    pause: () => void socket.pause(),
    close: () => void socket.destroy(),
  };
}

/**
 * Requests the upgrade, and passes on all bytes after the response. Resolves with whether the
 * server accepts it.
 */
function requestUpgrade(socket: Socket, path: string, onBytes: (bytes: Buffer) => void): Promise<boolean> {
  const lines = [
    `GET ${path} HTTP/1.1`,
    'Host: loadtest',
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Version: 13',
    'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==',
  ];
  socket.write(`${lines.join('\r\n')}\r\n\r\n`);
  return new Promise((resolve) => {
    let head = Buffer.alloc(0);
    const onHead = (bytes: Buffer) => {
      head = Buffer.concat([head, bytes]);
      const end = head.indexOf('\r\n\r\n');
      if (end < 0) return;
      socket.off('data', onHead);
      if (!head.subarray(0, end).toString().startsWith('HTTP/1.1 101')) return resolve(false);
      socket.on('data', onBytes);
      resolve(true);
      if (head.length > end + 4) onBytes(head.subarray(end + 4));
    };
    socket.on('data', onHead);
  });
}
