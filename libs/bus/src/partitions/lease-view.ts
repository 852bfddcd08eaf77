// The leases and heartbeats that a worker has seen, and its decisions. Pure: time and changes are
// arguments.
import { desiredOwner } from './assignment.ts';

/**
 * The heartbeat that a worker writes once a second. `session` counts its watches, so that it
 * recognizes its own echo in the current one.
 */
export interface Heartbeat {
  /** Random for each process; it distinguishes two processes with the same id by mistake. */
  instance: string;
  session: number;
  count: number;
  /**
   * True while the worker drains before it stops: it keeps its partitions until handed over and
   * wants no more.
   */
  leaving: boolean;
}

interface Lease {
  worker: string | null;
  revision: number;
}

interface HeartbeatRecord {
  revision: number;
  /** Local time of the last change of the heartbeat; clocks of other machines are not trusted. */
  atMs: number;
  leaving: boolean;
  gone: boolean;
}

/**
 * The action for a partition. `claim`: write this worker's name, then serve. `adopt`: serve, since
 * the key has this worker's name after a restart. `renew`: write the name again while serving.
 * `hand_over`: drain, then clear the key. `lose`: stop serving, another worker has it. `clear`: the
 * key has this worker's name, which neither serves nor wants it.
 */
export type Action = 'claim' | 'adopt' | 'renew' | 'hand_over' | 'lose' | 'clear';

export interface LeaseView {
  /**
   * Forgets all leases, since a new watch delivers them again, and gives every worker its full time
   * to live. NATS may have lost the bucket, and the first worker to return must not consider the
   * others dead.
   */
  reset(nowMs: number): void;
  recordLease(partition: number, lease: Lease): void;
  /** A null heartbeat means that the key was deleted and the worker left. */
  recordHeartbeat(worker: string, heartbeat: Heartbeat | null, revision: number, nowMs: number): void;
  /** The lease of a partition; revision 0 if there is no key. */
  lease(partition: number): Lease;
  /** The workers whose heartbeat was seen and not forgotten, in order of names. */
  workers(nowMs: number): { readonly name: string; readonly ageMs: number; readonly isLeaving: boolean }[];
  /** Decides for all partitions 0..count-1; null means no action. */
  decide(count: number, held: ReadonlySet<number>, nowMs: number): (Action | null)[];
  /** Workers unseen for so long that their keys may be deleted. */
  removableWorkers(olderThanMs: number, nowMs: number): string[];
  forget(worker: string): void;
}

/**
 * Creates an empty view of the worker `me`. A worker is live while its heartbeat changed within
 * `deadAfterMs`.
 */
export function createLeaseView(me: string, deadAfterMs: number): LeaseView {
  const leases = new Map<number, Lease>();
  const workers = new Map<string, HeartbeatRecord>();

  const isLive = (worker: string, nowMs: number) => {
    const seen = workers.get(worker);
    return seen !== undefined && !seen.gone && nowMs - seen.atMs < deadAfterMs;
  };
  const lease = (partition: number) => leases.get(partition) ?? { worker: null, revision: 0 };

  return {
    reset(nowMs) {
      leases.clear();
      for (const [worker, seen] of workers) {
        if (seen.gone) workers.delete(worker);
        else workers.set(worker, { ...seen, revision: 0, atMs: nowMs });
      }
    },
    recordLease(partition, change) {
      // This worker's writes enter the view when acknowledged, so an older change may still arrive.
      if (change.revision > lease(partition).revision) leases.set(partition, change);
    },
    recordHeartbeat(worker, heartbeat, revision, nowMs) {
      if (revision <= (workers.get(worker)?.revision ?? 0)) return;
      const leaving = heartbeat?.leaving ?? true;
      workers.set(worker, { revision, atMs: nowMs, leaving, gone: heartbeat === null });
    },
    lease,
    workers: (nowMs) =>
      [...workers]
        .map(([name, { atMs, leaving }]) => ({
          name,
          ageMs: Math.max(0, Math.round(nowMs - atMs)),
          isLeaving: leaving,
        }))
        .sort((one, other) => (one.name < other.name ? -1 : 1)),
    decide(count, held, nowMs) {
      const candidates = [...workers.keys()].filter(
        (worker) => worker !== me && isLive(worker, nowMs) && workers.get(worker)?.leaving === false,
      );
      candidates.push(me);
      return Array.from({ length: count }, (_, partition) => {
        const { worker } = lease(partition);
        const wanted = desiredOwner(partition, candidates) === me;
        const free = worker === null || !isLive(worker, nowMs);
        return held.has(partition) ? decideHeld(worker, me, wanted) : decideIdle(worker, me, wanted, free);
      });
    },
    removableWorkers(olderThanMs, nowMs) {
      const old = [...workers].filter(([worker, seen]) => worker !== me && nowMs - seen.atMs > olderThanMs);
      return old.map(([worker]) => worker);
    },
    forget: (worker) => void workers.delete(worker),
  };
}

function decideHeld(worker: string | null, me: string, wanted: boolean): Action | null {
  if (worker !== null && worker !== me) return 'lose';
  if (!wanted) return 'hand_over';
  return worker === me ? null : 'renew';
}

function decideIdle(worker: string | null, me: string, wanted: boolean, free: boolean): Action | null {
  if (worker === me) return wanted ? 'adopt' : 'clear';
  return wanted && free ? 'claim' : null;
}
