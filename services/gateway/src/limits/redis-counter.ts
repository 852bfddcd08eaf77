// Counts calls in Redis, so that limits hold across gateways. While Redis is away it counts alone,
// with a share of each limit. Rule: LIM3.

import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { LIMITS, type LimitName, type Rates } from '@taskgraph/commands/rate-limits';
import { openRedis, type RedisClient } from '@taskgraph/runtime/service/redis';
import type { RedisOptions } from '@taskgraph/runtime/service/redis-options';
import { RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';

import { type BackOff, createBackOff } from './back-off.ts';
import { createLocalWindows, shareOf, type WindowCount } from './local-counter.ts';

const KEY_PREFIX = 'tg:limit';
/**
 * Also the hash tag of all keys that scripts use with it, so that a cluster stores them together.
 */
export const GATEWAYS_KEY = 'tg:gateways';
/** Between two heartbeats in Redis, each of which also detects that Redis is back. */
const HEARTBEAT_MS = 1_000;
/** A gateway without a heartbeat for this long is no longer counted. */
const GONE_MS = 5_000;
/** A slower count is taken as an outage: no call may hang on its limit. */
const COUNT_LIMIT_MS = 1_000;
/** How long a starting gateway waits for Redis, so that its first calls are counted there. */
const START_LIMIT_MS = 2_000;

/**
 * Records a heartbeat and returns the number of live gateways.
 * KEYS: the gateways, by the time of their last heartbeat. ARGV: this gateway's id, milliseconds
 * until one is dead.
 */
const HEARTBEAT = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZADD', KEYS[1], now, ARGV[1])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - ARGV[2])
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return redis.call('ZCARD', KEYS[1])
`;

/** One call of one caller, for one limit. */
export interface Demand {
  readonly limit: LimitName;
  /** The caller and the subject; unique within the limit. */
  readonly key: string;
  /** The number of calls it counts as; 1 by default. */
  readonly weight?: number;
  /** Whether it counts every caller that names an account, not this caller alone. */
  readonly ofAccount?: boolean;
}

/** The result of a demand. `points` is the bound in force. */
export interface LimitCount extends WindowCount {
  readonly limit: LimitName;
  readonly points: number;
}

export interface RedisCounter {
  /**
   * Counts all demands of one call in one round trip. `shared`: whether Redis counted, for all
   * gateways.
   */
  count(demands: readonly Demand[]): Promise<{ shared: boolean; counted: readonly LimitCount[] }>;
  /** Counts failures in the same Redis; refuses attempts while Redis is away. */
  readonly backOff: BackOff;
  /** This gateway's id in Redis. */
  readonly id: string;
  /** Runs a script in Redis with the gateways' key as its last key; null while Redis is away. */
  run(script: string, keys: readonly string[], args: readonly (string | number)[]): Promise<unknown>;
  /** The last known number of gateways, among which the limits are divided while Redis is away. */
  gateways(): number;
  /** Resolves at the first answer of Redis, or after a limit. */
  started(): Promise<void>;
  close(): Promise<void>;
}

interface RedisCounterOptions {
  readonly redis: RedisOptions;
  readonly rates: Rates;
  /** The number of gateways until Redis reports it. */
  readonly gateways: number;
  /** Called at each change between shared and local counting. */
  readonly onMode: (shared: boolean) => void;
  readonly log: { info(fields: object, message: string): void; warn(fields: object, message: string): void };
}

export function createRedisCounter({ rates, log, onMode, ...options }: RedisCounterOptions): RedisCounter {
  const redis = openRedis(options.redis, {
    // Simultaneous calls share a round trip.
    enableAutoPipelining: true,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    commandTimeout: COUNT_LIMIT_MS,
  });
  // A failed count or heartbeat reports a lost connection.
  redis.on('error', () => undefined);
  const limiters = limitersOf(redis, rates);
  const countLocally = createLocalWindows();
  const id = randomUUID();
  const ending = new AbortController();
  let gateways = options.gateways;
  let mode: 'unknown' | 'shared' | 'local' = 'unknown';
  // One node of a cluster may be away while the gateways' key is reachable: the failed key shows
  // when all nodes are back.
  let failed: string | null = null;

  function setMode(next: 'shared' | 'local', error?: unknown): void {
    if (next === mode) return;
    if (next === 'local') log.warn({ error, gateways }, 'Redis is away: each gateway applies its share of the limits');
    else if (mode === 'local') log.info({ gateways }, 'Redis is back: limits count across all gateways');
    mode = next;
    if (next === 'shared') failed = null;
    onMode(next === 'shared');
  }

  async function beat(): Promise<void> {
    try {
      gateways = Number(await redis.eval(HEARTBEAT, 1, GATEWAYS_KEY, id, GONE_MS));
      if (failed !== null) await redis.exists(failed);
      setMode('shared');
    } catch (error) {
      if (!ending.signal.aborted) setMode('local', error);
    }
  }

  async function keepBeating(): Promise<void> {
    await untilReady(redis, ending.signal);
    while (!ending.signal.aborted) {
      await beat();
      await sleep(HEARTBEAT_MS, undefined, { signal: ending.signal, ref: false }).catch(() => undefined);
    }
  }

  function alone(demands: readonly Demand[]): readonly LimitCount[] {
    const nowMs = Date.now();
    return demands.map(({ limit, key, weight = 1 }) => {
      const { points, seconds } = rates[limit];
      return { limit, points: shareOf(points, gateways), ...countLocally(`${limit}:${key}`, seconds, nowMs, weight) };
    });
  }

  const beating = keepBeating();
  return {
    id,
    async run(script, keys, args) {
      if (mode !== 'shared') return null;
      try {
        return await redis.eval(script, keys.length + 1, ...keys, GATEWAYS_KEY, ...args);
      } catch (error) {
        if (!ending.signal.aborted) setMode('local', error);
        return null;
      }
    },
    async count(demands) {
      if (mode !== 'shared') return { shared: false, counted: alone(demands) };
      try {
        const counting = demands.map((demand) =>
          consume(limiters, demand).catch((error: unknown) => {
            failed = `${KEY_PREFIX}:${demand.limit}:${demand.key}`;
            throw error;
          }),
        );
        return { shared: true, counted: await Promise.all(counting) };
      } catch (error) {
        setMode('local', error);
        return { shared: false, counted: alone(demands) };
      }
    },
    backOff: createBackOff(redis, log),
    gateways: () => gateways,
    async started() {
      const deadlineMs = Date.now() + START_LIMIT_MS;
      while (mode === 'unknown' && Date.now() < deadlineMs) await sleep(10);
    },
    async close() {
      ending.abort();
      await beating;
      // If this fails, the missing heartbeats remove the gateway.
      await redis.zrem(GATEWAYS_KEY, id).catch(() => undefined);
      redis.disconnect();
    },
  };
}

/** Waits for the connection, up to a limit, since commands before it would fail at once. */
async function untilReady(redis: RedisClient, signal: AbortSignal): Promise<void> {
  const deadlineMs = Date.now() + COUNT_LIMIT_MS;
  while (redis.status !== 'ready' && !signal.aborted && Date.now() < deadlineMs) await sleep(10);
}

function limitersOf(redis: RedisClient, rates: Rates): ReadonlyMap<LimitName, RateLimiterRedis> {
  return new Map(
    LIMITS.map(({ name }) => {
      const { points, seconds } = rates[name];
      const keyPrefix = `${KEY_PREFIX}:${name}`;
      return [name, new RateLimiterRedis({ storeClient: redis, keyPrefix, points, duration: seconds })];
    }),
  );
}

/** The library rejects with a `RateLimiterRes` past the limit, and with an Error if Redis fails. */
async function consume(limiters: ReadonlyMap<LimitName, RateLimiterRedis>, demand: Demand): Promise<LimitCount> {
  const { limit, key, weight = 1 } = demand;
  const limiter = limiters.get(limit) as RateLimiterRedis;
  const { consumedPoints, msBeforeNext } = await limiter.consume(key, weight).catch((outcome: unknown) => {
    if (outcome instanceof RateLimiterRes) return outcome;
    throw outcome;
  });
  return { limit, points: limiter.points, used: consumedPoints, resetMs: Math.max(0, msBeforeNext) };
}
