// A client that writes Engine.IO packets itself, so that it can send invalid ones and stop reading.
import { request } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { createFrameReader, frameOf } from '@taskgraph/testkit/sockets/websocket-frames';

const WAIT_LIMIT_MS = 20_000;

export interface RawClient {
  /** The received Engine.IO packets, in order. */
  readonly packets: string[];
  /** The code and reason of the close frame; null before it. */
  readonly closed: { code: number; reason: string } | null;
  /** Whether the connection has ended, with a close frame or without. */
  readonly ended: boolean;
  send(text: string): void;
  sendBinary(bytes: Uint8Array): void;
  /** Sends bytes unchanged, which need not form a frame. */
  sendBytes(bytes: Uint8Array): void;
  pause(): void;
  resume(): void;
  destroy(): void;
  /**
   * Resolves with a received packet that contains one of these. Throws if the connection ends
   * first, or after a time limit.
   */
  receive(...parts: string[]): Promise<string>;
  /** Resolves once the connection has ended. */
  end(): Promise<void>;
}

/** Upgrades a connection. If it is refused, throws an error with `status` and `body`. */
export function dialRaw(url: string, headers: Record<string, string> = {}): Promise<RawClient> {
  return new Promise((resolve, reject) => {
    const upgrade = request(`${url}/ext-socket.io/?EIO=4&transport=websocket`, {
      headers: {
        Connection: 'Upgrade',
        Upgrade: 'websocket',
        'Sec-WebSocket-Version': '13',
        'Sec-WebSocket-Key': Buffer.alloc(16).toString('base64'),
        ...headers,
      },
    });
    upgrade.on('error', reject);
    upgrade.on('response', (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (chunk: string) => {
        body += chunk;
      });
      response.on('end', () => {
        const { statusCode: status, headers: received } = response;
        reject(Object.assign(new Error('the upgrade was refused'), { status, body, headers: received }));
      });
    });
    upgrade.on('upgrade', (_, socket, head) => resolve(clientOf(socket as Socket, head)));
    upgrade.end();
  });
}

function clientOf(socket: Socket, head: Buffer): RawClient {
  const packets: string[] = [];
  let closed: RawClient['closed'] = null;
  let ended = false;
  const readFrames = createFrameReader(
    (payload) => packets.push(payload.toString()),
    (payload) => {
      const code = payload.length >= 2 ? payload.readUInt16BE(0) : 1005;
      closed = { code, reason: payload.subarray(2).toString() };
    },
  );
  readFrames(head);
  socket.on('data', readFrames);
  socket.on('error', () => undefined);
  socket.on('close', () => {
    ended = true;
  });
  socket.on('end', () => {
    ended = true;
    socket.destroy();
  });
  const until = async (isDone: () => boolean, what: string) => {
    const deadline = Date.now() + WAIT_LIMIT_MS;
    while (!isDone()) {
      if (Date.now() > deadline) throw new Error(`no ${what} in time; received: ${packets.slice(-5)}`);
      await sleep(5);
    }
  };
  const client: RawClient = {
    packets,
    get closed() {
      return closed;
    },
    get ended() {
      return ended;
    },
    send: (text) => void socket.write(frameOf(text)),
    sendBinary: (bytes) => void socket.write(frameOf(bytes)),
    sendBytes: (bytes) => void socket.write(bytes),
    pause: () => void socket.pause(),
    resume: () => void socket.resume(),
    destroy: () => void socket.destroy(),
    async receive(...parts) {
      const find = () => packets.find((text) => parts.some((part) => text.includes(part)));
      await until(() => ended || find() !== undefined, parts.join(' or '));
      const found = find();
      if (found === undefined) throw new Error(`ended without ${parts}; received: ${packets.slice(-5)}`);
      return found;
    },
    end: () => until(() => ended, 'end'),
  };
  return client;
}
