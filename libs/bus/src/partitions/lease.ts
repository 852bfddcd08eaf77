// Keeps every partition with one live worker, by leases in NATS. The database's locks make a command safe; but nothing there tells that another
// worker refused a command meanwhile. So a worker that others may take for dead, as after a pause, does nothing that it took before (GEN8).
import { setTimeout as sleep } from 'node:timers/promises';
import { PARTITIONS } from '@taskgraph/wire/ids';
import type { Bus, BusLog } from '../nats/connect.ts';
import { followLeases, type LeaseTimings } from './lease-follower.ts';
import type { LeaseStore } from './lease-store.ts';
import { type Action, createLeaseView } from './lease-view.ts';

/** Claims that are under way at once: 64 partitions take a few round trips. */
const CLAIMS_AT_ONCE = 16;

/** For a commit that is on its way when another worker takes a partition over. */
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
  /** Should stay the same over restarts: a restarted worker then has its partitions again at once. */
  workerId: string;
  log: BusLog;
  /**
   * Starts to serve a partition. A rejection is logged, and tried again at the next tick. `take` is called for each command that comes.
   */
  acquire(partition: number, take: () => LeaseCheck): Promise<void>;
  /** Stops serving, and resolves when what was taken is answered. */
  release(partition: number): Promise<void>;
  /** Another worker has the partition already: stop at once. `release` if not given. */
  lost?(partition: number): Promise<void>;
  /** Copies of the bucket in a NATS cluster: 1, 3 or 5. */
  replicas?: number;
  timings?: Partial<LeaseTimings>;
}

/**
 * Tells whether a command that was taken may still be done: no longer once another worker had its partition, even if that is over, nor while
 * another may have it.
 */
export type LeaseCheck = () => boolean;

export interface Leases {
  /** The partitions that are served now, ascending. */
  held(): number[];
  /** Tells the others, drains, gives everything back, and says goodbye. Works, if slower for the others, during an outage too. */
  stop(): Promise<void>;
}

/**
 * Takes part in the sharing of partitions among all live workers. For one partition, `acquire`, `release` and `lost` are never called
 * at the same time. A partition is handed over by: stop taking, drain, clear the lease, and the next worker, who watches, takes it.
 *
 * The function is long because all its parts work on one small state, which nothing else may touch.
 */
export function createLeases(bus: Bus, options: LeaseOptions): Leases {
  const { workerId, log } = options;
  const timings = { ...DEFAULT_TIMINGS, ...options.timings };
  const view = createLeaseView(workerId, timings.deadAfterMs);
  const held = new Set<number>();
  /** Of each partition the term in which it is served. Wherever another may have had it meanwhile, there is a new one. */
  const terms = new Map<number, object>();
  const busy = new Map<number, Promise<void>>();
  let claims = 0;
  let stopping = false;
  let lookScheduled = false;

  // Many news come at once when a worker comes or goes; one look at the end of the turn serves them all.
  const lookSoon = () => {
    if (lookScheduled || stopping) return;
    lookScheduled = true;
    setImmediate(look);
  };
  const follower = followLeases(bus, {
    workerId,
    replicas: options.replicas ?? 1,
    timings,
    view,
    log,
    changed: lookSoon,
  });

  function look(): void {
    lookScheduled = false;
    const store = follower.trusted();
    if (store === null || stopping) return;
    for (const [partition, action] of view.decide(PARTITIONS, held, performance.now()).entries()) {
      if (action === null || busy.has(partition)) continue;
      const writes = action !== 'hand_over' && action !== 'lose';
      if (writes && claims >= CLAIMS_AT_ONCE) continue;
      if (writes) claims++;
      const work = act(store, partition, action).then((done) => {
        busy.delete(partition);
        if (writes) claims--;
        // A failure waits for the next tick: trying again at once would turn a failure into a storm.
        if (done) lookSoon();
      });
      busy.set(partition, work);
    }
  }

  async function act(store: LeaseStore, partition: number, action: Action): Promise<boolean> {
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
      performance.now() < follower.vouchedUntilMs() - MARGIN_MS;
  }

  /**
   * The lease of a partition that is served is nobody's. A watch tells the last of what happened before it began, and news come several at once:
   * another worker may have had the partition meanwhile, refused what came here too, and given it back.
   */
  function renew(store: LeaseStore, partition: number): Promise<boolean> {
    terms.set(partition, {});
    return write(store, partition, workerId);
  }

  async function lose(partition: number): Promise<void> {
    log.warn({ partition }, 'another worker has a partition that was held here');
    held.delete(partition);
    terms.delete(partition);
    await (options.lost ?? options.release)(partition);
  }

  /**
   * A watch that begins knows no lease at first. A bucket that does not last may be new with it: then the lease has to be written anew before it
   * counts, and another may be first. One that lasts still has it, until the watch has come to what we wrote ourselves.
   */
  const isLeased = (partition: number) => {
    const { worker, revision } = view.lease(partition);
    return worker === workerId || (revision === 0 && follower.lasting() && !follower.isEchoed());
  };

  /** Drains a partition and clears its lease. It ends when the drain ends, so that nothing is acquired before. */
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

  /** Writes a lease by compare-and-set. False: another was first, and the watch will tell. */
  async function write(store: LeaseStore, partition: number, worker: string | null): Promise<boolean> {
    const session = follower.session();
    const revision = await store.writeLease(partition, worker, view.lease(partition).revision);
    if (revision === null) return false;
    if (session === follower.session()) view.sawLease(partition, { worker, revision });
    return true;
  }

  return {
    held: () => [...held].sort((one, other) => one - other),
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
