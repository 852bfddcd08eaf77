// Says of each call whether its caller may make it now, and what they are told of their limits. Rules: LIM1, LIM2, LIM3, AUTH1.

import { createHash } from 'node:crypto';
import { LIMITS, type Limit, type LimitName, type Rates, type Scope } from '@taskgraph/commands/rate-limits';
import type { RedisOptions } from '@taskgraph/runtime/service/redis-options';
import { type Refusal, refuse } from '@taskgraph/wire/errors';
import { type BackOff, noBackOff } from './back-off.ts';
import { type Counted, type Counting, createCounting, type Demand } from './redis-counting.ts';

/** The caller. */
export interface Caller {
  /** The client's address, as `clientAddress` gives it. */
  readonly ip: string;
  /** The id of the user; null or left out where nobody is known: they are counted by their address. */
  readonly user?: string | null;
  /** The name of an account in a login or registration, such as an e-mail; limits by account are not counted without it. */
  readonly account?: string;
  /** How many calls it counts as where all are counted together; 1 if not given (BAT7). */
  readonly weight?: number;
  /** The call, for limits that count each on its own: an event, or the name of an endpoint that has none. */
  readonly call?: string;
}

/** The verdict on a call. */
export interface LimitVerdict {
  /** `rate_limited`, or `unavailable` for what is closed while Redis is away; null lets the call pass. */
  readonly refusal: Refusal | null;
  /**
   * The `RateLimit-*` headers of the limit with the least left, and `Retry-After` where it is passed. Counts of an account are not shown
   * before they refuse: anybody may name any account, and would learn how often it signs in.
   */
  readonly headers: Readonly<Record<string, string>>;
}

/** How often each thing happened since the start; `outages` counts the changes to counting alone. */
export type LimitCounters = Record<'shared' | 'local' | 'limited' | 'closed' | 'outages', number>;

export interface Limits extends Pick<Counting, 'id' | 'run' | 'gateways' | 'started' | 'close'> {
  /** Counts one call for all the limits that are named, in one round, whatever becomes of it: a rejected call counts too. */
  take(names: readonly LimitName[], caller: Caller): Promise<LimitVerdict>;
  /** For tries that may fail, such as those at a password. */
  readonly backOff: BackOff;
  readonly counters: Readonly<LimitCounters>;
}

interface Options {
  readonly redis: RedisOptions;
  readonly rates: Rates;
  /** How many gateways there are, as long as Redis has not told. */
  readonly gateways: number;
  readonly log: { info(fields: object, message: string): void; warn(fields: object, message: string): void };
}

const DEFINED: ReadonlyMap<LimitName, Limit> = new Map(LIMITS.map((limit) => [limit.name, limit]));

export function createLimits({ redis, rates, gateways, log }: Options): Limits {
  const counters: LimitCounters = { shared: 0, local: 0, limited: 0, closed: 0, outages: 0 };
  const onMode = (shared: boolean) => {
    if (!shared) counters.outages++;
  };
  const counting = createCounting({ redis, rates, gateways, log, onMode });
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

/** Lets everything pass and tells nothing, for benchmarks and tests. */
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

/** The demands of a call: each scope of a limit on its own. */
export function demandsOf(name: LimitName, caller: Caller): Demand[] {
  const { scopes, calls } = DEFINED.get(name) as Limit;
  const call = calls === 'each' ? `:${caller.call ?? ''}` : '';
  return scopes.flatMap((scope) => {
    const who = identityOf(scope, caller);
    if (who === null) return [];
    const weight = calls === 'all' && caller.weight !== undefined ? { weight: caller.weight } : {};
    return [{ limit: name, key: who + call, ...weight, ...(scope === 'account' && { ofAccount: true }) }];
  });
}

function identityOf(scope: Scope, { ip, user, account }: Caller): string | null {
  if (scope === 'user' && user !== undefined && user !== null) return `user:${user}`;
  if (scope !== 'account') return `ip:${ip}`;
  // A hash, since what anybody may type is neither bounded nor for Redis to know.
  return account === undefined ? null : `account:${hashOf(account.trim().toLowerCase())}`;
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** Tells the limit that refuses for longest, else the one of `shown` with the least left. */
export function verdictOf(counted: readonly Counted[], shown: readonly Counted[] = counted): LimitVerdict {
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

function byUrgency(one: Counted, other: Counted): number {
  const [onePassed, otherPassed] = [one, other].map(({ used, points }) => Number(used > points)) as [number, number];
  return otherPassed - onePassed || leftOf(one) - leftOf(other) || other.resetMs - one.resetMs;
}

function leftOf({ points, used }: Counted): number {
  return Math.max(0, points - used);
}
