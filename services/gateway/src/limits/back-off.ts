// Slows down guessing: after some failures in a row, each further attempt must wait twice as long.
// Redis counts for all gateways. Rules: AUTH1, AUTH4, LIM3.
import { createHash } from 'node:crypto';
import type { RedisClient } from '@taskgraph/runtime/service/redis';
import { type Refusal, refuse } from '@taskgraph/wire/errors';

const KEY_PREFIX = 'tg:back-off';

/** How many failures are free, and how the waits grow. */
interface Growth {
  readonly failures: number;
  readonly firstWaitMs: number;
  readonly longestWaitMs: number;
  readonly rememberedMs: number;
}

const GROWTH: Growth = {
  /** Failures in a row before the first wait: as many as the limit `login` allows in a minute. */
  failures: 10,
  firstWaitMs: 15_000,
  longestWaitMs: 15 * 60_000,
  /** How long failures count after the last one. */
  rememberedMs: 24 * 60 * 60_000,
};

/**
 * Begins an attempt. It counts as a failure until its end, so that simultaneous attempts cannot all
 * pass as the last one.
 * KEYS: the subject. ARGV: free failures, first and longest wait, and how long failures count, in
 * milliseconds. Returns the milliseconds to wait, or 0 if the attempt may begin.
 */
const BEGIN = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local known = redis.call('HMGET', KEYS[1], 'failures', 'waits')
local waits = tonumber(known[2] or '0')
if waits > now then return waits - now end
local failures = tonumber(known[1] or '0') + 1
local wait = 0
local past = failures - tonumber(ARGV[1])
if past >= 0 then wait = math.min(tonumber(ARGV[2]) * 2 ^ math.min(past, 30), tonumber(ARGV[3])) end
redis.call('HSET', KEYS[1], 'failures', failures, 'waits', string.format('%.0f', now + wait))
redis.call('PEXPIRE', KEYS[1], ARGV[4])
return 0
`;

/** Takes back an attempt that was not made. KEYS: the subject. */
const TAKE_BACK = `
local failures = tonumber(redis.call('HGET', KEYS[1], 'failures') or '0')
if failures <= 1 then return redis.call('DEL', KEYS[1]) end
redis.call('HSET', KEYS[1], 'failures', failures - 1, 'waits', 0)
return 1
`;

export interface BackOff {
  /**
   * Begins an attempt of a subject: null if it may proceed, `rate_limited` if it must wait,
   * `unavailable` without Redis.
   */
  begin(who: string): Promise<Refusal | null>;
  /** Ends the attempt; a failure has been counted already. */
  end(who: string, outcome: 'right' | 'wrong' | 'not_tried'): Promise<void>;
  /** How many attempts had to wait. */
  readonly refused: () => number;
}

interface FailureLog {
  warn(fields: object, message: string): void;
}

export function createBackOff(redis: RedisClient, log: FailureLog, growth: Growth = GROWTH): BackOff {
  const { failures, firstWaitMs, longestWaitMs, rememberedMs } = growth;
  let refused = 0;
  return {
    refused: () => refused,
    async begin(who) {
      const counted = [failures, firstWaitMs, longestWaitMs, rememberedMs];
      try {
        const retryAfterMs = Number(await redis.eval(BEGIN, 1, keyOf(who), ...counted));
        if (retryAfterMs <= 0) return null;
        refused++;
        return refuse('rate_limited', 'Too many attempts failed in a row. Try again later.', {
          limit: 'login:failures',
          retryAfterMs,
        });
      } catch (error) {
        log.warn({ error }, 'Redis is away: sign-ins are refused');
        const message = 'This call is unavailable while its limits cannot be counted. Try again soon.';
        // The attempt itself has not begun.
        return refuse('unavailable', message, { outcome: 'not_done' });
      }
    },
    async end(who, outcome) {
      if (outcome === 'wrong') return;
      const done = outcome === 'right' ? redis.del(keyOf(who)) : redis.eval(TAKE_BACK, 1, keyOf(who));
      // The count expires anyway; a caller with the right password must not be refused for it.
      await done.catch((error: unknown) => log.warn({ error }, 'a counted failure could not be removed'));
    },
  };
}

/** Lets every attempt begin, for benchmarks and tests. */
export const noBackOff: BackOff = { begin: async () => null, end: async () => undefined, refused: () => 0 };

/** Hashed, since the text is unbounded and Redis need not know it. */
function keyOf(who: string): string {
  return `${KEY_PREFIX}:${createHash('sha256').update(who).digest('hex')}`;
}
