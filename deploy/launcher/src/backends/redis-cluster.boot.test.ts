import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { silentReport } from '../progress.ts';
import { type RedisCluster, startRedisCluster } from './redis-cluster.ts';

const WAIT = { timeout: 120_000, interval: 100 };
const dataDir = mkdtempSync(join(tmpdir(), 'taskgraph-cluster-'));
const options = { dataDir, password: 'password-of-a-test', report: silentReport };
let cluster: RedisCluster | undefined;

afterAll(async () => {
  await cluster?.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

test('six servers form a cluster, which keeps its data over a restart; a killed server restarts, and a missing master is replaced', async () => {
  cluster = await startRedisCluster(options);
  expect(cluster.servers.map(({ port }) => port)).toEqual(
    cluster.environment.REDIS_URL?.split(',').map((address) => Number(new URL(address).port)),
  );
  const first = await cluster.masterOf('kept');
  expect(await first.ask('SET', 'kept', 'yes')).toBe('OK');
  await cluster.stop();

  const again = await startRedisCluster(options);
  expect(again.environment).toEqual(cluster.environment);
  cluster = again;
  const master = await again.masterOf('kept');
  expect(await master.ask('GET', 'kept')).toBe('yes');

  const before = master.pid();
  master.kill();
  await expect.poll(() => [undefined, before].includes(master.pid()), WAIT).toBe(false);
  await again.whole();

  const owner = await again.masterOf('kept');
  await owner.down();
  await expect.poll(async () => (await again.masterOf('kept')).port, WAIT).not.toBe(owner.port);
  const next = await again.masterOf('kept');
  expect(await next.ask('GET', 'kept')).toBe('yes');
  await owner.up();
  await again.whole();
  // The former master is a replica now.
  expect(await owner.ask('INFO', 'replication')).toContain('role:slave');
});
