// Slows down whoever guesses: after some failures in a row each further try has to wait twice as long. Counted in Redis for all gateways; who
// is counted is the caller's business. Rules: AUTH1, AUTH4, LIM3.
import { createHash } from 'node:crypto';
import type { RedisClient } from '@taskgraph/runtime/service/redis';
import { type Refusal, refuse } from '@taskgraph/wire/errors';

const KEY_PREFIX = 'tg:back-off';

/** How much is forgiven, and how the waits grow. */
interface Growth {
  readonly failures: number;
  readonly firstWaitMs: number;
  readonly longestWaitMs: number;
  readonly rememberedMs: number;
}

const GROWTH: Growth = {
  /** Failures in a row before the first wait: as many as the limit `login` lets through in a minute. */
  failures: 10,
  firstWaitMs: 15_000,
  longestWaitMs: 15 * 60_000,
  /** Failures are forgotten so long after the last one. */
  rememberedMs: 24 * 60 * 60_000,
};

/**
 * Lets a try begin, which counts as a failure until it turns out otherwise: so those that begin at once can't all be the last one.
 * KEYS: who is counted. ARGV: failures before the first wait, first and longest wait, and how long it is remembered, in milliseconds.
 * Gives the milliseconds to wait, 0 where the try may begin.
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

/** Takes back a try that could not be made. KEYS: who is counted. */
const TAKE_BACK = `
local failures = tonumber(redis.call('HGET', KEYS[1], 'failures') or '0')
if failures <= 1 then return redis.call('DEL', KEYS[1]) end
redis.call('HSET', KEYS[1], 'failures', failures - 1, 'waits', 0)
return 1
`;

export interface BackOff {
  /** Begins a try: null where it may be made; `rate_limited` where it has to wait, `unavailable` where that can't be found out. */
  begin(who: string): Promise<Refusal | null>;
  /** Ends the try that began; a failure is counted already. */
  end(who: string, outcome: 'right' | 'wrong' | 'not_tried'): Promise<void>;
  /** How many tries had to wait. */
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
          ...{ limit: 'login:failures', retryAfterMs },
        });
      } catch (error) {
        log.warn({ error }, 'Redis is away: nobody can sign in');
        const message = 'This call is unavailable while its limits cannot be counted. Try again soon.';
        // Whatever may be tried too often begins with this.
        return refuse('unavailable', message, { outcome: 'not_done' });
      }
    },
    async end(who, outcome) {
      if (outcome === 'wrong') return;
      const done = outcome === 'right' ? redis.del(keyOf(who)) : redis.eval(TAKE_BACK, 1, keyOf(who));
      // A count is forgotten by itself; a caller who was right must not be refused for it.
      await done.catch((error: unknown) => log.warn({ error }, 'a failure could not be taken back'));
    },
  };
}

/** Lets everybody try, for benchmarks and tests. */
export const noBackOff: BackOff = { begin: async () => null, end: async () => undefined, refused: () => 0 };

/** A hash, since what anybody may type is neither bounded nor for Redis to know. */
function keyOf(who: string): string {
  return `${KEY_PREFIX}:${createHash('sha256').update(who).digest('hex')}`;
}
