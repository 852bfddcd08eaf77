// A worker's knowledge of leases and heartbeats, and what follows from it. Pure: time and news come in as arguments.
import { desiredOwner } from './assignment.ts';

/** The heartbeat that a worker writes once a second. `session` counts its watches, so that it knows its own echo in the present one. */
export interface Heartbeat {
  /** Random, made at the start of the process: tells two processes apart that wrongly have the same id. */
  instance: string;
  session: number;
  count: number;
  /** True while it drains before it stops: it keeps what it has not given back, and wants nothing. */
  leaving: boolean;
}

interface Lease {
  worker: string | null;
  revision: number;
}

interface Seen {
  revision: number;
  /** When the heartbeat last changed, by our own clock: other machines' clocks are not trusted. */
  atMs: number;
  leaving: boolean;
  gone: boolean;
}

/**
 * The action for a partition. `claim`: write my name, then serve. `adopt`: the key has my name already (I was restarted), serve.
 * `renew`: write my name again, I serve already. `hand_over`: drain, then clear the key. `lose`: stop serving, another has it.
 * `clear`: my name is in the key, but I neither serve nor want it.
 */
export type Action = 'claim' | 'adopt' | 'renew' | 'hand_over' | 'lose' | 'clear';

export interface LeaseView {
  /**
   * Forgets the leases, because a new watch brings them again, and gives every worker its full time: NATS may have lost the bucket, and
   * the first worker to come back must not take the others, who are about to, for dead.
   */
  reset(nowMs: number): void;
  sawLease(partition: number, lease: Lease): void;
  /** heartbeat: null where the key was deleted, which says that the worker has left. */
  sawHeartbeat(worker: string, heartbeat: Heartbeat | null, revision: number, nowMs: number): void;
  /** The lease of a partition; revision 0 where there is no key. */
  lease(partition: number): Lease;
  /** Decides for each of the partitions 0..count-1 in one go; null where nothing is to do. */
  decide(count: number, held: ReadonlySet<number>, nowMs: number): (Action | null)[];
  /** Workers unseen for so long that their keys may be removed. */
  forgettable(olderThanMs: number, nowMs: number): string[];
  forget(worker: string): void;
}

/** Makes an empty view of the worker `me`. A worker is live while its heartbeat changed within `deadAfterMs`. */
export function createLeaseView(me: string, deadAfterMs: number): LeaseView {
  const leases = new Map<number, Lease>();
  const workers = new Map<string, Seen>();

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
    sawLease(partition, news) {
      // Our own writes are noted when they are acknowledged, so older news of them may still come.
      if (news.revision > lease(partition).revision) leases.set(partition, news);
    },
    sawHeartbeat(worker, heartbeat, revision, nowMs) {
      if (revision <= (workers.get(worker)?.revision ?? 0)) return;
      const leaving = heartbeat?.leaving ?? true;
      workers.set(worker, { revision, atMs: nowMs, leaving, gone: heartbeat === null });
    },
    lease,
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
    forgettable(olderThanMs, nowMs) {
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
