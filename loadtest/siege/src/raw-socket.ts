// Engine.IO and Socket.IO by hand, over a bare WebSocket, so that it can be spoken wrongly.
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import WebSocket from 'ws';

const OPEN_LIMIT_MS = 10_000;
const ANSWER_LIMIT_MS = 15_000;
/** Packets that wait to be looked at; older ones are thrown away. */
const KEPT_PACKETS = 200;

export interface RawSocket {
  readonly isOpen: boolean;
  /** Sends one Engine.IO packet as it is; bytes as a binary message. */
  send(packet: string | Uint8Array): void;
  /** The first packet that begins so and has not been taken yet; null where none comes in time. */
  take(beginning: string, limitMs?: number): Promise<string | null>;
  /** Calls the listener with each packet. */
  onPacket(listener: (packet: string) => void): void;
  /** Stops reading: what the server sends piles up on its side. */
  pause(): void;
  close(): void;
}

/** Opens a WebSocket at the sockets' path and says nothing yet. Null where it is refused. */
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
    // A ping is answered, or the server takes the socket for dead.
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

/** Opens one and connects to the main namespace with a token. Null where either is refused. */
export async function connectRaw(url: string, from: string, token: string): Promise<RawSocket | null> {
  const socket = await openRaw(url, from);
  if (socket === null) return null;
  socket.send(`40${JSON.stringify({ api_token: token })}`);
  if ((await socket.take('40')) !== null) return socket;
  socket.close();
  return null;
}
