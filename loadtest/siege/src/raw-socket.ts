// Sockets of the attacks: each packet is sent unchanged, and received packets are kept for a while.
import { setTimeout as sleep } from 'node:timers/promises';
import { openRawConnection, type RawConnection } from '@taskgraph/bench/sockets/raw-connection';

const PATH = '/ext-socket.io';
const OPEN_LIMIT_MS = 10_000;
const ANSWER_LIMIT_MS = 15_000;
/** Unread packets that are kept; older ones are discarded. */
const KEPT_PACKETS = 200;

export interface RawSocket extends Pick<RawConnection, 'isOpen' | 'send' | 'pause' | 'close'> {
  /** Removes and returns the first packet with this prefix; null after the time limit. */
  take(beginning: string, limitMs?: number): Promise<string | null>;
  /** Calls the listener with each packet. */
  onPacket(listener: (packet: string) => void): void;
}

/** Opens a WebSocket without authentication. Null if it is refused. */
export async function openRaw(url: string, from: string): Promise<RawSocket | null> {
  const packets: string[] = [];
  const listeners = new Set<(packet: string) => void>();
  const connection = await openRawConnection({
    url,
    path: PATH,
    localAddress: from,
    openLimitMs: OPEN_LIMIT_MS,
    onPacket(bytes) {
      const packet = bytes.toString();
      packets.push(packet);
      if (packets.length > KEPT_PACKETS) packets.shift();
      for (const listener of listeners) listener(packet);
    },
  });
  if (connection === null) return null;
  return {
    get isOpen() {
      return connection.isOpen;
    },
    send: (packet) => connection.send(packet),
    async take(beginning, limitMs = ANSWER_LIMIT_MS) {
      const deadline = Date.now() + limitMs;
      while (Date.now() < deadline) {
        const at = packets.findIndex((packet) => packet.startsWith(beginning));
        if (at >= 0) return packets.splice(at, 1)[0] as string;
        if (!connection.isOpen) return null;
        await sleep(20);
      }
      return null;
    },
    onPacket: (listener) => void listeners.add(listener),
    pause: () => connection.pause(),
    close: () => connection.close(),
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
