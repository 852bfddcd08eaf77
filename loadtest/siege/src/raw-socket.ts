// Engine.IO and Socket.IO without a client library, so that attacks can violate the protocols.
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import WebSocket from 'ws';

const OPEN_LIMIT_MS = 10_000;
const ANSWER_LIMIT_MS = 15_000;
/** Unread packets that are kept; older ones are discarded. */
const KEPT_PACKETS = 200;

export interface RawSocket {
  readonly isOpen: boolean;
  /** Sends one Engine.IO packet unchanged; bytes as a binary message. */
  send(packet: string | Uint8Array): void;
  /** Removes and returns the first packet with this prefix; null after the time limit. */
  take(beginning: string, limitMs?: number): Promise<string | null>;
  /** Calls the listener with each packet. */
  onPacket(listener: (packet: string) => void): void;
  /** Stops reading, so that the server's buffers fill. */
  pause(): void;
  close(): void;
}

/** Opens a WebSocket without authentication. Null if it is refused. */
export async function openRaw(url: string, from: string): Promise<RawSocket | null> {
  const address = `${url.replace('http', 'ws')}/ext-socket.io/?EIO=4&transport=websocket`;
  const socket = new WebSocket(address, {
    localAddress: from,
    perMessageDeflate: false,
    handshakeTimeout: OPEN_LIMIT_MS,
  });
  const packets: string[] = [];
  const listeners = new Set<(packet: string) => void>();
  socket.on('error', () => undefined);
  socket.on('message', (data) => {
    const packet = String(data);
    // Without an answer to its ping the server would close the socket.
    if (packet === '2') return socket.send('3');
    packets.push(packet);
    if (packets.length > KEPT_PACKETS) packets.shift();
    for (const listener of listeners) listener(packet);
  });
  await Promise.race([once(socket, 'open'), once(socket, 'close')]).catch(() => undefined);
  if (socket.readyState !== WebSocket.OPEN) return null;
  return {
    get isOpen() {
      return socket.readyState === WebSocket.OPEN;
    },
    send(packet) {
      if (socket.readyState === WebSocket.OPEN) socket.send(packet);
    },
    async take(beginning, limitMs = ANSWER_LIMIT_MS) {
      const deadline = Date.now() + limitMs;
      while (Date.now() < deadline) {
        const at = packets.findIndex((packet) => packet.startsWith(beginning));
        if (at >= 0) return packets.splice(at, 1)[0] as string;
        if (socket.readyState !== WebSocket.OPEN) return null;
        await sleep(20);
      }
      return null;
    },
    onPacket: (listener) => void listeners.add(listener),
    pause: () => socket.pause(),
    close: () => socket.terminate(),
  };
}

/** Opens a socket and connects to the main namespace with a token. Null if either is refused. */
export async function connectRaw(url: string, from: string, token: string): Promise<RawSocket | null> {
  const socket = await openRaw(url, from);
  if (socket === null) return null;
  socket.send(`40${JSON.stringify({ api_token: token })}`);
  if ((await socket.take('40')) !== null) return socket;
  socket.close();
  return null;
}
