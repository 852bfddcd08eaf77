// Keeps a worker's view of the lease bucket fresh, and its heartbeat beating; says when the view may be trusted.
import { randomUUID } from 'node:crypto';
import type { Bus, BusLog } from '../nats/connect.ts';
import { type LeaseNews, type LeaseStore, openLeaseStore } from './lease-store.ts';
import type { Heartbeat, LeaseView } from './lease-view.ts';

const FIRST_RETRY_MS = 50;
const LONGEST_RETRY_MS = 2_000;

/** All in milliseconds. */
export interface LeaseTimings {
  /** Between two heartbeats of a worker. */
  heartbeatMs: number;
  /** A worker whose heartbeat did not change for so long is dead. */
  deadAfterMs: number;
  /** Between two looks at everything, besides those that news cause. */
  tickMs: number;
  /** Our own heartbeat must come back through the watch within this time, else the watch is renewed. Less than `deadAfterMs`. */
  echoLimitMs: number;
  /** How long a hand-over waits for the drain: past it the lease is cleared, and the drain goes on. */
  drainLimitMs: number;
  /** How long the heartbeat of a dead worker is kept. */
  forgetAfterMs: number;
}

interface FollowerOptions {
  workerId: string;
  replicas: number;
  timings: LeaseTimings;
  view: LeaseView;
  log: BusLog;
  /** Called at each news and each tick. */
  changed(): void;
}

export interface Follower {
  /** The store while the view is whole and fresh; null while nothing may be decided. */
  trusted(): LeaseStore | null;
  /**
   * Until when no other worker can take this one for dead, by performance.now(): the newest heartbeat that came back was seen by others no sooner
   * than it was sent.
   */
  vouchedUntilMs(): number;
  /** Whether the bucket of the next watch is the one of this. */
  lasting(): boolean;
  /** Whether the present watch has brought a heartbeat of this process, and so all that was written before that. */
  isEchoed(): boolean;
  /** Counts the watches: what began in an earlier one must not be noted in the view. */
  session(): number;
  /** Tells the others that this worker wants nothing more. */
  announceLeaving(): Promise<void>;
  /** Deletes the heartbeat, and ends the watch. */
  stop(): Promise<void>;
}

/**
 * Starts to follow the bucket. The view is trusted from the moment when a heartbeat that was written in the present watch comes back through it:
 * all that was written before has then come too. Whenever the connection breaks, the echo stays out, or the process was
 * paused, a new watch begins, in which every worker has its full time, so that a silence on our side is never taken for the death of others.
 *
 * The function is long because all its parts work on one small state, which nothing else may touch.
 */
