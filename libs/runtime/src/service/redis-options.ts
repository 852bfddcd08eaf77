// The address of Redis: one server, a cluster, or Sentinels; and the validation of its settings.
import { definedFields } from '@taskgraph/wire/defined-fields';
import { type TlsOptions, tlsOptionsOf } from '../security/tls.ts';

export const REDIS_MODES = ['single', 'cluster', 'sentinel'] as const;
type RedisMode = (typeof REDIS_MODES)[number];

/** The address of Redis, for all clients. */
export interface RedisOptions {
  /** One URL; for a cluster or Sentinels also a comma-separated list. */
  readonly url: string;
  /** Defaults to `single`. */
  readonly mode?: RedisMode;
  /** The master's name in Sentinel. */
  readonly master?: string;
  /** Password of the Sentinels; that of Redis is in `url`. */
  readonly sentinelPassword?: string;
  readonly tls?: TlsOptions;
}

export interface RedisSettings {
  readonly REDIS_URL: string;
  readonly REDIS_MODE?: RedisMode;
  readonly REDIS_SENTINEL_MASTER?: string | undefined;
  readonly REDIS_SENTINEL_PASSWORD?: string | undefined;
}

/** Throws an Error that names conflicting settings. */
export function redisOptions(config: RedisSettings): RedisOptions {
  const { REDIS_URL: url, REDIS_MODE: mode = 'single' } = config;
  const { REDIS_SENTINEL_MASTER: master, REDIS_SENTINEL_PASSWORD: sentinelPassword } = config;
  if (mode === 'sentinel' && master === undefined) {
    refuse(
      'REDIS_SENTINEL_MASTER is needed where REDIS_MODE is sentinel: the name by which the Sentinels know the server.',
    );
  }
  if (mode !== 'sentinel' && (master ?? sentinelPassword) !== undefined) {
    refuse('REDIS_SENTINEL_MASTER and REDIS_SENTINEL_PASSWORD are for REDIS_MODE=sentinel alone.');
  }
  checkAddresses(url, mode);
  const tls = tlsOptionsOf('REDIS', { ...config });
  return {
    url,
    ...(mode === 'single' ? {} : { mode }),
    ...definedFields({ master, sentinelPassword, tls }),
  };
}

/** Several URLs parsed together. */
export interface RedisAddresses {
  readonly hosts: readonly { readonly host: string; readonly port: number }[];
  readonly username?: string;
  readonly password?: string;
  readonly database: number;
  readonly encrypted: boolean;
}

const PORTS = { single: 6379, cluster: 6379, sentinel: 26_379 } as const;

/** User, password and database of the first URL apply to all. */
export function readAddresses({ url, mode = 'single' }: Pick<RedisOptions, 'url' | 'mode'>): RedisAddresses {
  const [first, ...others] = split(url).map((address) => new URL(address)) as [URL, ...URL[]];
  const { username, password } = first;
  return {
    hosts: [first, ...others].map(({ hostname, port }) => ({
      host: hostname.replace(/^\[|\]$/g, ''),
      port: Number(port || PORTS[mode]),
    })),
    ...(username === '' ? {} : { username: decodeURIComponent(username) }),
    ...(password === '' ? {} : { password: decodeURIComponent(password) }),
    database: databaseOf(first),
    encrypted: first.protocol === 'rediss:',
  };
}

/** A password may contain commas. */
function split(url: string): string[] {
  return url.split(/,\s*(?=rediss?:\/\/)/).map((address) => address.trim());
}

function databaseOf({ pathname }: URL): number {
  return Number(pathname.slice(1) || 0);
}

function checkAddresses(url: string, mode: RedisMode): void {
  const addresses = split(url);
  if (mode === 'single') {
    if (addresses.length > 1) refuse('REDIS_URL names several servers: set REDIS_MODE to cluster or sentinel.');
    return;
  }
  const isAddress = (text: string) =>
    /^rediss?:\/\/./.test(text) && URL.canParse(text) && new URL(text).hostname !== '';
  if (!addresses.every(isAddress)) {
    refuse('REDIS_URL must be addresses such as redis://:password@host:6379, separated by commas.');
  }
  const [first, ...others] = addresses.map((address) => new URL(address)) as [URL, ...URL[]];
  for (const { username, password } of others) {
    const isAnonymous = `${username}${password}` === '';
    if (!isAnonymous && (username !== first.username || password !== first.password)) {
      refuse('REDIS_URL has addresses with different users or passwords; all servers need the same.');
    }
  }
  const database = databaseOf(first);
  if (!Number.isInteger(database)) refuse('REDIS_URL has a path that is not the number of a database.');
  if (mode === 'cluster' && database !== 0)
    refuse('REDIS_URL names a database, and a cluster has only the database 0.');
}

function refuse(problem: string): never {
  throw new Error(`The configuration is wrong.\n- ${problem}`);
}
