// A Sentinel's master dies: the connections of two gateways find the new master without a restart.
import { rawSliceOf } from '@taskgraph/bus/events/raw-slice';
import { LIMITS, type Rates } from '@taskgraph/commands/rate-limits';
import { type RedisSettings, redisOptions } from '@taskgraph/runtime/service/redis-options';
import { createLog } from '@taskgraph/runtime/telemetry/log';
import { startTestSentinel } from '@taskgraph/testkit/stack/redis';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createLimits, type Limits } from '../limits/limits.ts';
import { connectFanout, type Fanout } from '../realtime/fanout.ts';
import type { OnSlice } from '../realtime/slice-carrier.ts';

const WAIT = { timeout: 120_000, interval: 100 };
const FEED = 'root:a';
const log = createLog({ name: 'test', level: 'silent' });
const rates = Object.fromEntries(LIMITS.map(({ name, points, seconds }) => [name, { points, seconds }])) as Rates;
let redis: Awaited<ReturnType<typeof startTestSentinel>>;
let fanouts: readonly [Fanout, Fanout];
let limits: readonly [Limits, Limits];
/** The numbers of the slices that the second gateway received. */
const received: number[] = [];
/** The gateways that noticed that slices may be lost. */
const noticed = new Set<number>();

beforeAll(async () => {
  redis = await startTestSentinel();
  const options = redisOptions(redis.environment as unknown as RedisSettings);
  const connect = (index: number, onSlice: OnSlice) =>
    connectFanout({ redis: options, onSlice, onLoss: () => void noticed.add(index), log });
  fanouts = [connect(0, () => undefined), connect(1, ({ seq }) => void received.push(seq))];
  limits = [0, 1].map(() => createLimits({ redis: options, rates, gateways: 2, log })) as unknown as [Limits, Limits];
  await Promise.all([...fanouts.map((fanout) => fanout.connected()), ...limits.map((each) => each.started())]);
});
afterAll(async () => {
  for (const fanout of fanouts ?? []) fanout.close();
  await Promise.all((limits ?? []).map((each) => each.close()));
  await redis?.stop();
});

test('[EVT1 LIM3] slices reach the other gateway again, and limits count together again', async () => {
  const [one, other] = fanouts;
  await other.subscribe(FEED);
  let seq = 0;
  const publish = () => one.publish([rawSliceOf({ feed: FEED, epoch: 1, seq: ++seq, diff: {} })]);
  /** The number of earlier counts by both gateways, from the rest that the second reports. */
  const counted = async () => {
    const verdicts = [];
    for (const each of limits) verdicts.push(await each.take(['rest'], { ip: '192.0.2.1', user: 'ann' }));
    const [first, second] = verdicts.map(({ headers }) => Number(headers['RateLimit-Remaining']));
    return Number(first) - Number(second);
  };
  publish();
  await expect.poll(() => received, WAIT).toEqual([1]);
  expect(await counted()).toBe(1);
  // Each knows the other from a heartbeat.
  await expect.poll(() => limits.map((each) => each.gateways()), WAIT).toEqual([2, 2]);

  expect(noticed.size).toBe(0);
  expect(fanouts.map((fanout) => fanout.isConnected())).toEqual([true, true]);
  const master = await redis.master();
  await master.down();
  await expect(one.ping()).rejects.toThrow();
  await expect.poll(() => noticed.size, WAIT).toBe(2);
  // Each counts for itself, from its own share.
  const alone = await Promise.all(limits.map((each) => each.take(['rest'], { ip: '192.0.2.1', user: 'ann' })));
  expect(alone.map(({ headers }) => headers['RateLimit-Limit'])).toEqual(['1000', '1000']);
  await expect.poll(() => one.ping().then(() => 'up', String), WAIT).toBe('up');
  await expect.poll(() => fanouts.map((fanout) => fanout.isConnected()), WAIT).toEqual([true, true]);
  expect((await redis.master()).port).not.toBe(master.port);
  const before = received.length;
  const publishAgain = () => {
    publish();
    return received.length;
  };
  await expect.poll(publishAgain, WAIT).toBeGreaterThan(before);
  expect(received.at(-1)).toBeLessThanOrEqual(seq);
  await expect.poll(counted, WAIT).toBe(1);
});
