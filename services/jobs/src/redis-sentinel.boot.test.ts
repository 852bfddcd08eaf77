// The master that a Sentinel watches dies: the queues go on at the server that took its place, with the jobs that they had.
import { randomUUID } from 'node:crypto';
import { type RedisSettings, redisOptions } from '@taskgraph/runtime/service/redis-options';
import { createLog } from '@taskgraph/runtime/telemetry/log';
import { startTestSentinel, untilCopied } from '@taskgraph/testkit/stack/redis';
import type { Expiration } from '@taskgraph/wire/messages';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openQueues, type Queues } from './queues.ts';

const WAIT = { timeout: 40_000, interval: 100 };
let redis: Awaited<ReturnType<typeof startTestSentinel>>;
let queues: Queues;
const ended: Expiration[] = [];
let sweeps = 0;

beforeAll(async () => {
  redis = await startTestSentinel();
  queues = openQueues({
    redis: redisOptions(redis.environment as unknown as RedisSettings),
    ...{ prefix: 'taskgraph', expiriesAtOnce: 4, waitingEnds: 100, checkMs: 200, schedules: { sweep: 300 } },
    log: createLog({ name: 'test', level: 'silent' }),
    expire: async (due) => void ended.push(due),
    run: async () => void sweeps++,
  });
});
afterAll(async () => {
  await queues?.stop();
  await redis?.stop();
});

const dueIn = (ms: number): Expiration => ({ nodeId: randomUUID(), due: new Date(Date.now() + ms).toISOString() });

test('[ACL5] an end that waited comes, the schedules go on, and ends that are told of after it come too', async () => {
  await expect.poll(() => sweeps, WAIT).toBeGreaterThan(1);
  // Long enough for a slow machine to see it wait in both servers.
  const waiting = dueIn(20_000);
  await queues.remember([waiting]);
  const master = await redis.master();
  await untilCopied(master, 'taskgraph:expiries:delayed', 1);
  await master.down();
  const before = sweeps;
  await expect.poll(() => redis.master().then(({ port }) => port), WAIT).not.toBe(master.port);
  await expect.poll(() => sweeps, WAIT).toBeGreaterThan(before + 1);
  await expect.poll(() => ended, WAIT).toContainEqual(waiting);
  const told = dueIn(-1);
  await queues.remember([told]);
  await expect.poll(() => ended, WAIT).toContainEqual(told);
});
