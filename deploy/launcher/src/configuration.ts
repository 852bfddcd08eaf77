// The settings of `npm start`, from environment variables: one table, read once, with a clear error
// for each wrong value.
import { join, resolve } from 'node:path';
import { LauncherError } from './errors.ts';

/** The Node of all services but gateways, and of administration programs. */
export type NodeSetting = { readonly kind: 'auto' | 'own' } | { readonly kind: 'program'; readonly path: string };

export interface Configuration {
  readonly port: number;
  readonly workers: number;
  readonly gateways: number;
  readonly jobs: number;
  readonly hooks: number;
  readonly adminPort: number;
  readonly dataDir: string;
  readonly cacheDir: string;
  readonly node: NodeSetting;
  readonly neo4jHeapMegabytes: number;
  readonly yes: boolean;
  readonly clustered: boolean;
  /** Whether a new demo user gets the sample plan. */
  readonly samplePlan: boolean;
}

type Variables = Readonly<Record<string, string | undefined>>;

const REPLICA_LIMIT = 16;
const JOBS_LIMIT = 4;
const HOOKS_LIMIT = 4;
const LOWEST_HEAP_MEGABYTES = 256;

const SCHEMES: Readonly<Record<string, readonly string[]>> = {
  NEO4J_URL: ['bolt', 'bolt+s', 'bolt+ssc', 'neo4j', 'neo4j+s', 'neo4j+ssc'],
  NATS_URL: ['nats', 'tls', 'ws', 'wss'],
  REDIS_URL: ['redis', 'rediss'],
};

const OPTIONS = ['--yes', '--clustered', '--no-sample'];

export const USAGE = `npm start [-- --yes] [--clustered] [--no-sample]

  --yes               install missing system packages without asking
  --clustered         a NATS cluster of three servers, a Redis Cluster of six, and cluster URLs for Neo4j
  --no-sample         no sample plan for the demo user

  PORT                port of the first gateway; the others use the ports after it (8080)
  WORKERS, GATEWAYS   number of each (2, 1)
  JOBS                number of jobs services, which end due grants and empty the trash, 0 to 4 (1)
  HOOKS               number of hooks services, which send the messages of webhooks, 0 to 4 (1)
  ADMIN_PORT          port of the first service's probes and metrics; the others follow; 0 for any free ports (0)
  DATA_DIR            folder of data, secrets and logs (.data)
  NEO4J_URL           your own Neo4j, with NEO4J_USER (neo4j) and NEO4J_PASSWORD
  NATS_URL            your own NATS, with NATS_USER and NATS_PASSWORD
  REDIS_URL           your own Redis
  NEO4J_HEAP          heap of the Neo4j that the launcher starts, such as 512m or 2g (1g)
  TASKGRAPH_CACHE_DIR folder of downloaded programs (.cache)
  TASKGRAPH_NODE      Node of workers, jobs and hooks services: own, the path of one, or auto, Node 24 (auto)
  TASKGRAPH_LIMITS    off for benchmarks: no rate limits (on)
  LOG_LEVEL           passed on to the services (info)`;

/**
 * Reads and checks all settings. Throws a LauncherError that names the variable and the bad value.
 */