export function followLeases(bus: Bus, options: FollowerOptions): Follower {
  const { workerId, timings, view, log } = options;
  const instance = randomUUID();
  let store: LeaseStore | null = null;
  let session = 0;
  let count = 0;
  let revision = 0;
  let leaving = false;
  let synced = false;
  let echoed = false;
  let stopped = false;
  let beating = false;
  let echoAtMs = 0;
  /** When the heartbeats that did not come back yet were sent, by their count; and the newest that did. */
  const sentAtMs = new Map<number, number>();
  let seenAliveAtMs = Number.NEGATIVE_INFINITY;
  let tickAtMs = performance.now();
  let closeWatch: (() => void) | null = null;
  let wake = () => {};

  async function beat(): Promise<void> {
    if (store === null || stopped || !bus.connected()) return;
    try {
      sentAtMs.set(count, performance.now());
      revision = await store.writeHeartbeat(workerId, { instance, session, count: count++, leaving });
    } catch (error) {
      log.warn({ error }, 'a heartbeat could not be written');
    }
  }

  function renew(reason: string): void {
    if (closeWatch === null) return;
    log.info({ reason }, 'the watch of the leases is renewed');
    synced = false;
    closeWatch();
    closeWatch = null;
  }

  function takeEcho(heartbeat: Heartbeat | null): void {
    if (heartbeat?.instance === instance) {
      echoed = true;
      noteEcho(heartbeat.count);
      if (heartbeat.session !== session) return;
      synced = true;
      echoAtMs = performance.now();
    } else if (synced && heartbeat === null) {
      // An earlier process with our id said goodbye after we had started.
      void beat();
    } else if (synced) {
      log.error({ workerId }, 'another process has the same worker id');
    }
  }

  function noteEcho(last: number): void {
    seenAliveAtMs = Math.max(seenAliveAtMs, sentAtMs.get(last) ?? seenAliveAtMs);
    for (const sent of sentAtMs.keys()) if (sent <= last) sentAtMs.delete(sent);
  }

  function take(news: LeaseNews): void {
    if (news.kind === 'lease') view.sawLease(news.partition, news);
    else {
      view.sawHeartbeat(news.worker, news.heartbeat, news.revision, performance.now());
      if (news.worker === workerId) takeEcho(news.heartbeat);
    }
    options.changed();
  }

  async function followOnce(): Promise<void> {
    store = await openLeaseStore(bus, options.replicas);
    const watch = await store.watch();
    if (stopped) return watch.close();
    session++;
    echoed = false;
    echoAtMs = performance.now();
    view.reset(echoAtMs);
    closeWatch = watch.close;
    void beat();
    for await (const news of watch.news) {
      // After a renewal the iterator may still hold news; they belong to the view that was thrown away.
      if (closeWatch !== watch.close) break;
      take(news);
    }
  }

  async function run(): Promise<void> {
    let waitMs = FIRST_RETRY_MS;
    while (!stopped) {
      let worked = false;
      if (bus.connected()) {
        const before = session;
        try {
          await followOnce();
        } catch (error) {
          log.warn({ error }, 'the leases could not be followed');
        }
        worked = session > before;
      }
      synced = false;
      closeWatch = null;
      waitMs = worked ? FIRST_RETRY_MS : Math.min(waitMs * 2, LONGEST_RETRY_MS);
      if (!stopped) await pause(waitMs);
    }
  }

  function pause(durationMs: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, durationMs);
      wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  function tick(): void {
    const nowMs = performance.now();
    if (nowMs - tickAtMs > timings.deadAfterMs) renew('this process was paused');
    else if (nowMs - echoAtMs > timings.echoLimitMs) renew('our own heartbeat does not come back');
    tickAtMs = nowMs;
    if (synced) forgetTheDead(nowMs);
    options.changed();
  }

  function forgetTheDead(nowMs: number): void {
    for (const worker of view.forgettable(timings.forgetAfterMs, nowMs)) {
      view.forget(worker);
      store?.forget(worker).catch((error) => log.warn({ error, worker }, 'a dead worker could not be removed'));
    }
  }

  const unlisten = bus.onConnection((connected) => {
    if (connected) return wake();
    // With the server the bucket may be gone, and with that what would make a worker that starts now wait for us.
    if (store?.lasting !== true) seenAliveAtMs = Number.NEGATIVE_INFINITY;
    renew('the connection broke');
  });
  const tickTimer = setInterval(tick, timings.tickMs);
  const beatTimer = setInterval(() => {
    if (beating) return;
    beating = true;
    void beat().finally(() => {
      beating = false;
    });
  }, timings.heartbeatMs);
  const running = run();

  return {
    // A process that was stopped has not heard what happened meanwhile, and looks before it does.
    trusted: () => (synced && performance.now() - echoAtMs <= timings.echoLimitMs ? store : null),
    vouchedUntilMs: () => seenAliveAtMs + timings.deadAfterMs,
    lasting: () => store?.lasting === true,
    isEchoed: () => echoed,
    session: () => session,
    announceLeaving() {
      leaving = true;
      return beat();
    },
    async stop() {
      stopped = true;
      unlisten();
      clearInterval(tickTimer);
      clearInterval(beatTimer);
      if (bus.connected()) {
        await store?.deleteHeartbeat(workerId, revision).catch((error) => log.warn({ error }, 'the goodbye failed'));
      }
      closeWatch?.();
      closeWatch = null;
      wake();
      await running;
    },
  };
}
