// Follows the lease bucket, sends this worker's heartbeat, and decides whether the view is current.
import { randomUUID } from 'node:crypto';
import type { Bus, BusLog } from '../nats/connect.ts';
import { type LeaseChange, type LeaseStore, openLeaseStore } from './lease-store.ts';
import type { Heartbeat, LeaseView } from './lease-view.ts';

const FIRST_RETRY_MS = 50;
const LONGEST_RETRY_MS = 2_000;

/** All times are in milliseconds. */
export interface LeaseTimings {
  /** Interval between two heartbeats of a worker. */
  heartbeatMs: number;
  /** A worker is dead if its heartbeat did not change for this long. */
  deadAfterMs: number;
  /** Interval between two full checks, besides those that bucket changes cause. */
  tickMs: number;
  /**
   * The worker's own heartbeat must return through the watch within this time; otherwise the watch
   * is reopened. Less than `deadAfterMs`.
   */
  echoLimitMs: number;
  /** How long a hand-over waits for the drain before it clears the lease; the drain continues. */
  drainLimitMs: number;
  /** How long the heartbeat of a dead worker is stored. */
  forgetAfterMs: number;
}

interface FollowerOptions {
  workerId: string;
  replicas: number;
  timings: LeaseTimings;
  view: LeaseView;
  log: BusLog;
  /** Called after each bucket change and each tick. */
  changed(): void;
}

export interface Follower {
  /**
   * The store while the view is complete and current; otherwise null, and no decision may be made.
   */
  trusted(): LeaseStore | null;
  /**
   * Time by performance.now() until which no other worker can consider this one dead. The newest
   * returned heartbeat reached the others no earlier than it was sent.
   */
  aliveUntilMs(): number;
  /** Whether the bucket outlives a watch: the next watch sees the same bucket. */
  lasting(): boolean;
  /**
   * Whether the current watch has delivered a heartbeat of this process, and so every earlier
   * write.
   */
  isEchoed(): boolean;
  /** Number of the current watch. A write begun under an earlier watch must not change the view. */
  session(): number;
  /** Announces that this worker wants no more partitions. */
  announceLeaving(): Promise<void>;
  /** Deletes the heartbeat and closes the watch. */
  stop(): Promise<void>;
}

/**
 * Starts to follow the bucket.
 *
 * The view is current once a heartbeat written during the present watch returns through it: every
 * earlier write has then arrived.
 *
 * A new watch begins when the connection breaks, the heartbeat does not return, or the process was
 * paused. Every worker then gets its full time to live, so that a silence on this side never counts
 * as another worker's death.
 *
 * The function is long because all its parts share one small private state.
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
  /**
   * Send times of heartbeats not returned yet, by count; and the send time of the newest returned
   * one.
   */
  const sentAtMs = new Map<number, number>();
  let confirmedAtMs = Number.NEGATIVE_INFINITY;
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
    log.info({ reason }, 'the watch of the leases is reopened');
    synced = false;
    closeWatch();
    closeWatch = null;
  }

  function handleEcho(heartbeat: Heartbeat | null): void {
    if (heartbeat?.instance === instance) {
      echoed = true;
      recordEcho(heartbeat.count);
      if (heartbeat.session !== session) return;
      synced = true;
      echoAtMs = performance.now();
    } else if (synced && heartbeat === null) {
      // An earlier process with the same id deleted the heartbeat after this process started.
      void beat();
    } else if (synced) {
      log.error({ workerId }, 'another process has the same worker id');
    }
  }

  function recordEcho(last: number): void {
    confirmedAtMs = Math.max(confirmedAtMs, sentAtMs.get(last) ?? confirmedAtMs);
    for (const sent of sentAtMs.keys()) if (sent <= last) sentAtMs.delete(sent);
  }

  function handleChange(change: LeaseChange): void {
    if (change.kind === 'lease') view.recordLease(change.partition, change);
    else {
      view.recordHeartbeat(change.worker, change.heartbeat, change.revision, performance.now());
      if (change.worker === workerId) handleEcho(change.heartbeat);
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
    for await (const change of watch.changes) {
      // After a renewal the iterator may still hold changes for the discarded view.
      if (closeWatch !== watch.close) break;
      handleChange(change);
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
          log.warn({ error }, 'the leases could not be watched');
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
    else if (nowMs - echoAtMs > timings.echoLimitMs) renew('the own heartbeat does not return');
    tickAtMs = nowMs;
    if (synced) removeDeadWorkers(nowMs);
    options.changed();
  }

  function removeDeadWorkers(nowMs: number): void {
    for (const worker of view.removableWorkers(timings.forgetAfterMs, nowMs)) {
      view.forget(worker);
      store?.forget(worker).catch((error) => log.warn({ error, worker }, 'a dead worker could not be removed'));
    }
  }

  const unlisten = bus.onConnection((connected) => {
    if (connected) return wake();
    // The bucket may be lost with the server, and with it the heartbeat that makes a starting
    // worker wait for this one.
    if (store?.lasting !== true) confirmedAtMs = Number.NEGATIVE_INFINITY;
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
    // A paused process has missed changes, so it checks the time of the last echo first.
    trusted: () => (synced && performance.now() - echoAtMs <= timings.echoLimitMs ? store : null),
    aliveUntilMs: () => confirmedAtMs + timings.deadAfterMs,
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
        await store
          ?.deleteHeartbeat(workerId, revision)
          .catch((error) => log.warn({ error }, 'the heartbeat could not be deleted'));
      }
      closeWatch?.();
      closeWatch = null;
      wake();
      await running;
    },
  };
}
