// When the master behind a Sentinel dies, the queues continue with their jobs at its replacement.
import { randomUUID } from 'node:crypto';
import { openRedis } from '@taskgraph/runtime/service/redis';
import { type RedisOptions, type RedisSettings, redisOptions } from '@taskgraph/runtime/service/redis-options';
import { createLog } from '@taskgraph/runtime/telemetry/log';
import { startTestSentinel, untilCopied } from '@taskgraph/testkit/stack/redis';
import type { Expiration } from '@taskgraph/wire/bus/expirations';
import { Queue, Worker } from 'bullmq';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openQueues, type Queues } from './queues.ts';

const PREFIX = 'taskgraph';
const WAIT = { timeout: 120_000, interval: 100 };
let redis: Awaited<ReturnType<typeof startTestSentinel>>;
let queues: Queues;
const ended: Expiration[] = [];
let taken: Expiration;
let sweeps = 0;

beforeAll(async () => {
  redis = await startTestSentinel();
  const options = redisOptions(redis.environment as unknown as RedisSettings);
  taken = await takeAndDie(options);
  queues = openQueues({
    redis: options,
    prefix: PREFIX,
    expiriesAtOnce: 4,
    webhooksAtOnce: 1,
    deliver: async () => [],
    waitingEnds: 100,
    checkMs: 200,
    schedules: { sweep: 300 },
    log: createLog({ name: 'test', level: 'silent' }),
    expire: async (due) => void ended.push(due),
    run: async () => void sweeps++,
  });
});
afterAll(async () => {
  await queues?.stop();
  await redis?.stop();
});

/** Leaves an end behind that a killed service was processing, under its lock. */
async function takeAndDie(options: RedisOptions): Promise<Expiration> {
  const due = dueIn(-1);
  const connection = openRedis(options, { maxRetriesPerRequest: null });
  const queue = new Queue('expiries', { prefix: PREFIX, connection });
  await queue.add('expire', due, { removeOnComplete: true });
  const service = new Worker('expiries', null, { prefix: PREFIX, connection, autorun: false, lockDuration: 10_000 });
  expect(await service.getNextJob('token')).toMatchObject({ data: due });
  await service.close(true);
  await queue.close();
  connection.disconnect();
  return due;
}

const dueIn = (ms: number): Expiration => ({ nodeId: randomUUID(), due: new Date(Date.now() + ms).toISOString() });

test('[ACL5] after a failover, waiting, abandoned and new expirations run, and schedules continue', async () => {
  await expect.poll(() => sweeps, WAIT).toBeGreaterThan(1);
  // Long enough for a slow machine to see it waiting on both servers.
  const waiting = dueIn(20_000);
  await queues.addExpirations([waiting]);
  const master = await redis.master();
  await untilCopied(master, `${PREFIX}:expiries:delayed`, 1);
  await master.down();
  const before = sweeps;
  await expect.poll(() => redis.master().then(({ port }) => port), WAIT).not.toBe(master.port);
  await expect.poll(() => sweeps, WAIT).toBeGreaterThan(before + 1);
  await expect.poll(() => ended, WAIT).toContainEqual(waiting);
  // Its lock ended ten seconds ago; the library's default check would find it ten seconds from now.
  await expect.poll(() => ended, { ...WAIT, timeout: 60_000 }).toContainEqual(taken);
  const told = dueIn(-1);
  await queues.addExpirations([told]);
  await expect.poll(() => ended, WAIT).toContainEqual(told);
});
