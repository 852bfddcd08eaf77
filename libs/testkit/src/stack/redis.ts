// A Redis of several servers for tests, in a folder of its own that goes with it.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type RedisCluster, startRedisCluster } from '@taskgraph/launcher/backends/redis-cluster';
import { startWatchedRedis, type WatchedRedis } from '@taskgraph/launcher/backends/redis-sentinel';
import type { RedisServer, ServersOptions } from '@taskgraph/launcher/backends/redis-servers';
import { silentReport } from '@taskgraph/launcher/progress';

const PASSWORD = 'password-of-a-test';

/** Three masters with a replica each. */
export function startTestCluster(): Promise<RedisCluster> {
  return inFolder(startRedisCluster);
}

/** A master and a replica, with one Sentinel, which decides alone. */
export function startTestSentinel(): Promise<WatchedRedis> {
  return inFolder((options) => startWatchedRedis({ ...options, sentinels: 1 }));
}

async function inFolder<T extends { stop(): Promise<void> }>(
  start: (options: ServersOptions) => Promise<T>,
): Promise<T> {
  const dataDir = await mkdtemp(join(tmpdir(), 'taskgraph-redis-'));
  const remove = () => rm(dataDir, { recursive: true, force: true });
  try {
    const started = await start({ dataDir, password: PASSWORD, report: silentReport });
    const stop = async () => {
      await started.stop();
      await remove();
    };
    return { ...started, stop };
  } catch (error) {
    await remove();
    throw error;
  }
}

/** Whether so many members of a sorted set are there, and the replica of this master has said that it has all. */
export async function isCopied(master: RedisServer, key: string, members: number): Promise<boolean> {
  const [found, told] = [await master.ask('ZCARD', key), await master.ask('INFO', 'replication')];
  const [, written] = /master_repl_offset:(\d{1,20})/.exec(told) ?? [];
  const [, copied] = /state=online,offset=(\d{1,20})/.exec(told) ?? [];
  return found === String(members) && Number(copied) >= Number(written);
}
