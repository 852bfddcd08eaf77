// How many sockets a user and an address have at once, over all gateways. Rules: LIM1, LIM3, LIM4.
//
// Each gateway keeps its own number in a hash of Redis, for each user and address. Numbers of
// gateways that give no sign of life do not count, and what got lost is written again every few
// seconds. While Redis is away, each gateway gives its share.
import { type Refusal, refuse } from '@taskgraph/wire/errors';
import type { Limits } from '../limits/limits.ts';
import { shareOf } from '../limits/local-counting.ts';
import { GATEWAYS_KEY } from '../limits/redis-counting.ts';

/** With the key of the gateways, which scripts take beside: a cluster keeps both in one place. */
const KEY_PREFIX = `tg:sockets:{${GATEWAYS_KEY}}`;
const RENEW_MS = 15_000;
const KEPT_MS = 60_000;
/** Numbers that are written again in one go. */
const RENEWED_AT_ONCE = 500;
const RETRY_AFTER_MS = 10_000;

/**
 * Takes a place where there is one. KEYS: the numbers by gateway, the gateways. ARGV: this
 * gateway's id, its number with the new one, the bound, milliseconds for which it is kept. Gives 1
 * where it is taken.
 */
const TAKE = `
local others = 0
for _, gateway in ipairs(redis.call('HKEYS', KEYS[1])) do
  if gateway ~= ARGV[1] then
    if redis.call('ZSCORE', KEYS[2], gateway) then others = others + tonumber(redis.call('HGET', KEYS[1], gateway) or 0)
    else redis.call('HDEL', KEYS[1], gateway) end
  end
end
if others + tonumber(ARGV[2]) > tonumber(ARGV[3]) then return 0 end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
redis.call('PEXPIRE', KEYS[1], ARGV[4])
return 1
`;

/**
 * Writes a gateway's number. KEYS: the numbers by gateway. ARGV: its id, the number, milliseconds
 * for which it is kept.
 */
const WRITE = `
if tonumber(ARGV[2]) == 0 then return redis.call('HDEL', KEYS[1], ARGV[1]) end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
return redis.call('PEXPIRE', KEYS[1], ARGV[3])
`;

export type PlaceName = 'sockets:user' | 'sockets:ip';
/** The most sockets of each at once. */
export type PlaceBounds = Readonly<Record<PlaceName, number>>;

interface Options {
  readonly bounds: PlaceBounds;
  readonly limits: Pick<Limits, 'id' | 'run' | 'gateways'>;
}

/** The holder of a place: a socket at an address, and of a user where one is known. */
export interface Holder {
  readonly ip: string;
  readonly user: string | null;
}

export type Places = ReturnType<typeof createPlaces>;

export function createPlaces({ bounds, limits }: Options) {
  const held = new Map<string, number>();
  const refused: Record<PlaceName, number> = { 'sockets:user': 0, 'sockets:ip': 0 };

  function write(key: string): Promise<unknown> {
    return limits.run(WRITE, [key], [limits.id, held.get(key) ?? 0, KEPT_MS]);
  }

  function drop(key: string): void {
    const left = (held.get(key) ?? 1) - 1;
    if (left === 0) held.delete(key);
    else held.set(key, left);
  }

  function leave(key: string): void {
    drop(key);
    void write(key);
  }

  async function takeOne(name: PlaceName, key: string): Promise<boolean> {
    const mine = (held.get(key) ?? 0) + 1;
    held.set(key, mine);
    const taken = await limits.run(TAKE, [key], [limits.id, mine, bounds[name], KEPT_MS]);
    const isTaken = taken === null ? mine <= shareOf(bounds[name], limits.gateways()) : taken === 1;
    if (isTaken) return true;
    drop(key);
    refused[name]++;
    return false;
  }

  async function renew(): Promise<void> {
    const keys = [...held.keys()];
    for (let start = 0; start < keys.length; start += RENEWED_AT_ONCE) {
      await Promise.all(keys.slice(start, start + RENEWED_AT_ONCE).map((key) => write(key)));
    }
  }

  let isRenewing = false;
  const timer = setInterval(() => {
    if (isRenewing) return;
    isRenewing = true;
    void renew().finally(() => {
      isRenewing = false;
    });
  }, RENEW_MS);
  timer.unref();

  return {
    /**
     * Takes a place for a socket at its address, and for its user; gives why there is none. Each
     * that is taken has to be left once.
     */
    async take(holder: Holder): Promise<Refusal | null> {
      const taken: string[] = [];
      for (const [name, key] of placesOf(holder)) {
        if (await takeOne(name, key)) taken.push(key);
        else {
          taken.forEach(leave);
          return full(name);
        }
      }
      return null;
    },
    leave(holder: Holder): void {
      for (const [, key] of placesOf(holder)) leave(key);
    },
    refused,
    stop(): void {
      clearInterval(timer);
    },
  };
}

function placesOf({ ip, user }: Holder): [PlaceName, string][] {
  const ofAddress: [PlaceName, string] = ['sockets:ip', `${KEY_PREFIX}:ip:${ip}`];
  return user === null ? [ofAddress] : [ofAddress, ['sockets:user', `${KEY_PREFIX}:user:${user}`]];
}

function full(name: PlaceName): Refusal {
  const message = `The limit ${name} is reached: close other connections, or try again later.`;
  return refuse('rate_limited', message, { limit: name, retryAfterMs: RETRY_AFTER_MS });
}