export function readConfiguration(
  variables: Variables,
  commandArguments: readonly string[],
  repository: string,
): Configuration {
  const unknown = commandArguments.find((argument) => !OPTIONS.includes(argument));
  if (unknown !== undefined)
    throw new LauncherError(`"${unknown}" is not an option`, 'Run npm start -- --help to see them.');
  for (const name of Object.keys(SCHEMES)) checkUrl(variables, name);
  const gateways = readNumber(variables, 'GATEWAYS', 1, 1, REPLICA_LIMIT);
  const port = readNumber(variables, 'PORT', 8080, 1, 65_535);
  if (port + gateways - 1 > 65_535) {
    throw new LauncherError(`PORT ${port} leaves no room for ${gateways} gateways`, 'Choose a lower PORT.');
  }
  const workers = readNumber(variables, 'WORKERS', 2, 1, REPLICA_LIMIT);
  const jobs = readNumber(variables, 'JOBS', 1, 0, JOBS_LIMIT);
  const hooks = readNumber(variables, 'HOOKS', 1, 0, HOOKS_LIMIT);
  const services = workers + jobs + hooks + gateways;
  checkLimits(variables);
  return {
    port,
    gateways,
    workers,
    jobs,
    hooks,
    adminPort: readNumber(variables, 'ADMIN_PORT', 0, 0, 65_536 - services),
    dataDir: resolve(variables.DATA_DIR || join(repository, '.data')),
    cacheDir: readCacheDir(variables, repository),
    node: readNodeSetting(variables),
    neo4jHeapMegabytes: readHeap(variables),
    yes: commandArguments.includes('--yes'),
    clustered: commandArguments.includes('--clustered'),
    samplePlan: !commandArguments.includes('--no-sample'),
  };
}

/** Services do not receive NODE_ENV, so this check makes the refusal that they would make. */
function checkLimits({ TASKGRAPH_LIMITS: limits, NODE_ENV: environment }: Variables): void {
  if (limits !== undefined && !['', 'on', 'off'].includes(limits))
    throw badValue('TASKGRAPH_LIMITS', 'on or off', limits);
  if (limits !== 'off' || environment !== 'production') return;
  throw new LauncherError('TASKGRAPH_LIMITS is off with NODE_ENV=production', 'Unset one of them.');
}

/** Megabytes of Neo4j's heap, from NEO4J_HEAP. */
export function readHeap(variables: Variables): number {
  const text = variables.NEO4J_HEAP || '1g';
  const match = /^(\d{1,6})([mg])$/i.exec(text);
  const megabytes = Number(match?.[1]) * (match?.[2]?.toLowerCase() === 'g' ? 1024 : 1);
  if (match === null || megabytes < LOWEST_HEAP_MEGABYTES) {
    throw badValue('NEO4J_HEAP', `a size of at least ${LOWEST_HEAP_MEGABYTES}m, such as 512m or 2g`, text);
  }
  return megabytes;
}

/** The folder of downloaded programs. */
export function readCacheDir(variables: Variables, repository: string): string {
  return resolve(variables.TASKGRAPH_CACHE_DIR || join(repository, '.cache'));
}

/** From TASKGRAPH_NODE. A path has a separator, so that a mistyped word is not one. */
export function readNodeSetting({ TASKGRAPH_NODE: text }: Variables): NodeSetting {
  if (text === undefined || text === '') return { kind: 'auto' };
  if (text === 'auto' || text === 'own') return { kind: text };
  if (/[\\/]/.test(text)) return { kind: 'program', path: resolve(text) };
  throw badValue('TASKGRAPH_NODE', 'auto, own or the path of a Node', text);
}

function readNumber(variables: Variables, name: string, fallback: number, lowest: number, highest: number): number {
  const text = variables[name];
  if (text === undefined || text === '') return fallback;
  const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= lowest && value <= highest)) throw badValue(name, `a number from ${lowest} to ${highest}`, text);
  return value;
}

function checkUrl(variables: Variables, name: string): void {
  const text = variables[name];
  if (text === undefined || text === '') return;
  const schemes = SCHEMES[name] ?? [];
  // NATS accepts several servers, separated by commas; each must be valid. The error must not show
  // a password.
  const sound = text
    .split(',')
    .every((part) => URL.canParse(part) && schemes.includes(new URL(part).protocol.slice(0, -1)));
  if (!sound)
    throw badValue(name, `a URL that begins with ${schemes.map((scheme) => `${scheme}://`).join(', ')}`, redact(text));
}

function badValue(name: string, wanted: string, text: string): LauncherError {
  return new LauncherError(`${name} must be ${wanted}, not "${text}"`, `Change ${name}, or unset it for the default.`);
}

/** The URL without its user and password, for messages. */
export function redact(url: string): string {
  // Backtracks: the administrator sets the address, and its slashes end each try.
  return url.replace(/\/\/[^@/]*@/g, '//');
}
