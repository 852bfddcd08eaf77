// Leases over a real NATS: sharing, goodbyes, deaths, restarts, pauses and outages. In the end each partition has one holder.
import { setTimeout as sleep } from 'node:timers/promises';
import { startNats, type TestNats } from '@taskgraph/testkit/stack/nats';
import { PARTITIONS } from '@taskgraph/wire/ids';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Bus, connectBus } from '../nats/connect.ts';
import { createLeases, type Leases } from './lease.ts';

interface Worker {
  bus: Bus;
  leases: Leases;
  /** The result of acquire and release: it must agree with `held`. */
  serving: Set<number>;
  /** Of each partition, whether what was taken since it came last may still be done. */
  stands: Map<number, () => boolean>;
  errors: string[];
}

const ALL = Array.from({ length: PARTITIONS }, (_, partition) => partition);
let nats: TestNats;
let workers: Worker[] = [];

async function startWorker(workerId: string, drainMs = 0): Promise<Worker> {
  const errors: string[] = [];
  const quiet = () => undefined;
  const error = (fields: object, message: string) => void errors.push(`${message} ${JSON.stringify(fields)}`);
  const log = { debug: quiet, info: quiet, warn: quiet, error };
  const bus = await connectBus({ ...nats, name: workerId, log });
  const serving = new Set<number>();
  const stands = new Map<number, () => boolean>();
  const leases = createLeases(bus, {
    workerId,
    log,
    async acquire(partition, stillStands) {
      if (serving.has(partition)) errors.push(`${partition} acquired twice`);
      serving.add(partition);
      stands.set(partition, stillStands);
    },
    async release(partition) {
      if (!serving.delete(partition)) errors.push(`${partition} released twice`);
      if (drainMs > 0) await sleep(drainMs);
    },
  });
  const worker = { bus, leases, serving, stands, errors };
  workers.push(worker);
  return worker;
}

/** The partitions of which a worker may do what it took. */
const standing = ({ stands }: Worker) => ALL.filter((partition) => stands.get(partition)?.() === true);
/** Those of which two workers may at this moment. */
const doubled = (one: Worker, two: Worker) => {
  const others = new Set(standing(two));
  return standing(one).filter((partition) => others.has(partition));
};

const heldBy = (...some: Worker[]) => some.flatMap((worker) => worker.leases.held()).sort((one, other) => one - other);
const each = (...some: Worker[]) => expect(heldBy(...some)).toEqual(ALL);

/** After this a worker without a word is taken for dead. Whatever happens sooner waited for no such end. */
const DEAD_AFTER_MS = 5_000;
/** For all else, on a machine however slow. */
const PATIENCE_MS = 15_000;

