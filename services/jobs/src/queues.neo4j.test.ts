// The queues on a real Redis: deduplication, recovery after Redis lost its data, and retries.
import { randomUUID } from 'node:crypto';
import type { DueWebhook } from '@taskgraph/graph-store/webhooks/due-webhooks';
import { createLog } from '@taskgraph/runtime/telemetry/log';
import type { Expiration } from '@taskgraph/wire/bus/expirations';
import { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { openQueues, type Queues } from './queues.ts';

const WAIT = { timeout: 120_000, interval: 50 };
const log = createLog({ name: 'test', level: 'silent' });
const redisUrl = process.env.REDIS_URL ?? '';
const opened: Queues[] = [];
let redis: Redis;

beforeAll(() => {
  redis = new Redis(redisUrl);
});
afterEach(async () => {
  await Promise.all(opened.splice(0).map((queues) => queues.stop()));
});
afterAll(() => redis.disconnect());

interface Done {
  readonly ended: Expiration[];
  readonly runs: string[];
}

/** One service; services with the same prefix share their queues. */
function open(
  prefix: string,
  { ended, runs }: Done,
  {
    expire,
    deliver,
    sweep,
    waitingEnds = 1_000,
    webhooksAtOnce = 4,
    nowMs = Date.now,
  }: {
    expire?: (due: Expiration) => Promise<void>;
    deliver?: (due: DueWebhook) => Promise<readonly DueWebhook[]>;
    sweep?: () => Promise<void>;
    waitingEnds?: number;
    webhooksAtOnce?: number;
    nowMs?: () => number;
  } = {},
): Queues {
  const queues = openQueues({
    redis: { url: redisUrl },
    prefix,
    log,
    expiriesAtOnce: 4,
    waitingEnds,
    webhooksAtOnce,
    nowMs,
    checkMs: 200,
    schedules: { sweep: 500, retire: 500 },
    expire: expire ?? (async (due) => void ended.push(due)),
    deliver: deliver ?? (async () => []),
    async run(kind) {
      runs.push(kind);
      if (kind === 'sweep') await sweep?.();
    },
  });
  opened.push(queues);
  return queues;
}

const nothing = (): Done => ({ ended: [], runs: [] });
const dueIn = (ms: number): Expiration => ({ nodeId: randomUUID(), due: new Date(Date.now() + ms).toISOString() });

test('[ACL5] an expiration that two services receive repeatedly runs once, and not early', async () => {
  const done = nothing();
  const prefix = randomUUID();
  const services = [open(prefix, done), open(prefix, done)];
  // Later than all six calls, on a slow machine too.
  const [soon, over] = [dueIn(4_000), dueIn(-5_000)];
  for (let times = 0; times < 3; times++) await Promise.all(services.map((queues) => queues.addExpirations([soon])));
  await services[0]?.addExpirations([over]);
  await expect.poll(() => done.ended, WAIT).toHaveLength(2);
  // The order does not matter: both calls may take longer than the delay.
  expect(done.ended).toEqual(expect.arrayContaining([over, soon]));
  expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(soon.due));
  // A job that already ran is added and runs again, since something may have changed; the command
  // then finds nothing.
  await services[1]?.addExpirations([soon]);
  await expect.poll(() => done.ended, WAIT).toHaveLength(3);
  expect(done.ended.at(-1)).toEqual(soon);
});

test('schedules that Redis lost are created again', async () => {
  const done = nothing();
  open(randomUUID(), done);
  await expect.poll(() => new Set(done.runs), WAIT).toEqual(new Set(['sweep', 'retire']));
  await redis.flushall();
  done.runs.length = 0;
  await expect.poll(() => new Set(done.runs), WAIT).toEqual(new Set(['sweep', 'retire']));
});

test('a failed expiration is retried', async () => {
  const tries: Expiration[] = [];
  const queues = open(randomUUID(), nothing(), {
    async expire(due) {
      tries.push(due);
      if (tries.length < 3) throw new Error('no worker answers');
    },
  });
  const over = dueIn(-1);
  await queues.addExpirations([over]);
  await expect.poll(() => tries, WAIT).toEqual([over, over, over]);
});

test('[ACL5] an expiration more than a day ahead is left to the sweep', async () => {
  const prefix = randomUUID();
  const queues = open(prefix, nothing());
  await queues.addExpirations([dueIn(2 * 86_400_000)]);
  expect(await redis.exists(`${prefix}:expiries:delayed`)).toBe(0);
  await queues.addExpirations([dueIn(3_600_000)]);
  await expect.poll(() => redis.zcard(`${prefix}:expiries:delayed`), WAIT).toBeGreaterThan(0);
});

test('[ACL5] a sweep runs the expirations that it finds even if the queue is full', async () => {
  const [done, prefix, found] = [nothing(), randomUUID(), dueIn(-1)];
  const later = Array.from({ length: 50 }, () => dueIn(3_600_000));
  const waiting = () => redis.zcard(`${prefix}:expiries:delayed`);
  const queues = open(prefix, done, { waitingEnds: later.length, sweep: () => queues.require([found]) });
  await queues.addExpirations(later);
  await expect.poll(waiting, WAIT).toBe(later.length);
  // A service with too many waiting ends leaves further ones to the sweep.
  await queues.addExpirations([dueIn(3_600_000)]);
  await expect.poll(() => done.ended, WAIT).toContainEqual(found);
  expect(await waiting()).toBe(later.length);
});

