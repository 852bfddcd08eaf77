// Starts Neo4j, NATS and Redis for one data folder, restarts them when they die, and returns their
// addresses.
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readCacheDir, readHeap } from '../configuration.ts';
import { claimDataDirectory, type DataDirectory } from '../data/data-directory.ts';
import type { NatsUser } from '../data/secrets.ts';
import { loadSecrets } from '../data/secrets.ts';
import type { LauncherError } from '../errors.ts';
import { freePorts } from '../processes/ports.ts';
import { type Report, silentReport } from '../progress.ts';
import { type BackendContext, type BackendHandle, type Member, startBackend } from './backend-handle.ts';
import { NATS_SERVERS } from './nats-cluster.ts';
import { type BackendName, planSources } from './sources.ts';

export interface BackendOptions {
  readonly dataDir: string;
  /** The folder of downloaded programs. Default: TASKGRAPH_CACHE_DIR, else `.cache` in the repository. */
  readonly cacheDir?: string;
  /** NEO4J_URL, NATS_URL and REDIS_URL name running backends to use instead. Default: none. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  readonly report?: Report;
  /**
   * Starts three NATS servers and six Redis servers, and uses cluster URLs for Neo4j. Default:
   * false, one server each.
   */
  readonly clustered?: boolean;
  /**
   * Neo4j's time limit in seconds for a transaction whose client sets none. Default: 3, which suits
   * a warm database.
   */
  readonly transactionSeconds?: number;
  /** Neo4j and NATS are given up after this many deaths within a minute. Default: 3. */
  readonly failureLimit?: number;
  /** Permission to install missing system packages. */
  readonly yes?: boolean;
  /** Ends a start that is in progress. */
  readonly signal?: AbortSignal;
  /** Called when a backend has died too often to be restarted. */
  readonly onFailure?: (error: LauncherError) => void;
  /**
   * For tests with a proxy between services and backends: returns the proxy's port for a backend's
   * port.
   */
  readonly route?: (backend: BackendName, port: number) => Promise<number>;
}

export interface Backends {
  /**
   * NEO4J_URL, NEO4J_USER, NEO4J_PASSWORD, NATS_URL, NATS_USER, NATS_PASSWORD and REDIS_URL, for
   * administration commands.
   */
  readonly environment: Readonly<Record<string, string>>;
  /** The same for one kind of service, with its own NATS user if the launcher started NATS. */
  environmentOf(service: NatsUser): Readonly<Record<string, string>>;
  /**
   * The programs of each backend; empty for a backend that the launcher did not start as a program.
   */
  readonly members: Readonly<Record<BackendName, readonly Member[]>>;
  /**
   * The process ids of the backends that run as programs; of a cluster, that of its first member.
   */
  pids(): Readonly<Record<BackendName, number | undefined>>;
  /** The number of restarts of each backend; of a cluster, the sum over its members. */
  restarts(): Readonly<Record<BackendName, number>>;
  kill(name: BackendName): void;
  stop(): Promise<void>;
}

const FAILURE_LIMIT = 3;
const NAMES: readonly BackendName[] = ['neo4j', 'nats', 'redis'];

/** The repository's root, seen from `src` and from `dist`. */
export const REPOSITORY = resolve(fileURLToPath(new URL('../../../..', import.meta.url)));

/** Starts the three backends of a data folder. Fails if another launcher holds the folder. */
export async function startBackends(options: BackendOptions): Promise<Backends> {
  const directory = await claimDataDirectory(resolve(options.dataDir), options.report ?? silentReport);
  try {
    const backends = await launchBackends(directory, options);
    directory.publish(null, backends.environment);
    const stop = async () => {
      await backends.stop();
      directory.release();
    };
    return { ...backends, stop };
  } catch (error) {
    directory.release();
    throw error;
  }
}

/** Starts the backends in a folder that this launcher already holds. */
export async function launchBackends(directory: DataDirectory, options: BackendOptions): Promise<Backends> {
  const ending = new AbortController();
  const signal = options.signal === undefined ? ending.signal : AbortSignal.any([options.signal, ending.signal]);
  const context = await prepare(directory, options, signal);
  const { cacheDir, report } = context;
  const environment = { CI: process.env.CI, ...options.environment };
  const sources = await planSources({ cacheDir, report, environment, yes: options.yes ?? false, signal });
  const starting = NAMES.map((name) => startBackend(name, sources[name], context));
  try {
    const [neo4j, nats, redis] = (await Promise.all(starting)) as [BackendHandle, BackendHandle, BackendHandle];
    return combine({ neo4j, nats, redis });
  } catch (error) {
    // One failure ends the other starts and stops the backends that already run.
    ending.abort();
    const outcomes = await Promise.allSettled(starting);
    await Promise.all(outcomes.map((outcome) => (outcome.status === 'fulfilled' ? outcome.value.stop() : undefined)));
    throw error;
  }
}

/** The folder of downloaded programs. */
export function cacheDirOf({ cacheDir }: Pick<BackendOptions, 'cacheDir'>): string {
  return cacheDir === undefined ? readCacheDir(process.env, REPOSITORY) : resolve(cacheDir);
}

async function prepare(
  directory: DataDirectory,
  options: BackendOptions,
  signal: AbortSignal,
): Promise<BackendContext> {
  const variables = options.environment ?? {};
  const { clustered = false } = options;
  const [bolt = 0, http = 0, redis = 0, ...nats] = await freePorts(3 + (clustered ? NATS_SERVERS : 1));
  const { route = async (_backend: BackendName, port: number) => port } = options;
  const natsReached = await Promise.all(nats.map((port) => route('nats', port)));
  return {
    directory,
    cacheDir: cacheDirOf(options),
    composeFile: join(REPOSITORY, 'deploy', 'compose.yaml'),
    secrets: loadSecrets(directory.path),
    variables,
    clustered,
    ports: { bolt, http, nats, redis },
    reached: {
      bolt: await route('neo4j', bolt),
      nats: natsReached,
      redis: clustered ? redis : await route('redis', redis),
    },
    routeRedis: (port) => route('redis', port),
    neo4jHeapMegabytes: readHeap(variables),
    transactionSeconds: options.transactionSeconds,
    failureLimit: options.failureLimit ?? FAILURE_LIMIT,
    report: options.report ?? silentReport,
    signal,
    onFailure: options.onFailure ?? (() => {}),
  };
}

function combine(running: Readonly<Record<BackendName, BackendHandle>>): Backends {
  const each = <T>(value: (backend: BackendHandle) => T) => ({
    neo4j: value(running.neo4j),
    nats: value(running.nats),
    redis: value(running.redis),
  });
  const environment = { ...running.neo4j.environment, ...running.nats.environment, ...running.redis.environment };
  return {
    environment,
    environmentOf: (service) => ({ ...environment, ...running.nats.environmentOf?.(service) }),
    members: each((backend) => backend.members),
    pids: () => each((backend) => backend.members[0]?.pid()),
    restarts: () => each((backend) => backend.members.reduce((sum, member) => sum + member.restarts(), 0)),
    kill: (name) => running[name].kill(),
    async stop() {
      await Promise.all(NAMES.map((name) => running[name].stop()));
    },
  };
}
