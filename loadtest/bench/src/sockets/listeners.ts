// A process of many sockets that listen: it opens them, counts what they hear, and notes how long it took to come.
import { percentile } from '../measure/figures.ts';
import { nowUs, readMark } from './marks.ts';
import { openRawSocket, type RawSocket } from './raw-socket.ts';

/** Where sockets are opened, and as whom: address and auth payload of each are taken in turn. */
export interface Audience {
  readonly urls: readonly string[];
  readonly path: string;
  readonly auths: readonly object[];
  readonly count: number;
}

export interface Heard {
  /** Updates received, added up over all sockets. */
  readonly deliveries: number;
  /** Milliseconds from the request of an update to its receipt. */
  readonly p50: number;
  readonly p99: number;
  /** By the mark of each update: when the last socket got it, in microseconds of the machine's clock, and how many did. */
  readonly updates: ReadonlyMap<number, { readonly lastUs: number; readonly count: number }>;
  /** Bytes of the last one. */
  readonly bytes: number;
}

export interface ListenerActs {
  /** Opens so many more; gives the milliseconds until all were greeted. */
  open(audience: Audience): Promise<number>;
  close(input: null): Promise<void>;
  /** Everything that came since this was asked before. */
  heard(input: null): Promise<Heard>;
}

/** Connections that are under way at once. */
const OPENING = 100;
/** Waits that are kept for the percentiles; later ones are only counted. */
const MOST_WAITS = 2_000_000;

export async function openListeners(): Promise<ListenerActs> {
  const sockets: RawSocket[] = [];
  let log = newLog();
  const onEvent = (packet: Buffer) => {
    const mark = readMark(packet);
    if (mark !== null) log.note(mark, packet.length);
  };
  return {
    async open({ urls, path, auths, count }) {
      const startedAt = performance.now();
      let next = 0;
      const opener = async () => {
        for (let at = next++; at < count; at = next++) {
          const [url, auth] = [urls[at % urls.length] as string, auths[at % auths.length] as object];
          sockets.push(await openRawSocket({ url, path, auth, onEvent }));
        }
      };
      await Promise.all(Array.from({ length: Math.min(OPENING, count) }, opener));
      return performance.now() - startedAt;
    },
    async close() {
      for (const socket of sockets) socket.close();
      await Promise.all(sockets.splice(0).map(({ ended }) => ended));
    },
    async heard() {
      const heard = log.read();
      log = newLog();
      return heard;
    },
  };
}

function newLog() {
  const waits: number[] = [];
  const updates = new Map<number, { lastUs: number; count: number }>();
  let [deliveries, bytes] = [0, 0];
  return {
    note(mark: number, length: number) {
      const us = nowUs();
      deliveries++;
      bytes = length;
      if (waits.length < MOST_WAITS) waits.push((us - mark) / 1_000);
      const update = updates.get(mark);
      if (update === undefined) updates.set(mark, { lastUs: us, count: 1 });
      else {
        update.lastUs = us;
        update.count++;
      }
    },
    read: (): Heard => ({ deliveries, bytes, updates, p50: percentile(waits, 0.5), p99: percentile(waits, 0.99) }),
  };
}
