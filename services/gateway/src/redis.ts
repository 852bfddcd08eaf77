// Connections to Redis, which come back by themselves.
import type { RedisOptions } from '@taskgraph/runtime/service/backends';
import { type RedisOptions as ClientOptions, Redis } from 'ioredis';

const LONGEST_RECONNECT_WAIT_MS = 2_000;

type Bounds = Pick<
  ClientOptions,
  'commandTimeout' | 'enableAutoPipelining' | 'enableOfflineQueue' | 'maxRetriesPerRequest'
>;

/** Connects in the background. */
export function openRedis({ url, tls }: RedisOptions, bounds: Bounds): Redis {
  return new Redis(url, {
    ...bounds,
    ...(tls === undefined ? {} : { tls }),
    retryStrategy: (attempt: number) => Math.min(attempt * 100, LONGEST_RECONNECT_WAIT_MS),
  });
}
