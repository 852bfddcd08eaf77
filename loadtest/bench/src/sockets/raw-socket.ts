// A minimal Socket.IO client: it authenticates, calls with acks, and passes on received events.
import { openRawConnection } from './raw-connection.ts';

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

interface PendingCall {
  resolve(text: string): void;
  reject(error: Error): void;
}

const OPEN_LIMIT_MS = 60_000;
const [CONNECT_ERROR, EVENT, ACK] = ['44', '42', '43'].map((text) => Buffer.from(text)) as [Buffer, Buffer, Buffer];
const HELLO = '42["connected"';

/** Resolves when the server has sent the event `connected`, after which no event is missed. */
export async function openRawSocket({ url, path, auth, onEvent }: RawSocketOptions): Promise<RawSocket> {
  const acks = new Map<number, PendingCall>();
  let calls = 0;
  let onGreeting: (result: string | Error) => void = () => undefined;
  const onPacket = (packet: Buffer) => {
    if (startsWith(packet, EVENT)) {
      if (packet.subarray(0, HELLO.length).toString() === HELLO) onGreeting(packet.toString());
      return onEvent(packet);
    }
    if (startsWith(packet, ACK)) return answer(acks, packet.toString());
    if (startsWith(packet, CONNECT_ERROR)) onGreeting(new Error(packet.toString()));
  };
  const connection = await openRawConnection({ url, path, openLimitMs: OPEN_LIMIT_MS, onPacket });
  if (connection === null) throw new Error('the server refused the connection');
  const ended = connection.ended.then(() => {
    for (const { reject } of acks.values()) reject(new Error('the connection ended'));
    acks.clear();
  });
  const greeted = new Promise<string>((resolve, reject) => {
    const timer = setTimeout(() => onGreeting(new Error('the server did not greet in time')), OPEN_LIMIT_MS);
    onGreeting = (result) => {
      clearTimeout(timer);
      if (typeof result === 'string') resolve(result);
      else reject(result);
    };
    void ended.then(() => onGreeting(new Error('the connection ended before the greeting')));
  });
  connection.send(`40${JSON.stringify(auth)}`);
  const greeting = await greeted.catch((error: unknown) => {
    connection.close();
    throw error;
  });
  return {
    greeting,
    ended,
    call(event, payload) {
      const number = calls++;
      return new Promise((resolve, reject) => {
        if (!connection.isOpen) return reject(new Error('the connection ended'));
        acks.set(number, { resolve, reject });
        connection.send(`42${number}${JSON.stringify([event, payload])}`);
      });
    },
    close: () => connection.close(),
  };
}

function startsWith(packet: Buffer, beginning: Buffer): boolean {
  return packet.length >= 2 && packet[0] === beginning[0] && packet[1] === beginning[1];
}

function answer(acks: Map<number, PendingCall>, packet: string): void {
  const start = packet.indexOf('[');
  const number = Number(packet.slice(2, start));
  const call = acks.get(number);
  acks.delete(number);
  call?.resolve(packet.slice(start));
}
