// A client that writes WebSocket and Engine.IO frames itself, so that it can send invalid ones and
// stop reading.
import { request } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

const [TEXT, BINARY, CLOSE] = [1, 2, 8];
const WAIT_LIMIT_MS = 20_000;

export interface RawClient {
  /** The received Engine.IO packets, in order. */
  readonly heard: string[];
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
  hear(...parts: string[]): Promise<string>;
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
        const { statusCode: status, headers: told } = response;
        reject(Object.assign(new Error('the upgrade was refused'), { status, body, headers: told }));
      });
    });
    upgrade.on('upgrade', (_, socket, head) => resolve(clientOf(socket as Socket, head)));
    upgrade.end();
  });
}

function clientOf(socket: Socket, head: Buffer): RawClient {
  const heard: string[] = [];
  let closed: RawClient['closed'] = null;
  let ended = false;
  let rest: Buffer = Buffer.alloc(0);
  const take = (chunk: Buffer) => {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    for (let frame = frameIn(rest); frame !== null; frame = frameIn(rest)) {
      rest = rest.subarray(frame.length);
      if (frame.opcode === TEXT) heard.push(frame.payload.toString());
      if (frame.opcode === CLOSE) {
        const hasCode = frame.payload.length >= 2;
        closed = { code: hasCode ? frame.payload.readUInt16BE(0) : 1005, reason: frame.payload.subarray(2).toString() };
      }
    }
  };
  take(head);
  socket.on('data', take);
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
      if (Date.now() > deadline) throw new Error(`it has waited too long for ${what}; it heard ${heard.slice(-5)}`);
      await sleep(5);
    }
  };
  const client: RawClient = {
    heard,
    get closed() {
      return closed;
    },
    get ended() {
      return ended;
    },
    send: (text) => void socket.write(masked(TEXT, Buffer.from(text))),
    sendBinary: (bytes) => void socket.write(masked(BINARY, Buffer.from(bytes))),
    sendBytes: (bytes) => void socket.write(bytes),
    pause: () => void socket.pause(),
    resume: () => void socket.resume(),
    destroy: () => void socket.destroy(),
    async hear(...parts) {
      const find = () => heard.find((text) => parts.some((part) => text.includes(part)));
      await until(() => ended || find() !== undefined, parts.join(' or '));
      const found = find();
      if (found === undefined) throw new Error(`it has ended without ${parts}; it heard ${heard.slice(-5)}`);
      return found;
    },
    end: () => until(() => ended, 'its end'),
  };
  return client;
}

interface Frame {
  readonly opcode: number;
  readonly payload: Buffer;
  /** Bytes of the whole frame. */
  readonly length: number;
}

/** The first frame in some bytes; null if it is incomplete. Servers do not mask. */
function frameIn(bytes: Buffer): Frame | null {
  if (bytes.length < 2) return null;
  const short = bytes.readUInt8(1) & 0x7f;
  const begin = short === 126 ? 4 : short === 127 ? 10 : 2;
  if (bytes.length < begin) return null;
  const size = short === 126 ? bytes.readUInt16BE(2) : short === 127 ? Number(bytes.readBigUInt64BE(2)) : short;
  if (bytes.length < begin + size) return null;
  return { opcode: bytes.readUInt8(0) & 0x0f, payload: bytes.subarray(begin, begin + size), length: begin + size };
}

/** A whole frame, with a mask of zeros. */
function masked(opcode: number, payload: Buffer): Buffer {
  const size = payload.length;
  const head = size < 126 ? Buffer.alloc(2) : size < 65_536 ? Buffer.alloc(4) : Buffer.alloc(10);
  head.writeUInt8(0x80 | opcode, 0);
  head.writeUInt8(0x80 | (size < 126 ? size : size < 65_536 ? 126 : 127), 1);
  if (head.length === 4) head.writeUInt16BE(size, 2);
  if (head.length === 10) head.writeBigUInt64BE(BigInt(size), 2);
  return Buffer.concat([head, Buffer.alloc(4), payload]);
}
