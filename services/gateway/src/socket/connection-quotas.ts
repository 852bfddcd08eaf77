// Bounds the sockets and the waiting calls of a user and of an address, over all gateways. Rules:
// LIM1, LIM3, LIM4, LONG2.
//
// Redis has a hash of counts by gateway for each user and address. Counts of dead gateways are
// ignored, and each gateway rewrites its own every few seconds. While Redis is away, each gateway
// grants its share of the bound.
import { type Refusal, refuse } from '@taskgraph/wire/errors';
import type { Limits } from '../limits/limits.ts';
import { shareOf } from '../limits/local-counter.ts';
import { GATEWAYS_KEY } from '../limits/redis-counter.ts';

const RENEW_MS = 15_000;
const KEPT_MS = 60_000;
/** Counts rewritten at once. */
const RENEWED_AT_ONCE = 500;
const RETRY_AFTER_MS = 10_000;

/**
 * Adds a socket if the bound allows it. KEYS: the counts by gateway, the gateways. ARGV: this
 * gateway's id, its new count, the bound, milliseconds until expiry. Returns 1 if it was added.
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
 * Writes a gateway's count. KEYS: the counts by gateway. ARGV: its id, the count, milliseconds
 * until expiry.
 */
const WRITE = `
if tonumber(ARGV[2]) == 0 then return redis.call('HDEL', KEYS[1], ARGV[1]) end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
return redis.call('PEXPIRE', KEYS[1], ARGV[3])
`;

/** The counted connections: sockets and waiting calls. */
export type QuotaKind = 'sockets' | 'waiting';
export type QuotaName<Kind extends QuotaKind = QuotaKind> = `${Kind}:user` | `${Kind}:ip`;
/** The maximum of each. */
export type ConnectionQuotaBounds<Kind extends QuotaKind = 'sockets'> = Readonly<Record<QuotaName<Kind>, number>>;

interface ConnectionQuotasOptions<Kind extends QuotaKind> {
  readonly kind: Kind;
  readonly bounds: ConnectionQuotaBounds<Kind>;
  readonly limits: Pick<Limits, 'id' | 'run' | 'gateways'>;
}

/** A connection's address, and its user if known. */
export interface QuotaHolder {
  readonly ip: string;
  readonly user: string | null;
}

export type ConnectionQuotas<Kind extends QuotaKind = 'sockets'> = ReturnType<typeof createConnectionQuotas<Kind>>;

export function createConnectionQuotas<Kind extends QuotaKind>(options: ConnectionQuotasOptions<Kind>) {
  const { kind, bounds, limits } = options;
  const held = new Map<string, number>();
  const refused = { [`${kind}:user`]: 0, [`${kind}:ip`]: 0 } as Record<QuotaName<Kind>, number>;

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

  async function takeOne(name: QuotaName<Kind>, key: string): Promise<boolean> {
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
     * Counts a connection for its address and user, or refuses it. Each counted one must `leave`
     * once.
     */
    async take(holder: QuotaHolder): Promise<Refusal | null> {
      const taken: string[] = [];
      for (const [name, key] of quotasOf(kind, holder)) {
        if (await takeOne(name, key)) taken.push(key);
        else {
          taken.forEach(leave);
          return full(name);
        }
      }
      return null;
    },
    leave(holder: QuotaHolder): void {
      for (const [, key] of quotasOf(kind, holder)) leave(key);
    },
    refused,
    stop(): void {
      clearInterval(timer);
    },
  };
}

function quotasOf<Kind extends QuotaKind>(kind: Kind, { ip, user }: QuotaHolder): [QuotaName<Kind>, string][] {
  // Has the hash tag of the gateways' key, so that a cluster stores both together.
  const prefix = `tg:${kind}:{${GATEWAYS_KEY}}`;
  const ofAddress: [QuotaName<Kind>, string] = [`${kind}:ip`, `${prefix}:ip:${ip}`];
  return user === null ? [ofAddress] : [ofAddress, [`${kind}:user`, `${prefix}:user:${user}`]];
}

function full(name: QuotaName): Refusal {
  const message = `The limit ${name} is reached: close other connections, or try again later.`;
  return refuse('rate_limited', message, { limit: name, retryAfterMs: RETRY_AFTER_MS });
}
