// Opens connections to Redis (one server, a cluster, or a master behind Sentinels) that reconnect
// without help.
import { definedFields } from '@taskgraph/wire/defined-fields';
import { type Cluster, type ClusterOptions, Redis } from 'ioredis';
import { SettlingCluster } from './ioredis-cluster-fix.ts';
import { ReconnectingSentinels } from './ioredis-sentinel-fix.ts';
import { type RedisOptions, readAddresses } from './redis-options.ts';

const LONGEST_RECONNECT_WAIT_MS = 2_000;
/**
 * Interval between refreshes of a cluster's slots: a hung server does not announce its replacement.
 */
const SLOTS_INTERVAL_MS = 2_000;
/** Minimum interval between such refreshes by a subscriber. */
const REFRESH_PAUSE_MS = 250;
/**
 * Interval and number of retries of a command whose server is away: as long as a replica needs to
 * take over.
 */
const RETRY_MS = 100;
const TRIES = 200;
const ENDLESS_TRIES = 1_000_000;

export type RedisClient = Redis | Cluster;

export interface RedisBounds {
  /** Milliseconds after which a command without a response fails. */
  readonly commandTimeout?: number;
  readonly enableAutoPipelining?: boolean;
  /** Whether commands wait for a connection. */
  readonly enableOfflineQueue?: boolean;
  /**
   * Number of retries while the server is away: with 0 a command fails at once, with null it waits
   * without limit. Otherwise retries last some seconds.
   */
  readonly maxRetriesPerRequest?: number | null;
  /** For a connection that subscribes to sharded channels. */
  readonly subscribes?: boolean;
}

/** Connects in the background. */
export function openRedis(options: RedisOptions, { subscribes = false, ...bounds }: RedisBounds): RedisClient {
  const { tls } = options;
  const encryption = tls === undefined ? {} : { tls };
  if (options.mode === 'cluster') return openCluster(options, { ...bounds, subscribes });
  const common = { ...bounds, ...encryption, retryStrategy };
  if (options.mode === 'sentinel') return new Redis({ ...common, ...sentinelOptions(options) });
  return new Redis(options.url, common);
}

function retryStrategy(attempt: number): number {
  return Math.min(attempt * 100, LONGEST_RECONNECT_WAIT_MS);
}

function sentinelOptions(options: RedisOptions) {
  const { hosts, database, encrypted, ...login } = readAddresses(options);
  const { master = '', sentinelPassword, tls } = options;
  return {
    ...login,
    db: database,
    sentinels: [...hosts],
    name: master,
    ...definedFields({ sentinelPassword }),
    ...(encrypted ? { tls: { ...tls }, sentinelTLS: { ...tls }, enableTLSForSentinelMode: true } : {}),
    sentinelRetryStrategy: retryStrategy,
    // A hung server keeps its connections open; Sentinels report its replacement.
    failoverDetector: true,
    Connector: ReconnectingSentinels,
  };
}

function openCluster(options: RedisOptions, bounds: RedisBounds): Cluster {
  const { hosts, encrypted, database: _, ...login } = readAddresses(options);
  const { commandTimeout, maxRetriesPerRequest, subscribes = false, ...rest } = bounds;
  const cluster = new SettlingCluster([...hosts], {
    ...rest,
    ...retryLimitsOf(maxRetriesPerRequest),
    clusterRetryStrategy: retryStrategy,
    slotsRefreshInterval: SLOTS_INTERVAL_MS,
    shardedSubscribers: subscribes,
    // Keep host names: certificates contain them.
    dnsLookup: (name, callback) => callback(null, name),
    redisOptions: {
      ...login,
      ...(encrypted ? { tls: { ...options.tls } } : {}),
      ...definedFields({ commandTimeout }),
    },
  });
  if (subscribes) paceRefreshes(cluster);
  return cluster;
}

/**
 * A sharded subscriber whose server is away refreshes its slots at once, gets the same server, and
 * reconnects. Without a pause this loop occupies a processor until a replica takes over.
 */
function paceRefreshes(cluster: Cluster): void {
  const refresh = cluster.refreshSlotsCache.bind(cluster);
  const waiting: ((error?: Error | null) => void)[] = [];
  let timer: NodeJS.Timeout | undefined;
  let lastMs = Number.NEGATIVE_INFINITY;
  const begin = () => {
    timer = undefined;
    lastMs = performance.now();
    const callbacks = waiting.splice(0);
    const finish = (error?: Error | null) => {
      for (const callback of callbacks) callback(error);
    };
    if (['disconnecting', 'close', 'end'].includes(cluster.status)) finish(new Error('the connection is closed'));
    else refresh(finish);
  };
  cluster.refreshSlotsCache = (callback) => {
    if (callback !== undefined) waiting.push(callback);
    if (timer !== undefined) return;
    const waitMs = lastMs + REFRESH_PAUSE_MS - performance.now();
    if (waitMs <= 0) begin();
    else timer = setTimeout(begin, waitMs).unref();
  };
}

function retryLimitsOf(maxRetriesPerRequest: number | null | undefined): Partial<ClusterOptions> {
  if (maxRetriesPerRequest === 0) return { retryDelayOnFailover: 0, retryDelayOnClusterDown: 0 };
  return {
    retryDelayOnFailover: RETRY_MS,
    retryDelayOnClusterDown: RETRY_MS,
    retryDelayOnMoved: RETRY_MS,
    maxRedirections: maxRetriesPerRequest === null ? ENDLESS_TRIES : TRIES,
  };
}

/** Rejects if Redis does not respond; in a cluster, if any master does not. */
export async function pingRedis(redis: RedisClient): Promise<void> {
  if (redis instanceof Redis) return void (await redis.ping());
  const masters = new Set(redis.slots.map(([master]) => master));
  const nodes = redis.nodes('master');
  if (masters.size === 0) throw new Error('no server has the slots of the cluster');
  await Promise.all(
    [...masters].map(async (address) => {
      const node = nodes.find(({ options: { host, port } }) => `${host}:${port}` === address);
      if (node === undefined) throw new Error(`the master at ${address} is unreachable`);
      await node.ping();
    }),
  );
}
