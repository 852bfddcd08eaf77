// Opens connections to Redis, which come back by themselves: to one server, to a cluster, or to the server that Sentinels name.
import { type Cluster, type ClusterOptions, Redis } from 'ioredis';
import { type RedisOptions, readAddresses } from './redis-options.ts';
import { SteadyCluster } from './steady-cluster.ts';
import { SteadySentinels } from './steady-sentinels.ts';

const LONGEST_RECONNECT_WAIT_MS = 2_000;
/** Between two looks at who serves which slot of a cluster: a server that hangs tells nobody that it was replaced. */
const SLOTS_INTERVAL_MS = 2_000;
/** The least time between two such looks of a connection that subscribes. */
const REFRESH_PAUSE_MS = 250;
/** Between two tries of a command whose server is away, and how many there are: as long as a replica takes to get in its place. */
const RETRY_MS = 100;
const TRIES = 200;
const ENDLESS_TRIES = 1_000_000;

export type RedisClient = Redis | Cluster;

export interface RedisBounds {
  /** Milliseconds after which a server that does not answer fails a command. */
  readonly commandTimeout?: number;
  readonly enableAutoPipelining?: boolean;
  /** Whether commands wait for a connection. */
  readonly enableOfflineQueue?: boolean;
  /** 0: a command whose server is away fails at once; null: it waits without end. Else it is tried for some seconds. */
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
    ...(sentinelPassword === undefined ? {} : { sentinelPassword }),
    ...(encrypted ? { tls: { ...tls }, sentinelTLS: { ...tls }, enableTLSForSentinelMode: true } : {}),
    sentinelRetryStrategy: retryStrategy,
    // A server that hangs keeps its connections open: the Sentinels tell that another one took its place.
    failoverDetector: true,
    Connector: SteadySentinels,
  };
}

function openCluster(options: RedisOptions, bounds: RedisBounds): Cluster {
  const { hosts, encrypted, database: _, ...login } = readAddresses(options);
  const { commandTimeout, maxRetriesPerRequest, subscribes = false, ...rest } = bounds;
  const cluster = new SteadyCluster([...hosts], {
    ...rest,
    ...patienceOf(maxRetriesPerRequest),
    clusterRetryStrategy: retryStrategy,
    slotsRefreshInterval: SLOTS_INTERVAL_MS,
    shardedSubscribers: subscribes,
    // Names stay names, for certificates have them.
    dnsLookup: (name, callback) => callback(null, name),
    redisOptions: {
      ...login,
      ...(encrypted ? { tls: { ...options.tls } } : {}),
      ...(commandTimeout === undefined ? {} : { commandTimeout }),
    },
  });
  if (subscribes) paceRefreshes(cluster);
  return cluster;
}

/**
 * A sharded subscriber whose server is away asks at once who serves its slots, is told the same, and connects anew: without a pause between, that
 * takes a whole processor until a replica is in the server's place.
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
    const tell = (error?: Error | null) => {
      for (const callback of callbacks) callback(error);
    };
    if (['disconnecting', 'close', 'end'].includes(cluster.status)) tell(new Error('the connection is closed'));
    else refresh(tell);
  };
  cluster.refreshSlotsCache = (callback) => {
    if (callback !== undefined) waiting.push(callback);
    if (timer !== undefined) return;
    const waitMs = lastMs + REFRESH_PAUSE_MS - performance.now();
    if (waitMs <= 0) begin();
    else timer = setTimeout(begin, waitMs).unref();
  };
}

function patienceOf(maxRetriesPerRequest: number | null | undefined): Partial<ClusterOptions> {
  if (maxRetriesPerRequest === 0) return { retryDelayOnFailover: 0, retryDelayOnClusterDown: 0 };
  return {
    retryDelayOnFailover: RETRY_MS,
    retryDelayOnClusterDown: RETRY_MS,
    retryDelayOnMoved: RETRY_MS,
    maxRedirections: maxRetriesPerRequest === null ? ENDLESS_TRIES : TRIES,
  };
}

/** Rejects where Redis does not answer; of a cluster, where one of the masters does not. */
export async function pingRedis(redis: RedisClient): Promise<void> {
  if (redis instanceof Redis) return void (await redis.ping());
  const masters = new Set(redis.slots.map(([master]) => master));
  const nodes = redis.nodes('master');
  if (masters.size === 0) throw new Error('nobody serves the slots of the cluster');
  await Promise.all(
    [...masters].map(async (address) => {
      const node = nodes.find(({ options: { host, port } }) => `${host}:${port}` === address);
      if (node === undefined) throw new Error(`the master at ${address} is away`);
      await node.ping();
    }),
  );
}
