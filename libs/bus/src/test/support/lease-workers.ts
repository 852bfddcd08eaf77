// Workers that share partitions and do nothing else.
import { setTimeout as sleep } from 'node:timers/promises';
import { PARTITIONS } from '@taskgraph/wire/ids';
import { expect } from 'vitest';
import { type Bus, connectBus } from '../../nats/connect.ts';
import { createLeases, type LeaseCheck, type Leases } from '../../partitions/lease.ts';

export interface LeaseWorker {
  bus: Bus;
  leases: Leases;
  /** The partitions acquired and not released; must agree with `held`. */
  serving: Set<number>;
  /** Accepts a command of each acquired partition. */
  takes: Map<number, () => LeaseCheck>;
  errors: string[];
}

interface WorkerOptions {
  readonly drainMs?: number;
  readonly replicas?: number;
  /** Errors that a test causes on purpose. */
  readonly expected?: RegExp;
}

export const ALL = Array.from({ length: PARTITIONS }, (_, partition) => partition);

let workers: LeaseWorker[] = [];

export async function startWorker(
  nats: { readonly url: string; readonly user: string; readonly password: string },
  workerId: string,
  { drainMs = 0, replicas = 1, expected }: WorkerOptions = {},
): Promise<LeaseWorker> {
  const errors: string[] = [];
  const quiet = () => undefined;
  const error = (fields: object, message: string) => {
    if (expected?.test(message) !== true) errors.push(`${message} ${JSON.stringify(fields)}`);
  };
  const log = { debug: quiet, info: quiet, warn: quiet, error };
  const bus = await connectBus({ ...nats, name: workerId, log });
  const serving = new Set<number>();
  const takes = new Map<number, () => LeaseCheck>();
  const leases = createLeases(bus, {
    workerId,
    replicas,
    log,
    async acquire(partition, take) {
      if (serving.has(partition)) errors.push(`${partition} acquired twice`);
      serving.add(partition);
      takes.set(partition, take);
    },
    async release(partition) {
      if (!serving.delete(partition)) errors.push(`${partition} released twice`);
      if (drainMs > 0) await sleep(drainMs);
    },
  });
  const worker = { bus, leases, serving, takes, errors };
  workers.push(worker);
  return worker;
}

/** Stops all workers and checks their logged errors. */
export async function stopWorkers(): Promise<void> {
  const last = workers;
  workers = [];
  await Promise.all(last.map((worker) => worker.leases.stop()));
  await Promise.all(last.map((worker) => worker.bus.close()));
  for (const worker of last) {
    expect(worker.errors).toEqual([]);
    expect(worker.serving.size).toBe(0);
  }
}

/** The partitions in which a worker may execute a new command. */
export const standing = ({ takes }: LeaseWorker) => ALL.filter((partition) => takes.get(partition)?.()() === true);

/** Accepts a command of each acquired partition and returns which of them may be executed. */
export function takeOfAll({ takes }: LeaseWorker): () => number[] {
  const taken = ALL.map((partition) => takes.get(partition)?.());
  return () => ALL.filter((partition) => taken[partition]?.() === true);
}

/** The partitions in which two workers may execute commands at this moment. */
export const doubled = (one: LeaseWorker, two: LeaseWorker) => {
  const others = new Set(standing(two));
  return standing(one).filter((partition) => others.has(partition));
};

const heldBy = (...some: LeaseWorker[]) =>
  some.flatMap((worker) => worker.leases.held()).sort((one, other) => one - other);

export const each = (...some: LeaseWorker[]) => expect(heldBy(...some)).toEqual(ALL);

/** Time after which a silent worker is considered dead. */
export const DEAD_AFTER_MS = 5_000;
/** Limit of all other waits, generous for slow machines. */
export const PATIENCE_MS = 15_000;

/** Waits until these workers hold each partition exactly once, and returns their shares. */
export async function settled(limitMs: number, ...some: LeaseWorker[]): Promise<number> {
  const startedAt = performance.now();
  while (performance.now() - startedAt < limitMs) {
    const held = heldBy(...some);
    const shared = some.every((worker) => worker.leases.held().length > 0);
    if (shared && held.length === PARTITIONS && new Set(held).size === PARTITIONS) break;
    await sleep(5);
  }
  each(...some);
  return performance.now() - startedAt;
}
