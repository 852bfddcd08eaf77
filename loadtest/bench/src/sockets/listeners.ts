// A process with many listening sockets. It opens them, counts the received updates, and measures
// their delay.
import { setTimeout as sleep } from 'node:timers/promises';
import { percentile } from '../measure/figures.ts';
import { nowUs, readMark } from './marks.ts';
import { openRawSocket, type RawSocket } from './raw-socket.ts';

/** The addresses and auth payloads of the sockets, used in turn. */
export interface ListenerTargets {
  readonly urls: readonly string[];
  readonly path: string;
  readonly auths: readonly object[];
  readonly count: number;
}

export interface ReceivedUpdates {
  /** Received updates, summed over all sockets. */
  readonly deliveries: number;
  /** Milliseconds from the request of an update to its receipt. */
  readonly p50: number;
  readonly p99: number;
  /**
   * By the mark of each update: its last receipt in microseconds of the machine's clock, and the
   * number of receipts.
   */
  readonly updates: ReadonlyMap<number, { readonly lastUs: number; readonly count: number }>;
  /** The size of the last update. */
  readonly bytes: number;
}

export interface ReconnectResult {
  /** Milliseconds from the first lost connection until the last socket has caught up. */
  readonly ms: number;
  /** The number of different feeds over all sockets. */
  readonly feeds: number;
  /** Sockets that had missed slices. */
  readonly behind: number;
}

export interface ListenerActs {
  /** Opens further sockets; returns the milliseconds until all were greeted. */
  open(listenerTargets: ListenerTargets): Promise<number>;
  close(input: null): Promise<void>;
  /**
   * Waits until all connections are lost, and reconnects each after the delay of a Socket.IO
   * client, until it has caught up.
   */
  reconnect(listenerTargets: ListenerTargets): Promise<ReconnectResult>;
  /** The updates since the last call. */
  received(input: null): Promise<ReceivedUpdates>;
}

/** Concurrent connection attempts. */
const OPENING = 100;
/** Socket.IO's clients wait about this long before they reconnect, plus or minus half. */
const BACK_MS = 1_000;
/** Times kept for the percentiles; later ones are only counted. */
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
      const first = sockets.length;
      await inTurns(count, async (at) => {
        sockets[first + at] = await openRawSocket({ ...socketTarget({ urls, path, auths }, at), onEvent });
      });
      return performance.now() - startedAt;
    },
    async close() {
      for (const socket of sockets) socket.close();
      await Promise.all(sockets.splice(0).map(({ ended }) => ended));
    },
    async reconnect({ urls, path, auths, count }) {
      const known = sockets.map(({ greeting }) => stateOf(greeting));
      await Promise.race(sockets.map(({ ended }) => ended));
      const startedAt = performance.now();
      await Promise.all(sockets.splice(0).map(({ ended }) => ended));
      const feeds = new Set<string>();
      let behind = 0;
      const reconnectOne = async (_: unknown, at: number) => {
        await sleep(BACK_MS * (0.5 + Math.random()));
        const socket = await openRawSocket({ ...socketTarget({ urls, path, auths }, at), onEvent });
        sockets[at] = socket;
        const [before, now] = [known[at], stateOf(socket.greeting)];
        for (const feed of Object.keys(now.feeds)) feeds.add(feed);
        if (before === undefined || Object.entries(now.feeds).every(([feed, seq]) => before.feeds[feed] === seq))
          return;
        behind++;
        await socket.call('changes:get', { since: before.position });
      };
      // All sockets reconnect concurrently.
      await Promise.all(Array.from({ length: count }, reconnectOne));
      return { ms: performance.now() - startedAt, feeds: feeds.size, behind };
    },
    async received() {
      const received = log.read();
      log = newLog();
      return received;
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
    read: (): ReceivedUpdates => ({
      deliveries,
      bytes,
      updates,
      p50: percentile(waits, 0.5),
      p99: percentile(waits, 0.99),
    }),
  };
}

/** Runs `act` for each number below the count, with bounded concurrency. */
async function inTurns(count: number, act: (at: number) => Promise<void>): Promise<void> {
  let next = 0;
  const worker = async () => {
    for (let at = next++; at < count; at = next++) await act(at);
  };
  await Promise.all(Array.from({ length: Math.min(OPENING, count) }, worker));
}

function socketTarget({ urls, path, auths }: Omit<ListenerTargets, 'count'>, at: number) {
  return { url: urls[at % urls.length] as string, path, auth: auths[at % auths.length] as object };
}

interface State {
  readonly feeds: Readonly<Record<string, number>>;
  readonly position: string;
}

/** The reader's position in its feeds, from the greeting. */
function stateOf(greeting: string): State {
  return (JSON.parse(greeting.slice(2)) as [string, State])[1];
}
