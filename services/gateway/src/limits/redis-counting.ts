// Counts calls in Redis, so that limits hold across all gateways; knows when Redis is away, and how many gateways there were. Rule: LIM3.

import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { LIMITS, type LimitName, type Rates } from '@taskgraph/commands/rate-limits';
import { openRedis, type RedisClient } from '@taskgraph/runtime/service/redis';
import type { RedisOptions } from '@taskgraph/runtime/service/redis-options';
import { RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';

import { type BackOff, createBackOff } from './back-off.ts';
import { createLocalWindows, shareOf, type WindowCount } from './local-counting.ts';

const KEY_PREFIX = 'tg:limit';
/** Also the tag of all keys that scripts take beside it: a cluster keeps them with it. */
export const GATEWAYS_KEY = 'tg:gateways';
/** Between two signs of life in Redis, and so between two looks whether it is back. */
const HEARTBEAT_MS = 1_000;
/** A gateway that gave no sign for so long is not counted any more. */
const GONE_MS = 5_000;
/** A count that takes longer is taken for an outage: no call may hang on its limit. */
const COUNT_LIMIT_MS = 1_000;
/** How long a gateway that starts waits for Redis, so that its first calls are counted like all others. */
const START_LIMIT_MS = 2_000;

/**
 * Says that a gateway lives, and counts those that do.
 * KEYS: the gateways, by the time of their last sign. ARGV: this gateway's id, milliseconds after which one is gone.
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
  /** The caller and the subject that are counted: unique within the limit. */
  readonly key: string;
  /** How many calls it counts as; 1 if not given. */
  readonly weight?: number;
  /** Whether it counts all who name an account, and not the caller alone. */
  readonly ofAccount?: boolean;
}

/** The result of a demand. `points`: the bound that holds for it here and now. */
export interface Counted extends WindowCount {
  readonly limit: LimitName;
  readonly points: number;
}

export interface Counting {
  /** Counts all demands of one call in one round. `shared`: whether all gateways counted together. */
  count(demands: readonly Demand[]): Promise<{ shared: boolean; counted: readonly Counted[] }>;
  /** Counts failures on the same Redis; it closes where Redis is away. */
  readonly backOff: BackOff;
  /** The id of this gateway among the gateways in Redis. */
  readonly id: string;
  /** Runs a script in Redis, where the gateways are the last of its keys; null where Redis is away. */
  run(script: string, keys: readonly string[], args: readonly (string | number)[]): Promise<unknown>;
  /** How many gateways there were when Redis was last asked; the limits are shared between so many while it is away. */
  gateways(): number;
  /** Resolves when Redis has answered for the first time, or was waited for long enough. */
  started(): Promise<void>;
  close(): Promise<void>;
}

interface Options {
  readonly redis: RedisOptions;
  readonly rates: Rates;
  /** How many gateways there are, as long as Redis has not told. */
  readonly gateways: number;
  /** Told at each change between counting together and counting alone. */
  readonly onMode: (shared: boolean) => void;
  readonly log: { info(fields: object, message: string): void; warn(fields: object, message: string): void };
}

export function createCounting({ rates, log, onMode, ...options }: Options): Counting {
  const redis = openRedis(options.redis, {
    // Calls that come together travel together.
    enableAutoPipelining: true,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    commandTimeout: COUNT_LIMIT_MS,
  });
  // A lost connection is told of where a count or a heartbeat fails.
  redis.on('error', () => undefined);
  const limiters = limitersOf(redis, rates);
  const countLocally = createLocalWindows();
  const id = randomUUID();
  const ending = new AbortController();
  let gateways = options.gateways;
  let mode: 'unknown' | 'shared' | 'local' = 'unknown';
  // Of a cluster, a part may be away while the gateways' own key is there: then the key that failed says when all count together again.
  let failed: string | null = null;

  function setMode(next: 'shared' | 'local', error?: unknown): void {
    if (next === mode) return;
    if (next === 'local') log.warn({ error, gateways }, 'Redis is away: each gateway gives its share of the limits');
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

  function alone(demands: readonly Demand[]): readonly Counted[] {
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
      // One that can't say goodbye is missed after a while.
      await redis.zrem(GATEWAYS_KEY, id).catch(() => undefined);
      redis.disconnect();
    },
  };
}

/** Commands of a connection that does not stand yet would fail at once; after some time that is what shall happen. */
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

/** The library rejects with where the caller stands if that is past the limit, and with an Error if Redis fails. */
async function consume(limiters: ReadonlyMap<LimitName, RateLimiterRedis>, demand: Demand): Promise<Counted> {
  const { limit, key, weight = 1 } = demand;
  const limiter = limiters.get(limit) as RateLimiterRedis;
  const { consumedPoints, msBeforeNext } = await limiter.consume(key, weight).catch((outcome: unknown) => {
    if (outcome instanceof RateLimiterRes) return outcome;
    throw outcome;
  });
  return { limit, points: limiter.points, used: consumedPoints, resetMs: Math.max(0, msBeforeNext) };
}
