// Redis on several servers for tests, in its own folder, which is removed afterwards.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type RedisCluster, startRedisCluster } from '@taskgraph/launcher/backends/redis-cluster';
import type { RedisServer, RedisServersOptions } from '@taskgraph/launcher/backends/redis-servers';
import { silentReport } from '@taskgraph/launcher/progress';
import { type SentinelRedis, startSentinelRedis } from '../backends/redis-sentinel.ts';

const PASSWORD = 'password-of-a-test';
const LIMIT_MS = 40_000;
const POLL_MS = 50;

/** Three masters with one replica each. */
export function startTestCluster(): Promise<RedisCluster> {
  return inFolder(startRedisCluster);
}

/** A master and a replica with one Sentinel, which decides alone. */
export function startTestSentinel(): Promise<SentinelRedis> {
  return inFolder((options) => startSentinelRedis({ ...options, sentinels: 1 }));
}

async function inFolder<T extends { stop(): Promise<void> }>(
  start: (options: RedisServersOptions) => Promise<T>,
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

/**
 * Waits until a sorted set has this many members, and the replica of this master reports everything
 * written until then. Other clients continue to write, so on a busy machine the replica rarely
 * equals the master at the same moment.
 */
export async function untilCopied(master: RedisServer, key: string, members: number): Promise<void> {
  const written = await until(`${key} has ${members} members`, async () => {
    if ((await master.ask('ZCARD', key)) !== String(members)) return undefined;
    return offsetIn(/master_repl_offset:(\d{1,20})/, await master.ask('INFO', 'replication'));
  });
  await until('the replica has them', async () => {
    const copied = offsetIn(/state=online,offset=(\d{1,20})/, await master.ask('INFO', 'replication'));
    return copied !== undefined && copied >= written ? copied : undefined;
  });
}

function offsetIn(pattern: RegExp, told: string): number | undefined {
  const [, digits] = pattern.exec(told) ?? [];
  return digits === undefined ? undefined : Number(digits);
}

async function until<T>(awaited: string, read: () => Promise<T | undefined>): Promise<T> {
  for (const end = Date.now() + LIMIT_MS; Date.now() < end; await sleep(POLL_MS)) {
    const value = await read();
    if (value !== undefined) return value;
  }
  throw new Error(`waited ${LIMIT_MS} ms in vain: ${awaited}`);
}
