// A minimal Socket.IO client: it authenticates, answers pings, calls with acks, and passes on
// received events.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { createFrameReader, frameOf } from './frames.ts';

export interface RawSocket {
  /**
   * Calls an event; returns the ack's text, such as `[{"diff":...}]`. Rejects if the connection
   * ends first.
   */
  call(event: string, payload: object): Promise<string>;
  /** The server's greeting, such as `42["connected",{...}]`. */
  readonly greeting: string;
  /** Resolves when the connection has ended. */
  readonly ended: Promise<void>;
  close(): void;
}

interface RawSocketOptions {
  /** Such as `http://127.0.0.1:8080`. */
  readonly url: string;
  readonly path: string;
  /** The auth payload of the connection. */
  readonly auth: object;
  /** Receives the payload of each event, such as `42["graph:diff",...]`, the greeting included. */
  readonly onEvent: (packet: Buffer) => void;
}

const OPEN_LIMIT_MS = 60_000;
const [CONNECT_ERROR, EVENT, ACK] = ['44', '42', '43'].map((text) => Buffer.from(text)) as [Buffer, Buffer, Buffer];
const HELLO = '42["connected"';
const PING = 0x32;

/** Resolves when the server has sent the event `connected`, after which no event is missed. */
export async function openRawSocket({ url, path, auth, onEvent }: RawSocketOptions): Promise<RawSocket> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port), noDelay: true });
  const acks = new Map<number, { resolve(text: string): void; reject(error: Error): void }>();
  let calls = 0;
  const ended = once(socket, 'close').then(() => {
    for (const { reject } of acks.values()) reject(new Error('the connection ended'));
    acks.clear();
  });
  socket.on('error', () => undefined);
  const opened = new Promise<string>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('the server did not greet in time')), OPEN_LIMIT_MS);
    const settle = (act: () => void) => {
      clearTimeout(timer);
      act();
    };
    void ended.then(() => settle(() => reject(new Error('the connection ended before the greeting'))));
    const take = createFrameReader((packet) => {
      if (packet.length === 1 && packet[0] === PING) return void socket.write(frameOf('3'));
      if (startsWith(packet, EVENT)) {
        if (packet.subarray(0, HELLO.length).toString() === HELLO) settle(() => resolve(packet.toString()));
        return onEvent(packet);
      }
      if (startsWith(packet, ACK)) return answer(acks, packet.toString());
      if (startsWith(packet, CONNECT_ERROR)) settle(() => reject(new Error(packet.toString())));
    });
    shakeHands(
      socket,
      `${path}/?EIO=4&transport=websocket`,
      () => socket.write(frameOf(`40${JSON.stringify(auth)}`)),
      take,
    );
  });
  const greeting = await opened.catch((error: unknown) => {
    socket.destroy();
    throw error;
  });
  return {
    greeting,
    ended,
    call(event, payload) {
      const number = calls++;
      const text = `42${number}${JSON.stringify([event, payload])}`;
      return new Promise((resolve, reject) => {
        if (socket.destroyed) return reject(new Error('the connection ended'));
        acks.set(number, { resolve, reject });
        socket.write(frameOf(text));
      });
    },
    close: () => socket.destroy(),
  };
}

/** Requests the upgrade, and passes on all bytes after its response. */
function shakeHands(socket: Socket, path: string, onUpgraded: () => void, take: (bytes: Buffer) => void): void {
  const lines = [
    `GET ${path} HTTP/1.1`,
    ...['Host: bench', 'Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13'],
    'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==',
  ];
  socket.write(`${lines.join('\r\n')}\r\n\r\n`);
  let head = Buffer.alloc(0);
  const onHead = (bytes: Buffer) => {
    head = Buffer.concat([head, bytes]);
    const end = head.indexOf('\r\n\r\n');
    if (end < 0) return;
    socket.off('data', onHead);
    if (!head.subarray(0, end).toString().startsWith('HTTP/1.1 101')) return void socket.destroy();
    socket.on('data', take);
    onUpgraded();
    if (head.length > end + 4) take(head.subarray(end + 4));
  };
  socket.on('data', onHead);
}

function startsWith(packet: Buffer, beginning: Buffer): boolean {
  return packet.length >= 2 && packet[0] === beginning[0] && packet[1] === beginning[1];
}

function answer(acks: Map<number, { resolve(text: string): void }>, packet: string): void {
  const start = packet.indexOf('[');
  const number = Number(packet.slice(2, start));
  const waiting = acks.get(number);
  acks.delete(number);
  waiting?.resolve(packet.slice(start));
}
