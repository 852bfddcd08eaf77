// A connection to a real Redis cluster whose servers die and hang: each `connect` and `disconnect`
// of BullMQ's copy settles.
import { setTimeout as sleep } from 'node:timers/promises';
import { startTestCluster } from '@taskgraph/testkit/stack/redis';
import type { Cluster } from 'ioredis';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { openRedis } from './redis.ts';
import { type RedisSettings, redisOptions } from './redis-options.ts';

const WAIT = { timeout: 120_000, interval: 50 };
const KEY = '{taskgraph}';
let cluster: Awaited<ReturnType<typeof startTestCluster>>;
const opened: Cluster[] = [];

beforeAll(async () => {
  cluster = await startTestCluster();
});
afterAll(() => cluster?.stop());
afterEach(async () => {
  for (const connection of opened.splice(0)) connection.disconnect();
  await Promise.all(cluster.servers.map((server) => server.up()));
  await cluster.whole();
});

/** Copies the connection as BullMQ does. Returns its errors. */
async function open(): Promise<{ connection: Cluster; errors: string[] }> {
  const options = redisOptions(cluster.environment as unknown as RedisSettings);
  const first = openRedis(options, { maxRetriesPerRequest: null }) as Cluster;
  const connection = first.duplicate([], { redisOptions: { connectionName: 'waits' } });
  opened.push(first, connection);
  const errors: string[] = [];
  for (const each of [first, connection]) each.on('error', ({ message }: Error) => void errors.push(message));
  await untilReady(connection);
  return { connection, errors };
}

async function untilReady(connection: Cluster): Promise<void> {
  await expect.poll(() => connection.status, WAIT).toBe('ready');
  expect(await connection.exists(KEY)).toBe(0);
}

async function ended(connection: Cluster): Promise<void> {
  const end = new Promise<void>((resolve) => void connection.once('end', resolve));
  connection.disconnect();
  await end;
}

/** The outcome of an attempt, within the time in which each attempt settles. */
function outcome(work: Promise<void>): Promise<string> {
  const told = work.then(
    () => 'ready',
    ({ message }: Error) => message,
  );
  return Promise.race([told, sleep(20_000, 'nothing', { ref: false })]);
}

test('a connection attempt ends if not all slots are served, and further attempts follow automatically', async () => {
  const { connection } = await open();
  const master = await cluster.masterOf(KEY);
  await master.down();
  const others = cluster.servers.filter((server) => server !== master);
  const fails = async () => {
    const told = await Promise.all(others.map((server) => server.ask('CLUSTER', 'INFO')));
    return told.every((info) => info.includes('cluster_state:fail'));
  };
  await expect.poll(fails, WAIT).toBe(true);
  await ended(connection);
  expect(await outcome(connection.connect())).toBe('the connection closed before the cluster was ready');
  await untilReady(connection);
});

test('a connection can be closed without a server, and opened again', async () => {
  const { connection, errors } = await open();
  await Promise.all(cluster.servers.map((server) => server.down()));
  const waits = new Promise((resolve) => void connection.once('reconnecting', resolve));
  connection.disconnect(true);
  await waits;
  await ended(connection);
  expect(errors).toContain('the connection to the cluster did not end within 5000 ms');
  await Promise.all(cluster.servers.map((server) => server.up()));
  await cluster.whole();
  expect(await outcome(connection.connect())).toBe('ready');
  await untilReady(connection);
});

test('a connection can be closed while a moved command connects to a server', async () => {
  const { connection, errors } = await open();
  const end = ended(connection);
  // A MOVED reply causes this, here at the worst moment.
  const { connectionPool } = connection as unknown as { connectionPool: { findOrCreate(server: object): void } };
  connectionPool.findOrCreate({ host: '127.0.0.1', port: cluster.servers[0]?.port });
  await end;
  expect(errors).toContain('the connection to the cluster did not end within 5000 ms');
  expect(await outcome(connection.connect())).toBe('ready');
});
