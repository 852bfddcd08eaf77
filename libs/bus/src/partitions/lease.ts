// Assigns every partition to one live worker by leases in NATS. Database locks make commands safe,
// but they don't record that another worker rejected a command. So a worker that others may
// consider dead, as after a pause, drops every command that it accepted before (GEN8).
import { setTimeout as sleep } from 'node:timers/promises';
import { type LeaseTable, MAXIMUM_SERVICES, SERVICE_NAME_LENGTH } from '@taskgraph/wire/bus/status-messages';
import { PARTITIONS } from '@taskgraph/wire/ids';
import type { Bus, BusLog } from '../nats/connect.ts';
import { followLeases, type LeaseTimings } from './lease-follower.ts';
import type { LeaseStore } from './lease-store.ts';
import { type Action, createLeaseView, type LeaseView } from './lease-view.ts';

/** Concurrent lease writes: 64 partitions take a few round trips. */
const CLAIMS_AT_ONCE = 16;

/** Time for a commit under way when another worker takes over the partition. */
const MARGIN_MS = 100;

const DEFAULT_TIMINGS: LeaseTimings = {
  heartbeatMs: 1_000,
  deadAfterMs: 5_000,
  tickMs: 500,
  echoLimitMs: 3_000,
  drainLimitMs: 5_000,
  forgetAfterMs: 60_000,
};

interface LeaseOptions {
  /** Should be the same after a restart: the worker then has its partitions again at once. */
  workerId: string;
  log: BusLog;
  /**
   * Starts to serve a partition. A rejection is logged and retried at the next tick. Call `take`
   * for each command received.
   */
  acquire(partition: number, take: () => LeaseCheck): Promise<void>;
  /** Stops serving. Resolves when all accepted commands are answered. */
  release(partition: number): Promise<void>;
  /** Another worker has the partition: stop at once. Defaults to `release`. */
  lost?(partition: number): Promise<void>;
  /** Replicas of the bucket in a NATS cluster: 1, 3 or 5. */
  replicas?: number;
  timings?: Partial<LeaseTimings>;
}

/**
 * Whether an accepted command may still be executed. False once another worker has had its
 * partition, even if briefly, and while another may have it.
 */
export type LeaseCheck = () => boolean;

export interface Leases {
  /** The partitions being served, in ascending order. */
  held(): number[];
  /** The lease table; null while the view is not current. */
  table(): LeaseTable | null;
  /**
   * Announces the departure, drains, clears the leases and deletes the heartbeat. It also works
   * during an outage, but the others take over later.
   */
  stop(): Promise<void>;
}

/**
 * Shares the partitions among all live workers. For one partition, `acquire`, `release` and `lost`
 * never overlap.
 *
 * A hand-over: stop accepting, drain, clear the lease; the next worker sees that in its watch and
 * claims it.
 *
 * The function is long because all its parts share one small private state.
 */
