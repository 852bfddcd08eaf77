// Starts one backend from any kind of source, and returns its addresses and controls.
import { join } from 'node:path';
import type { DataDirectory } from '../data/data-directory.ts';
import type { Secrets } from '../data/secrets.ts';
import { NATS_USERS, type NatsUser } from '../data/secrets.ts';
import { LauncherError } from '../errors.ts';
import { freePorts, LOOPBACK } from '../processes/ports.ts';
import { type SupervisedOptions, startedUnlessAborted, supervise } from '../processes/processes.ts';
import { type Report, step } from '../progress.ts';
import { archiveDuring, classArchive } from './class-archive.ts';
import { type ComposeOptions, killContainer, startContainer, stopContainer } from './docker.ts';
import { checkNats, natsLogin, natsPasswordVariable, prepareNats, untilNatsIsReady } from './nats.ts';
import { NATS_SERVERS } from './nats-cluster.ts';
import { NEO4J_USER, prepareNeo4j, untilNeo4jIsReady } from './neo4j.ts';
import { downloadNeo4j, isDownloaded, neo4jFolder } from './neo4j-download.ts';
import { checkRedis, prepareRedis, redisUrl, untilRedisIsReady } from './redis.ts';
import { startRedisCluster } from './redis-cluster.ts';
import type { BackendName, Source } from './sources.ts';

export interface BackendHandle {
  readonly environment: Readonly<Record<string, string>>;
  /** The variables that differ between kinds of services. */
  environmentOf?(service: NatsUser): Readonly<Record<string, string>>;
  /** Its programs, several for a cluster; none if the launcher did not start it as a program. */
  readonly members: readonly Member[];
  /** Kills all of it with SIGKILL; it restarts with its ports and its data. */
  kill(): void;
  stop(): Promise<void>;
}

/** One program of a backend. */
export interface Member {
  readonly name: string;
  pid(): number | undefined;
  restarts(): number;
}

export interface BackendContext {
  readonly directory: DataDirectory;
  readonly cacheDir: string;
  readonly composeFile: string;
  readonly secrets: Secrets;
  readonly variables: Readonly<Record<string, string | undefined>>;
  /** Whether the backends start as clusters, as far as they support it. */
  readonly clustered: boolean;
  /** The ports of the backends started here; NATS has one for each server. */
  readonly ports: Readonly<Record<'bolt' | 'http' | 'redis', number>> & { readonly nats: readonly number[] };
  /** The ports that services are given. */
  readonly reached: Readonly<Record<'bolt' | 'redis', number>> & { readonly nats: readonly number[] };
  /** The same for each server of a Redis Cluster, which chooses its ports itself. */
  readonly routeRedis: (port: number) => Promise<number>;
  readonly neo4jHeapMegabytes: number;
  readonly transactionSeconds: number | undefined;
  readonly failureLimit: number;
  readonly report: Report;
  readonly signal: AbortSignal;
  readonly onFailure: (error: LauncherError) => void;
}

type Program = Extract<Source, { kind: 'program' }>;

/** Neo4j starts in 10 s, and takes many times as long on a busy machine. */
const START_TIMEOUT_MS = 180_000;
const STOP_TIMEOUT_MS = 60_000;

/** Starts a backend and waits until it serves. */
export function startBackend(name: BackendName, source: Source, context: BackendContext): Promise<BackendHandle> {
  if (source.kind === 'url') return useExternal(name, source.url, context);
  if (source.kind === 'docker' && !context.clustered) return runContainer(name, source.docker, context);
  if (source.kind === 'docker') {
    throw new LauncherError(`${name} is not installed`, 'Install it, or start without --clustered.');
  }
  return { neo4j: runNeo4j, nats: runNats, redis: runRedis }[name](source, context);
}

/** The variables of a backend started here, as a program or in a container. */
function ownEnvironment(name: BackendName, context: BackendContext): Record<string, string> {
  const { reached: ports, secrets } = context;
  if (name === 'redis') return { REDIS_URL: redisUrl(ports.redis, secrets.redisPassword) };
  if (name === 'nats') {
    // The user of administration commands; each service has its own user (stack.ts).
    const url = ports.nats.map((port) => `nats://${LOOPBACK}:${port}`).join(',');
    const replicas = context.clustered ? { NATS_REPLICAS: String(NATS_SERVERS) } : {};
    return { NATS_URL: url, ...natsLogin('admin', secrets.natsPasswords), ...replicas };
  }
  const scheme = context.clustered ? 'neo4j' : 'bolt';
  return { NEO4J_URL: `${scheme}://${LOOPBACK}:${ports.bolt}`, NEO4J_USER, NEO4J_PASSWORD: secrets.neo4jPassword };
}

/** The variables that differ between kinds of services: the NATS user. */
function ownEnvironments(
  name: BackendName,
  context: BackendContext,
): Pick<BackendHandle, 'environment' | 'environmentOf'> {
  const environment = ownEnvironment(name, context);
  if (name !== 'nats') return { environment };
  return { environment, environmentOf: (service) => natsLogin(service, context.secrets.natsPasswords) };
}

async function useExternal(name: BackendName, url: string, context: BackendContext): Promise<BackendHandle> {
  const { variables } = context;
  // The migration checks Neo4j's version and password, because it has a driver.
  if (name === 'nats') await checkNats(url);
  if (name === 'redis') await checkRedis(url);
  const given: Record<BackendName, Record<string, string | undefined>> = {
    neo4j: { NEO4J_URL: url, NEO4J_USER: variables.NEO4J_USER || NEO4J_USER, NEO4J_PASSWORD: variables.NEO4J_PASSWORD },
    nats: { NATS_URL: url, NATS_USER: variables.NATS_USER, NATS_PASSWORD: variables.NATS_PASSWORD },
    redis: { REDIS_URL: url },
  };
  const environment = Object.fromEntries(Object.entries(given[name]).map(([key, value]) => [key, value ?? '']));
  context.report.line(`${name}: the one given by ${name.toUpperCase()}_URL`);
  return { environment, members: [], kill: () => {}, stop: async () => {} };
}

