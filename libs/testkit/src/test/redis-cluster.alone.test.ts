// A stack on a Redis Cluster of three masters and three replicas. The tests kill one master after
// another, and their replicas take over.
import { connect, type Gap, openReplica, type Slice } from '@taskgraph/client';
import type { RedisCluster } from '@taskgraph/launcher/backends/redis-cluster';
import type { RedisServer } from '@taskgraph/launcher/backends/redis-servers';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { askAdmin, readiness } from '../stack/probes.ts';
import { startTestCluster, untilCopied } from '../stack/redis.ts';
import { startTestStack, type TestStack } from '../stack/stack.ts';
import { emailOf } from '../stack/users.ts';

const WAIT = { timeout: 120_000, interval: 100 };
const ROUND = 10;
let cluster: RedisCluster;
let stack: TestStack;
let token: string;

beforeAll(async () => {
  cluster = await startTestCluster();
  // No sweep may do the work of a job in Redis.
  const settings = { TASKGRAPH_LIMITS: 'on', HEADS_INTERVAL_MS: '1000', SWEEP_INTERVAL_MS: '3600000' };
  const environment = { ...cluster.environment, ...settings };
  stack = await startTestStack({ workers: 1, gateways: 2, jobs: 1, environment });
  token = await stack.token(emailOf('ann'));
});
afterAll(async () => {
  await stack?.stop();
  await cluster?.stop();
});
afterEach(async () => {
  await Promise.all(cluster.servers.map((server) => server.up()));
  await cluster.whole();
});

const url = (gateway: number) => stack.urls[gateway] as string;
const redisOf = async (service: string) => {
  const { status, backends } = (await readiness(stack, service)) as { status: number; backends: { redis: string } };
  return [status, backends.redis];
};

/**
 * Kills the master of a key. Returns it after each service has reported Redis as unavailable and
 * stays alive.
 */
async function killMasterOf(key: string, away: Readonly<Record<string, number>>): Promise<RedisServer> {
  const master = await cluster.masterOf(key);
  await master.down();
  for (const [service, status] of Object.entries(away)) {
    await expect.poll(() => redisOf(service), WAIT).toEqual([status, 'away']);
    expect((await askAdmin(stack, service, '/livez')).status).toBe(200);
  }
  return master;
}

async function untilBack(...services: string[]): Promise<void> {
  for (const service of services) await expect.poll(() => redisOf(service), WAIT).toEqual([200, 'up']);
}

test('[EVT1 EVT2] sockets of the other gateway catch up on slices pushed while the master of their feed was dead, and receive the next', async () => {
  const [writer, reader] = [await connect({ url: url(0), token }), await connect({ url: url(1), token })];
  const replica = await openReplica({ url: url(1), token });
  const [slices, gaps]: [Slice[], Gap[]] = [[], []];
  reader.onDiff((slice) => void slices.push(slice));
  reader.onGap((gap) => void gaps.push(gap));
  let written = 0;
  /**
   * Adds some nodes and reports whether each was pushed to the reader, in order and without a gap.
   */
  const isHeard = async () => {
    slices.length = 0;
    gaps.length = 0;
    for (let times = 0; times < ROUND; times++) await writer.node.add({ title: String(++written) });
    await expect.poll(() => slices.at(-1)?.nodes[0]?.after.title ?? gaps.length, WAIT).toBeTruthy();
    const titles = slices.map(({ nodes }) => nodes[0]?.after.title);
    const wanted = Array.from({ length: ROUND }, (_, index) => String(written - ROUND + index + 1));
    return gaps.length === 0 && JSON.stringify(titles) === JSON.stringify(wanted);
  };
  try {
    await expect.poll(isHeard, WAIT).toBe(true);
    const { feed } = slices[0] as Slice;
    await killMasterOf(`socket.io#/slices.3#${feed}#`, { 'gateway-1': 200, 'gateway-2': 200 });
    for (let times = 0; times < ROUND; times++) await writer.node.add({ title: String(++written) });
    await expect.poll(() => replica.snapshot().nodes.size, WAIT).toBe(written);
    await untilBack('gateway-1', 'gateway-2');
    await expect.poll(isHeard, { ...WAIT, interval: 500 }).toBe(true);
    await expect.poll(() => replica.snapshot().nodes.size, WAIT).toBe(written);
  } finally {
    await replica.close();
    writer.close();
    reader.close();
  }
});

function get(gateway: number, path: string): Promise<Response> {
  return fetch(`${url(gateway)}/api/${path}`, { headers: { authorization: `Bearer ${token}` } });
}

async function post(path: string, body: object): Promise<Record<string, unknown>> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const answer = await fetch(`${url(0)}/api/${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
  expect(answer.status).toBe(200);
  return (await answer.json()) as Record<string, unknown>;
}

test('[LIM3] each gateway applies its share of a limit while a master is dead, and afterwards both count together again', async () => {
  const limits = async () => {
    const told = [await get(0, 'trash'), await get(1, 'trash')];
    return told.map(({ status, headers }) => `${status} of ${headers.get('ratelimit-limit')}`);
  };
  await expect.poll(limits, WAIT).toEqual(['200 of 300', '200 of 300']);
  await killMasterOf('tg:gateways', { 'gateway-1': 200 });
  await expect.poll(limits, WAIT).toEqual(['200 of 150', '200 of 150']);
  await expect.poll(limits, WAIT).toEqual(['200 of 300', '200 of 300']);
  const left = async (gateway: number) => Number((await get(gateway, 'trash')).headers.get('ratelimit-remaining'));
  expect((await left(0)) - (await left(1))).toBe(1);
});

interface History {
  readonly batches: readonly { readonly actor: { readonly username: string } }[];
}

test("[ACL5] a queued expiration is executed although the queue's master died", async () => {
  await stack.token(emailOf('bob'));
  const { diff } = (await post('node', { title: 'shared' })) as { diff: { nodes: { after: { id: string } }[] } };
  const id = diff.nodes[0]?.after.id;
  const due = new Date(Date.now() + 10_000).toISOString();
  await post('node/access', { id, email: emailOf('bob'), due });
  const master = await cluster.masterOf('{taskgraph}');
  await untilCopied(master, '{taskgraph}:expiries:delayed', 1);
  await killMasterOf('{taskgraph}', { 'jobs-1': 503 });
  await untilBack('jobs-1');
  const bySystem = async () => {
    const { batches } = (await (await get(0, `history?scopeType=NODE&scopeId=${id}`)).json()) as History;
    return batches.filter(({ actor }) => actor.username === 'system').length;
  };
  // A job whose worker lost its connection at the wrong moment is taken over when its lock expires,
  // after up to a minute.
  await expect.poll(bySystem, { timeout: 120_000, interval: 500 }).toBe(1);
});
