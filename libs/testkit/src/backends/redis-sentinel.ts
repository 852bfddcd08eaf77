// Starts a Redis master, a replica and Sentinels on loopback, in an empty folder.
import { join } from 'node:path';
import { poll } from '@taskgraph/launcher/backends/probe';
import {
  type RedisServer,
  type RedisServersOptions,
  type ServerPlan,
  startServers,
  stopServers,
} from '@taskgraph/launcher/backends/redis-servers';
import { freePorts, LOOPBACK } from '@taskgraph/launcher/processes/ports';

/** The master's name in the Sentinels. */
const NAME = 'taskgraph';
const DOWN_AFTER_MS = 1_000;
const FAILOVER_LIMIT_MS = 5_000;
const REPLICA_LIMIT_MS = 30_000;

export interface SentinelRedis {
  /** REDIS_URL with the addresses of the Sentinels, and the settings for Sentinel mode. */
  readonly environment: Readonly<Record<string, string>>;
  readonly servers: readonly RedisServer[];
  readonly sentinels: readonly RedisServer[];
  /** The master, as the first Sentinel reports it. */
  master(): Promise<RedisServer>;
  stop(): Promise<void>;
}

/** A majority of the Sentinels must agree on a death. They share one password with the servers. */
export async function startSentinelRedis(
  options: RedisServersOptions & { readonly sentinels: number },
): Promise<SentinelRedis> {
  const { password } = options;
  const [one = 0, two = 0, ...ports] = await freePorts(2 + options.sentinels);
  const quorum = Math.floor(options.sentinels / 2) + 1;
  const settings = { ...options, dataDir: join(options.dataDir, 'redis-sentinel') };
  const servers = await startServers(
    [
      { name: 'redis-1', port: one, lines: [] },
      { name: 'redis-2', port: two, lines: [`replicaof ${LOOPBACK} ${one}`] },
    ],
    settings,
  );
  const all: RedisServer[] = [...servers];
  const stop = () => stopServers(all);
  try {
    await waitForReplica(servers, options.signal);
    const plans = ports.map((port, index) => sentinelPlan(index, { port, master: one, quorum, password }));
    const sentinels = await startServers(plans, settings);
    all.push(...sentinels);
    const [first] = sentinels as [RedisServer, ...RedisServer[]];
    return {
      environment: {
        REDIS_MODE: 'sentinel',
        REDIS_URL: sentinels.map(({ port }) => `redis://:${password}@${LOOPBACK}:${port}`).join(','),
        REDIS_SENTINEL_MASTER: NAME,
        REDIS_SENTINEL_PASSWORD: password,
      },
      servers,
      sentinels,
      async master() {
        // `master0:name=taskgraph,status=ok,address=127.0.0.1:6379,...`
        const report = await first.ask('INFO', 'sentinel');
        const port = Number(report.split(',address=')[1]?.split(',')[0]?.split(':')[1]);
        const master = servers.find((server) => server.port === port);
        if (master === undefined) throw new Error('the Sentinel knows no master');
        return master;
      },
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/**
 * A Sentinel asks its master for replicas at its start and then every 10 s. A replica that connects
 * later could not take over until then.
 */
async function waitForReplica([master]: readonly RedisServer[], signal?: AbortSignal): Promise<void> {
  const late = AbortSignal.timeout(REPLICA_LIMIT_MS);
  const isThere = async () => (await master?.ask('INFO', 'replication'))?.includes('state=online') === true;
  try {
    await poll(isThere, signal === undefined ? late : AbortSignal.any([late, signal]));
  } catch (error) {
    if (!late.aborted) throw error;
    throw new Error('the replica of Redis did not follow its master in time: see the log of redis-2');
  }
}

interface Watch {
  readonly port: number;
  readonly master: number;
  readonly quorum: number;
  readonly password: string;
}

function sentinelPlan(index: number, { port, master, quorum, password }: Watch): ServerPlan {
  const lines = [
    `sentinel monitor ${NAME} ${LOOPBACK} ${master} ${quorum}`,
    `sentinel auth-pass ${NAME} ${password}`,
    `sentinel sentinel-pass ${password}`,
    `sentinel down-after-milliseconds ${NAME} ${DOWN_AFTER_MS}`,
    `sentinel failover-timeout ${NAME} ${FAILOVER_LIMIT_MS}`,
  ];
  return { name: `sentinel-${index + 1}`, port, lines, sentinel: true };
}