/** Waits until each partition is held once by these workers, and gives the milliseconds that it took. */
async function settled(limitMs: number, ...some: Worker[]): Promise<number> {
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

beforeEach(async () => {
  nats = await startNats();
});
afterEach(async () => {
  const last = workers;
  workers = [];
  await Promise.all(last.map((worker) => worker.leases.stop()));
  await Promise.all(last.map((worker) => worker.bus.close()));
  await nats.remove();
  for (const worker of last) {
    expect(worker.errors).toEqual([]);
    expect(worker.serving.size).toBe(0);
  }
});

describe('leases', () => {
  it('gives one worker all partitions at once', async () => {
    const one = await startWorker('one');
    expect(await settled(DEAD_AFTER_MS, one)).toBeLessThan(DEAD_AFTER_MS);
    expect([...one.serving].sort((a, b) => a - b)).toEqual(ALL);
  });

  it('are shared with a second worker, and stay as they are', async () => {
    const one = await startWorker('one');
    await settled(PATIENCE_MS, one);
    const two = await startWorker('two');
    expect(await settled(DEAD_AFTER_MS, one, two)).toBeLessThan(DEAD_AFTER_MS);
    const before = one.leases.held();
    await sleep(1_500);
    expect(one.leases.held()).toEqual(before);
    each(one, two);
  });

  it('go to the others at once when a worker leaves, after its drain', async () => {
    const [one, two] = await Promise.all([startWorker('one', 100), startWorker('two')]);
    await settled(PATIENCE_MS, one, two);
    const left = one.leases.stop();
    expect(await settled(DEAD_AFTER_MS, two)).toBeLessThan(DEAD_AFTER_MS);
    await left;
    expect(one.leases.held()).toEqual([]);
  });

  it('are free 5 s after a worker died without a word', async () => {
    const [one, two] = await Promise.all([startWorker('one'), startWorker('two')]);
    await settled(PATIENCE_MS, one, two);
    const share = one.leases.held().length;
    await one.bus.connection.close();
    await sleep(3_500);
    expect(two.leases.held().length).toBe(PARTITIONS - share);
    // Between 0.5 s and 2 s from here. A machine that stalls for 3 s makes the survivor begin its count again, which is right, so the bound is wide.
    expect(await settled(9_000, two)).toBeGreaterThan(300);
  });

  it('are taken again at once by a worker that restarts with its id', async () => {
    const [one, two] = await Promise.all([startWorker('one'), startWorker('two')]);
    await settled(PATIENCE_MS, one, two);
    const share = one.leases.held();
    await one.bus.connection.close();
    const again = await startWorker('one');
    expect(await settled(DEAD_AFTER_MS, again, two)).toBeLessThan(DEAD_AFTER_MS);
    expect(again.leases.held()).toEqual(share);
  });

  it('survive a restart of NATS', async () => {
    const some = await Promise.all(['one', 'two', 'three'].map((id) => startWorker(id)));
    await settled(PATIENCE_MS, ...some);
    const before = some.map((worker) => worker.leases.held());
    await nats.stop();
    // Longer than the life of a heartbeat: nobody may be taken for dead because NATS was.
    await sleep(6_000);
    await nats.start();
    for (let look = 0; look < 40; look++) {
      expect(some.map((worker) => worker.leases.held())).toEqual(before);
      await sleep(100);
    }
    each(...some);
  });

  it('are written anew after a restart of NATS, so that a third worker sees who holds what', async () => {
    const [one, two] = await Promise.all([startWorker('one'), startWorker('two')]);
    await settled(PATIENCE_MS, one, two);
    await nats.stop();
    await nats.start();
    const three = await startWorker('three');
    await settled(8_000, one, two, three);
    await sleep(1_000);
    each(one, two, three);
  });

  it('go to the others while a worker cannot write, and are shared again when it can', async () => {
    const [one, two] = await Promise.all([startWorker('one'), startWorker('two')]);
    await settled(PATIENCE_MS, one, two);
    // Its publications are lost on the way, so that its heartbeat stands still while it hears the others.
    const writes = one.bus.connection.publish;
    one.bus.connection.publish = () => undefined;
    for (const endMs = performance.now() + 6_500; performance.now() < endMs; await sleep(5)) {
      expect(doubled(one, two)).toEqual([]);
    }
    expect([two.leases.held(), standing(two), standing(one)]).toEqual([ALL, ALL, []]);
    one.bus.connection.publish = writes;
    await settled(6_000, one, two);
    expect(doubled(one, two)).toEqual([]);
    // A heartbeat that was lost on the way is waited for before the next one.
    const both = () => [...standing(one), ...standing(two)].sort((a, b) => a - b);
    await expect.poll(both, { timeout: 10_000, interval: 10 }).toEqual(ALL);
  });

  it('[GEN8] let a process that was held up for longer than others wait do nothing that it took, until it knows that nobody else has it', async () => {
    const one = await startWorker('one');
    await settled(PATIENCE_MS, one);
    expect(standing(one)).toEqual(ALL);
    // Nothing else runs meanwhile, as where the process is stopped.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5_000);
    expect(standing(one)).toEqual([]);
    await expect.poll(() => standing(one), { timeout: 5_000, interval: 10 }).toEqual(ALL);
    const [taken] = one.stands.values();
    await one.leases.stop();
    expect(taken?.()).toBe(false);
  });
});