test('[ACL5] a sweep runs on time while expirations use the whole concurrency', async () => {
  const [done, stuck] = [nothing(), [] as (() => void)[]];
  const expire = () => new Promise<void>((resolve) => void stuck.push(resolve));
  const queues = open(randomUUID(), done, { expire });
  await queues.require(Array.from({ length: 20 }, () => dueIn(-1)));
  await expect.poll(() => stuck.length, WAIT).toBe(4);
  done.runs.length = 0;
  await expect.poll(() => done.runs, WAIT).toContain('sweep');
  expect(stuck).toHaveLength(4);
  const freeing = setInterval(() => {
    for (const resolve of stuck.splice(0)) resolve();
  }, 10);
  await opened.splice(0)[0]?.stop();
  clearInterval(freeing);
});

test('[HOOK6] a webhook that sweeps of two services find repeatedly has one run at a time', async () => {
  const [prefix, ended] = [randomUUID(), [] as (() => void)[]];
  const [hook, other] = [{ id: randomUUID() }, { id: randomUUID() }];
  const begun: string[] = [];
  const deliver = ({ id }: DueWebhook) =>
    new Promise<readonly DueWebhook[]>((resolve) => {
      begun.push(id);
      ended.push(() => resolve([]));
    });
  const services = [open(prefix, nothing(), { deliver }), open(prefix, nothing(), { deliver })];
  for (let times = 0; times < 3; times++) await Promise.all(services.map((queues) => queues.addWebhooks([hook])));
  await services[0]?.addWebhooks([other]);
  await expect.poll(() => begun.length, WAIT).toBe(2);
  expect(new Set(begun)).toEqual(new Set([hook.id, other.id]));
  for (const end of ended.splice(0)) end();
  // A finished run leaves nothing behind that would prevent the next one.
  await expect
    .poll(async () => {
      await services[1]?.addWebhooks([hook]);
      return begun.length;
    }, WAIT)
    .toBe(3);
  for (const end of ended.splice(0)) end();
});

test('[HOOK13] webhooks whose receivers are slow or new occupy no place of the others', async () => {
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const deliver = ({ id }: DueWebhook) =>
    new Promise<readonly DueWebhook[]>((resolve) => {
      begun.push(id);
      ends.push(() => resolve([]));
    });
  const queues = open(randomUUID(), nothing(), { deliver, webhooksAtOnce: 1 });
  const [slow, waiting, pending, fast] = [randomUUID(), randomUUID(), randomUUID(), randomUUID()];
  await queues.addWebhooks([{ id: slow, isSlow: true }]);
  await expect.poll(() => begun, WAIT).toEqual([slow]);
  await queues.addWebhooks([
    { id: waiting, isSlow: true },
    { id: pending, isInactive: true },
    { id: fast, isSlow: false, isInactive: false },
  ]);
  await expect.poll(() => begun, WAIT).toEqual([slow, fast]);
  // A new receiver goes before those that are known to be slow.
  for (const expected of [
    [slow, fast, pending],
    [slow, fast, pending, waiting],
  ]) {
    for (const end of ends.splice(0)) end();
    await expect.poll(() => begun, WAIT).toEqual(expected);
  }
  for (const end of ends.splice(0)) end();
});

test('[HOOK13] a run of a slow webhook that has waited 30 seconds begins before runs that come later', async () => {
  const begun: string[] = [];
  let end: () => void = () => undefined;
  const deliver = ({ id }: DueWebhook) =>
    new Promise<readonly DueWebhook[]>((resolve) => {
      begun.push(id);
      end = () => resolve([]);
    });
  let aheadMs = 0;
  const nowMs = () => Date.now() + aheadMs;
  const queues = open(randomUUID(), nothing(), { deliver, webhooksAtOnce: 1, nowMs });
  const names = ['running', 'new', 'slow', 'later', 'slow and later'];
  const [running, fresh, slow, later, slowAndLater] = names.map((name) => ({
    id: `${name} ${randomUUID()}`,
    isSlow: name.startsWith('slow'),
    isInactive: !name.startsWith('slow'),
  })) as [DueWebhook, DueWebhook, DueWebhook, DueWebhook, DueWebhook];
  await queues.addWebhooks([running]);
  await expect.poll(() => begun, WAIT).toEqual([running.id]);
  // The sweep finds waiting webhooks each time.
  await queues.addWebhooks([slow]);
  await queues.addWebhooks([fresh, slow]);
  aheadMs = 30_000;
  await queues.addWebhooks([slow]);
  aheadMs = 0;
  await queues.addWebhooks([slowAndLater, later]);
  const order = [running, fresh, slow, later, slowAndLater].map(({ id }) => id);
  for (let count = 2; count <= order.length; count++) {
    end();
    await expect.poll(() => begun, WAIT).toEqual(order.slice(0, count));
  }
  end();
});

test('[HOOK6 HOOK13] a run with more to deliver has its next one after those that wait, without a sweep', async () => {
  const begun: string[] = [];
  let end: (next: readonly DueWebhook[]) => void = () => undefined;
  const deliver = ({ id }: DueWebhook) =>
    new Promise<readonly DueWebhook[]>((resolve) => {
      begun.push(id);
      end = resolve;
    });
  const queues = open(randomUUID(), nothing(), { deliver, webhooksAtOnce: 1 });
  const [busy, other] = [randomUUID(), randomUUID()];
  await queues.addWebhooks([{ id: busy }]);
  await expect.poll(() => begun, WAIT).toEqual([busy]);
  await queues.addWebhooks([{ id: other }]);
  end([{ id: busy }]);
  await expect.poll(() => begun, WAIT).toEqual([busy, other]);
  end([]);
  await expect.poll(() => begun, WAIT).toEqual([busy, other, busy]);
  end([]);
});