export function createLeases(bus: Bus, options: LeaseOptions): Leases {
  const { workerId, log } = options;
  const timings = { ...DEFAULT_TIMINGS, ...options.timings };
  const view = createLeaseView(workerId, timings.deadAfterMs);
  const held = new Set<number>();
  /**
   * The term in which each partition is served. A new term begins whenever another worker may have
   * had the partition.
   */
  const terms = new Map<number, object>();
  const busy = new Map<number, Promise<void>>();
  let claims = 0;
  let stopping = false;
  let checkScheduled = false;

  // A joining or leaving worker causes many changes at once; one check at the end of the turn
  // handles all.
  const scheduleCheck = () => {
    if (checkScheduled || stopping) return;
    checkScheduled = true;
    setImmediate(checkPartitions);
  };
  const follower = followLeases(bus, {
    workerId,
    replicas: options.replicas ?? 1,
    timings,
    view,
    log,
    changed: scheduleCheck,
  });

  function checkPartitions(): void {
    checkScheduled = false;
    const store = follower.trusted();
    if (store === null || stopping) return;
    for (const [partition, action] of view.decide(PARTITIONS, held, performance.now()).entries()) {
      if (action === null || busy.has(partition)) continue;
      const writes = action !== 'hand_over' && action !== 'lose';
      if (writes && claims >= CLAIMS_AT_ONCE) continue;
      if (writes) claims++;
      const work = execute(store, partition, action).then((done) => {
        busy.delete(partition);
        if (writes) claims--;
        // After a failure wait for the next tick: an immediate retry would multiply the load.
        if (done) scheduleCheck();
      });
      busy.set(partition, work);
    }
  }

  async function execute(store: LeaseStore, partition: number, action: Action): Promise<boolean> {
    try {
      if (action === 'lose') await lose(partition);
      else if (action === 'hand_over') await handOver(store, partition);
      else if (action === 'clear') return await write(store, partition, null);
      else if (action === 'renew') return await renew(store, partition);
      else if (action === 'adopt' || (await write(store, partition, workerId))) await serve(partition);
      else return false;
      return true;
    } catch (error) {
      log.error({ error, partition, action }, 'a lease could not be changed');
      return false;
    }
  }

  async function serve(partition: number): Promise<void> {
    terms.set(partition, {});
    await options.acquire(partition, () => take(partition));
    held.add(partition);
  }

  function take(partition: number): LeaseCheck {
    const term = terms.get(partition);
    return () =>
      term !== undefined &&
      terms.get(partition) === term &&
      isLeased(partition) &&
      performance.now() < follower.aliveUntilMs() - MARGIN_MS;
  }

  /**
   * Claims the lease of a partition that is served but has no lease. The watch delivers only the
   * latest state from before it began, and changes arrive several at once. Another worker may have
   * had the partition in between, rejected the same commands and handed it back; so a new term
   * begins.
   */
  function renew(store: LeaseStore, partition: number): Promise<boolean> {
    terms.set(partition, {});
    return write(store, partition, workerId);
  }

  async function lose(partition: number): Promise<void> {
    log.warn({ partition }, 'another worker took over a partition of this worker');
    held.delete(partition);
    terms.delete(partition);
    await (options.lost ?? options.release)(partition);
  }

  /**
   * A new watch knows no leases at first. A bucket that is not lasting may have been recreated, so
   * the lease must be written again before it counts. A lasting bucket still has the lease until
   * the watch has delivered this worker's own writes.
   */
  const isLeased = (partition: number) => {
    const { worker, revision } = view.lease(partition);
    return worker === workerId || (revision === 0 && follower.lasting() && !follower.isEchoed());
  };

  /**
   * Drains a partition and clears its lease. Resolves after the drain, so that nothing is acquired
   * earlier.
   */
  async function handOver(store: LeaseStore | null, partition: number): Promise<void> {
    held.delete(partition);
    const drained = options.release(partition).catch((error) => log.error({ error, partition }, 'a drain failed'));
    const limit = new AbortController();
    const bound = sleep(timings.drainLimitMs, undefined, { signal: limit.signal }).catch(() => undefined);
    await Promise.race([drained, bound]);
    limit.abort();
    terms.delete(partition);
    try {
      if (store !== null && view.lease(partition).worker === workerId) await write(store, partition, null);
    } finally {
      await drained;
    }
  }

  /**
   * Writes a lease by compare-and-set. Returns false if another worker was first; the watch will
   * deliver that.
   */
  async function write(store: LeaseStore, partition: number, worker: string | null): Promise<boolean> {
    const session = follower.session();
    const revision = await store.writeLease(partition, worker, view.lease(partition).revision);
    if (revision === null) return false;
    if (session === follower.session()) view.recordLease(partition, { worker, revision });
    return true;
  }

  return {
    held: () => [...held].sort((one, other) => one - other),
    table: () => (follower.trusted() === null ? null : tableOf(view)),
    async stop() {
      stopping = true;
      await follower.announceLeaving();
      await Promise.all(busy.values());
      const store = follower.trusted();
      const handOvers = [...held].map((partition) =>
        handOver(store, partition).catch((error) => log.warn({ error, partition }, 'a lease could not be cleared')),
      );
      await Promise.all(handOvers);
      await follower.stop();
    },
  };
}

/** Names are cut to the length of reports. */
function tableOf(view: LeaseView): LeaseTable {
  const shortOf = (name: string) => name.slice(0, SERVICE_NAME_LENGTH);
  const workerOf = (_: unknown, partition: number) => view.lease(partition).worker;
  const workers = view.workers(performance.now()).slice(0, MAXIMUM_SERVICES);
  return {
    partitions: Array.from({ length: PARTITIONS }, workerOf).map((name) => (name === null ? null : shortOf(name))),
    workers: workers.map((worker) => ({ ...worker, name: shortOf(worker.name) })),
  };
}
