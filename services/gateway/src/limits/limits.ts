// Rate limits: whether a caller may make a call now, and the `RateLimit-*` headers. Rules: LIM1,
// LIM2, LIM3, AUTH1.

import { createHash } from 'node:crypto';
import { LIMITS, type Limit, type LimitName, type LimitSubject, type Rates } from '@taskgraph/commands/rate-limits';
import type { RedisOptions } from '@taskgraph/runtime/service/redis-options';
import { type Refusal, refuse } from '@taskgraph/wire/errors';
import { type BackOff, noBackOff } from './back-off.ts';
import { createRedisCounter, type Demand, type LimitCount, type RedisCounter } from './redis-counter.ts';

export interface Caller {
  /** The client's address, as `clientAddress` returns it. */
  readonly ip: string;
  /** The user's id; without one, the caller is counted by address. */
  readonly user?: string | null;
  /**
   * The account that a login or registration names, such as an e-mail; needed for limits by
   * account.
   */
  readonly account?: string;
  /** The hash of the calendar's address that a program reads: a new address has a new count. */
  readonly calendar?: string;
  /** The number of calls it counts as in limits on all calls; 1 by default (BAT7). */
  readonly weight?: number;
  /** The event or endpoint, for limits that count each call separately. */
  readonly call?: string;
}

/** The verdict on a call. */
export interface LimitVerdict {
  /**
   * `rate_limited`, or `unavailable` for calls that are refused while Redis is away; null lets the
   * call pass.
   */
  readonly refusal: Refusal | null;
  /**
   * The `RateLimit-*` headers of the limit with the least left, and `Retry-After` past it. Counts
   * of an account stay hidden until they refuse: anyone can name an account, and would learn how
   * often it signs in.
   */
  readonly headers: Readonly<Record<string, string>>;
}

/** Totals since the start; `outages` counts the changes to local counting. */
export type LimitCounters = Record<'shared' | 'local' | 'limited' | 'closed' | 'outages', number>;

export interface Limits extends Pick<RedisCounter, 'id' | 'run' | 'gateways' | 'started' | 'close'> {
  /** Counts one call for all named limits, in one round trip. A refused call counts too. */
  take(names: readonly LimitName[], caller: Caller): Promise<LimitVerdict>;
  /** For attempts that may fail, such as passwords. */
  readonly backOff: BackOff;
  readonly counters: Readonly<LimitCounters>;
}

interface LimitsOptions {
  readonly redis: RedisOptions;
  readonly rates: Rates;
  /** The number of gateways until Redis reports it. */
  readonly gateways: number;
  readonly log: { info(fields: object, message: string): void; warn(fields: object, message: string): void };
}

const DEFINED: ReadonlyMap<LimitName, Limit> = new Map(LIMITS.map((limit) => [limit.name, limit]));

export function createLimits({ redis, rates, gateways, log }: LimitsOptions): Limits {
  const counters: LimitCounters = { shared: 0, local: 0, limited: 0, closed: 0, outages: 0 };
  const onMode = (shared: boolean) => {
    if (!shared) counters.outages++;
  };
  const counting = createRedisCounter({ redis, rates, gateways, log, onMode });
  return {
    counters,
    backOff: counting.backOff,
    id: counting.id,
    run: counting.run,
    gateways: counting.gateways,
    started: counting.started,
    close: counting.close,
    async take(names, caller) {
      const demands = names.flatMap((name) => demandsOf(name, caller));
      const { shared, counted } = await counting.count(demands);
      counters[shared ? 'shared' : 'local']++;
      const own = counted.filter((_, index) => demands[index]?.ofAccount !== true);
      const verdict = verdictOf(counted, own);
      if (!shared && names.some((name) => DEFINED.get(name)?.closes === true)) {
        counters.closed++;
        return { ...verdict, refusal: closed };
      }
      if (verdict.refusal !== null) counters.limited++;
      return verdict;
    },
  };
}

/** The same limits, which also report the name of each limit that refuses a call. */
export function reportRefusals(limits: Limits, onRefused: (limit: string) => void): Limits {
  return {
    ...limits,
    async take(names, caller) {
      const verdict = await limits.take(names, caller);
      const limit = verdict.refusal?.details?.limit;
      if (limit !== undefined) onRefused(String(limit));
      return verdict;
    },
  };
}

/** Lets every call pass without headers, for benchmarks and tests. */
export const noLimits: Limits = {
  counters: { shared: 0, local: 0, limited: 0, closed: 0, outages: 0 },
  backOff: noBackOff,
  id: 'alone',
  run: async () => null,
  gateways: () => 1,
  take: async () => ({ refusal: null, headers: {} }),
  started: async () => undefined,
  close: async () => undefined,
};

const closed = refuse('unavailable', 'This call is unavailable while its limits cannot be counted. Try again soon.');

/** The demands of a call: one for each subject of a limit. */
export function demandsOf(name: LimitName, caller: Caller): Demand[] {
  const { subjects, calls } = DEFINED.get(name) as Limit;
  const call = calls === 'each' ? `:${caller.call ?? ''}` : '';
  return subjects.flatMap((subject) => {
    const who = identityOf(subject, caller);
    if (who === null) return [];
    const weight = calls === 'all' && caller.weight !== undefined ? { weight: caller.weight } : {};
    return [{ limit: name, key: who + call, ...weight, ...(subject === 'account' && { ofAccount: true }) }];
  });
}

function identityOf(subject: LimitSubject, { ip, user, account, calendar }: Caller): string | null {
  if (subject === 'calendar') return calendar === undefined ? null : `calendar:${calendar}`;
  if (subject === 'user' && user !== undefined && user !== null) return `user:${user}`;
  if (subject !== 'account') return `ip:${ip}`;
  // Hashed, since the text is unbounded and Redis need not know it.
  return account === undefined ? null : `account:${hashOf(account.trim().toLowerCase())}`;
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/**
 * The verdict by the limit that refuses for longest, else by the one of `shown` with the least
 * left.
 */
export function verdictOf(counted: readonly LimitCount[], shown: readonly LimitCount[] = counted): LimitVerdict {
  const isRefused = counted.some(({ points, used }) => used > points);
  const [tightest] = [...(isRefused ? counted : shown)].sort(byUrgency);
  if (tightest === undefined) return { refusal: null, headers: {} };
  const { limit, points, used, resetMs } = tightest;
  const seconds = String(Math.ceil(resetMs / 1_000));
  const headers = {
    'RateLimit-Limit': String(points),
    'RateLimit-Remaining': String(leftOf(tightest)),
    'RateLimit-Reset': seconds,
  };
  if (used <= points) return { refusal: null, headers };
  const retryAfterMs = Math.max(1, resetMs);
  const message = `The limit ${limit} is reached. Try again in ${(retryAfterMs / 1_000).toFixed(1)} s.`;
  const retryAfter = { 'Retry-After': String(Math.ceil(retryAfterMs / 1_000)) };
  return { refusal: refuse('rate_limited', message, { limit, retryAfterMs }), headers: { ...headers, ...retryAfter } };
}

function byUrgency(one: LimitCount, other: LimitCount): number {
  const [onePassed, otherPassed] = [one, other].map(({ used, points }) => Number(used > points)) as [number, number];
  return otherPassed - onePassed || leftOf(one) - leftOf(other) || other.resetMs - one.resetMs;
}

function leftOf({ points, used }: LimitCount): number {
  return Math.max(0, points - used);
}
