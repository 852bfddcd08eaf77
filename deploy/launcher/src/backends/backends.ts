// Starts Neo4j, NATS and Redis for one data folder, keeps them up, and says how to reach them.
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readHeap } from '../configuration.ts';
import { claimDataDirectory, type DataDirectory } from '../data/data-directory.ts';
import type { NatsUser } from '../data/secrets.ts';
import { loadSecrets } from '../data/secrets.ts';
import type { LauncherError } from '../errors.ts';
import { freePorts } from '../processes/ports.ts';
import { type Report, silentReport } from '../progress.ts';
import { NATS_SERVERS } from './nats-cluster.ts';
import { type BackendContext, type Member, type RunningBackend, startBackend } from './running-backend.ts';
import { type BackendName, planSources } from './sources.ts';

export interface BackendOptions {
  readonly dataDir: string;
  /** Where Neo4j's jars are kept. Default: TASKGRAPH_CACHE_DIR, else `.cache` in the repository. */
  readonly cacheDir?: string;
  /** NEO4J_URL, NATS_URL and REDIS_URL in it name backends to use instead of starting one. Default: none. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  readonly report?: Report;
  /** Starts three servers of NATS and six of Redis, and has Neo4j reached as a cluster is. Default: false, one server of each. */
  readonly clustered?: boolean;
  /** How long a transaction in Neo4j may last whose client says nothing of it. Default: 3, which suits a database that is warm. */
  readonly transactionSeconds?: number;
  /** Leave to install missing system packages. */
  readonly yes?: boolean;
  /** Ends a start that is under way. */
  readonly signal?: AbortSignal;
  /** Called when a backend has died too often to be started again. */
  readonly onFailure?: (error: LauncherError) => void;
  /** For tests that stand between the services and their backends: gives the port by which one that listens on this port is reached. */
  readonly route?: (backend: BackendName, port: number) => Promise<number>;
}

export interface Backends {
  /** NEO4J_URL, NEO4J_USER, NEO4J_PASSWORD, NATS_URL, NATS_USER, NATS_PASSWORD and REDIS_URL, as for the commands of administrators. */
  readonly environment: Readonly<Record<string, string>>;
  /** The same for one kind of service, with its own user of NATS where NATS was started here. */
  environmentOf(service: NatsUser): Readonly<Record<string, string>>;
  /** The programs of which each consists; none of one that was not started here as a program. */
  readonly members: Readonly<Record<BackendName, readonly Member[]>>;
  /** The process ids of those that were started here as programs; of a cluster, that of its first member. */
  pids(): Readonly<Record<BackendName, number | undefined>>;
  /** How often each was started again; of a cluster, all its members together. */
  restarts(): Readonly<Record<BackendName, number>>;
  kill(name: BackendName): void;
  stop(): Promise<void>;
}

const NAMES: readonly BackendName[] = ['neo4j', 'nats', 'redis'];

/** The repository's root, from `src` as well as from `dist`. */
export const REPOSITORY = resolve(fileURLToPath(new URL('../../../..', import.meta.url)));

/** Starts the three backends of a data folder. Fails if another launcher has the folder. */
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

/** The same for a folder that is claimed already. */
export async function launchBackends(directory: DataDirectory, options: BackendOptions): Promise<Backends> {
  const ending = new AbortController();
  const signal = options.signal === undefined ? ending.signal : AbortSignal.any([options.signal, ending.signal]);
  const context = await prepare(directory, options, signal);
  const { cacheDir, report } = context;
  const environment = { CI: process.env.CI, ...options.environment };
  const sources = await planSources({ cacheDir, report, environment, yes: options.yes ?? false, signal });
  const starting = NAMES.map((name) => startBackend(name, sources[name], context));
  try {
    const [neo4j, nats, redis] = (await Promise.all(starting)) as [RunningBackend, RunningBackend, RunningBackend];
    return combine({ neo4j, nats, redis });
  } catch (error) {
    // One that fails takes the others along; those that are up already are stopped as well.
    ending.abort();
    const outcomes = await Promise.allSettled(starting);
    await Promise.all(outcomes.map((outcome) => (outcome.status === 'fulfilled' ? outcome.value.stop() : undefined)));
    throw error;
  }
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
    cacheDir: resolve(options.cacheDir ?? (process.env.TASKGRAPH_CACHE_DIR || join(REPOSITORY, '.cache'))),
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
    report: options.report ?? silentReport,
    signal,
    onFailure: options.onFailure ?? (() => {}),
  };
}

function combine(running: Readonly<Record<BackendName, RunningBackend>>): Backends {
  const each = <T>(value: (backend: RunningBackend) => T) => ({
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