async function runContainer(name: BackendName, docker: string, context: BackendContext): Promise<BackendHandle> {
  const { ports, secrets, signal } = context;
  const options: ComposeOptions = {
    docker,
    composeFile: context.composeFile,
    dataDir: context.directory.path,
    environment: {
      NEO4J_PORT: String(ports.bolt),
      NATS_PORT: String(ports.nats[0]),
      REDIS_PORT: String(ports.redis),
      NEO4J_PASSWORD: secrets.neo4jPassword,
      REDIS_PASSWORD: secrets.redisPassword,
      ...Object.fromEntries(NATS_USERS.map((user) => [natsPasswordVariable(user), secrets.natsPasswords[user]])),
      NEO4J_HEAP: `${context.neo4jHeapMegabytes}m`,
    },
    signal,
  };
  await step(context.report, `${name} in a container`, () => startContainer(options, name));
  return {
    ...ownEnvironments(name, context),
    members: [],
    kill: () => void killContainer(options, name),
    stop: () => stopContainer(options, name),
  };
}

async function runNeo4j(source: Program, context: BackendContext): Promise<BackendHandle> {
  const { cacheDir, directory, ports, report, secrets, signal } = context;
  if (!isDownloaded(cacheDir)) {
    const { maven, program } = source;
    if (maven === undefined) throw new LauncherError('Maven is no longer on PATH', 'Install Maven and start again.');
    await step(report, 'fetching Neo4j', () => downloadNeo4j({ cacheDir, maven, java: program, report, signal }));
  }
  const jars = neo4jFolder(cacheDir);
  const classes = classArchive({ java: source.program, jars, workDir: directory.path, report });
  const recipe = {
    name: 'neo4j',
    command: source.program,
    arguments: prepareNeo4j({
      dataDir: directory.path,
      jars,
      classArguments: classes.arguments,
      boltPort: ports.bolt,
      reachedPort: context.reached.bolt,
      httpPort: ports.http,
      heapMegabytes: context.neo4jHeapMegabytes,
      transactionSeconds: context.transactionSeconds,
    }),
    untilReady: (over: AbortSignal) => untilNeo4jIsReady(ports.http, secrets.neo4jPassword, over),
  };
  return archiveDuring(classes, await run('neo4j', context, [recipe]));
}

async function runNats(source: Program, context: BackendContext): Promise<BackendHandle> {
  const { clustered, directory, ports, secrets } = context;
  const routePorts = clustered ? await freePorts(ports.nats.length) : [];
  const recipes = ports.nats.map((port, index): ProgramPlan => {
    const member = clustered ? { index, routePorts, password: secrets.natsRoutePassword } : undefined;
    return {
      name: clustered ? `nats-${index + 1}` : 'nats',
      command: source.program,
      arguments: prepareNats(directory.path, port, secrets.natsPasswords, member),
      untilReady: (over) => untilNatsIsReady({ host: LOOPBACK, port }, over),
    };
  });
  return run('nats', context, recipes);
}

function runRedis(source: Program, context: BackendContext): Promise<BackendHandle> {
  const { directory, ports, secrets } = context;
  if (context.clustered) return runRedisCluster(context);
  const recipe: ProgramPlan = {
    name: 'redis',
    command: source.program,
    arguments: prepareRedis(directory.path, ports.redis, secrets.redisPassword),
    untilReady: (over) => untilRedisIsReady(redisUrl(ports.redis, secrets.redisPassword), over),
  };
  return run('redis', context, [recipe]);
}

async function runRedisCluster(context: BackendContext): Promise<BackendHandle> {
  const { directory, report, signal, onFailure } = context;
  const cluster = await step(report, 'starting 6 servers of redis', () =>
    startRedisCluster({
      dataDir: directory.path,
      password: context.secrets.redisPassword,
      report,
      signal,
      onFailure,
      onPid: (name, pid) => directory.recordProcess(name, pid),
      route: context.routeRedis,
    }),
  );
  return {
    environment: cluster.environment,
    members: cluster.servers,
    kill() {
      for (const server of cluster.servers) server.kill();
    },
    stop: cluster.stop,
  };
}

type ProgramPlan = Required<Pick<SupervisedOptions, 'name' | 'command' | 'arguments' | 'untilReady'>>;

/** Starts all programs of a backend, or none. */
async function run(
  name: BackendName,
  context: BackendContext,
  recipes: readonly ProgramPlan[],
): Promise<BackendHandle> {
  const { directory, report, signal } = context;
  const children = recipes.map((recipe) =>
    supervise({
      ...recipe,
      environment: process.env,
      logFile: join(directory.path, 'log', `${recipe.name}.log`),
      report,
      readyTimeoutMs: START_TIMEOUT_MS,
      stopTimeoutMs: STOP_TIMEOUT_MS,
      failureLimit: context.failureLimit,
      onGiveUp: context.onFailure,
      onPid: (pid) => directory.recordProcess(recipe.name, pid),
    }),
  );
  const stop = async () => {
    await Promise.all(children.map((child) => child.stop()));
  };
  const title = children.length === 1 ? name : `${children.length} servers of ${name}`;
  try {
    await step(report, `starting ${title}`, () =>
      Promise.all(children.map((child) => startedUnlessAborted(child, signal))),
    );
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    ...ownEnvironments(name, context),
    members: children,
    kill() {
      for (const child of children) child.kill('SIGKILL');
    },
    stop,
  };
}
