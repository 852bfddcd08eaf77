// Starts a Redis Cluster of three masters with one replica each on loopback. Its data is stored in
// a folder.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { readJson, writePrivateJson } from '../data/private-files.ts';
import { freePorts, isUnused, LOOPBACK } from '../processes/ports.ts';
import {
  type RedisServer,
  type RedisServersOptions,
  type ServerPlan,
  startServers,
  stopServers,
} from './redis-servers.ts';

const MASTERS = 3;
const SERVERS = 2 * MASTERS;
const SLOTS = 16_384;
/**
 * A master that does not answer for this time counts as dead. Its replica takes over about a second
 * later.
 */
const NODE_TIMEOUT_MS = 2_000;
const FORM_LIMIT_MS = 30_000;
const POLL_MS = 100;

export interface RedisClusterOptions extends RedisServersOptions {
  /** For tests with proxies before the servers: returns the proxy's port for a server's port. */
  readonly route?: (port: number) => Promise<number>;
}

export interface RedisCluster {
  /** REDIS_URL with the addresses of all servers, and REDIS_MODE. */
  readonly environment: Readonly<Record<string, string>>;
  /** The first three start as masters; `masterOf` returns the current masters. */
  readonly servers: readonly RedisServer[];
  /** The master of a key, as a running server reports it. */
  masterOf(key: string): Promise<RedisServer>;
  /** Resolves when all slots are served and all running replicas follow a master. */
  whole(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * `dataDir` may hold the cluster of an earlier start. If its ports are in use now, a new cluster
 * replaces it: its data is expendable.
 */
export async function startRedisCluster(options: RedisClusterOptions): Promise<RedisCluster> {
  const dataDir = join(options.dataDir, 'redis-cluster');
  const file = join(dataDir, 'ports.json');
  const known = readJson<number[]>(file) ?? [];
  const isKnown = known.length === 2 * SERVERS && (await Promise.all(known.map(isUnused))).every(Boolean);
  if (!isKnown) rmSync(dataDir, { recursive: true, force: true });
  const ports = isKnown ? known : await freePorts(2 * SERVERS);
  const { route = async (port: number) => port } = options;
  const reached = await Promise.all(ports.slice(0, SERVERS).map(route));
  const plans = Array.from({ length: SERVERS }, (_, index) => planOf(index, ports, reached));
  const servers = await startServers(plans, { ...options, dataDir });
  const cluster: RedisCluster = {
    environment: {
      REDIS_MODE: 'cluster',
      REDIS_URL: reached.map((port) => `redis://:${options.password}@${LOOPBACK}:${port}`).join(','),
    },
    servers,
    masterOf: (key) => masterOf(key, servers, reached),
    whole: () => waitUntil('the cluster of Redis is not whole', () => isWhole(servers), options.signal),
    stop: () => stopServers(servers),
  };
  try {
    if (!isKnown) await formCluster(servers, ports.slice(SERVERS), options.signal);
    await cluster.whole();
    // Written last, because the file marks the cluster as formed.
    writePrivateJson(file, ports);
    return cluster;
  } catch (error) {
    await cluster.stop();
    throw error;
  }
}

function planOf(index: number, ports: readonly number[], reached: readonly number[]): ServerPlan {
  const lines = [
    'cluster-enabled yes',
    'cluster-config-file nodes.conf',
    `cluster-port ${ports[SERVERS + index]}`,
    `cluster-announce-port ${reached[index]}`,
    `cluster-node-timeout ${NODE_TIMEOUT_MS}`,
    // A replica takes over however old its data is: it can only lack limit counts, and jobs that
    // the service finds again.
    'cluster-replica-validity-factor 0',
  ];
  return { name: `redis-${index + 1}`, port: ports[index] as number, lines };
}

/**
 * Divides the slots between the first three servers, joins all servers, and gives each master a
 * replica.
 */
async function formCluster(
  servers: readonly RedisServer[],
  busPorts: readonly number[],
  signal?: AbortSignal,
): Promise<void> {
  const ids = await Promise.all(servers.map((server) => server.ask('CLUSTER', 'MYID')));
  for (const [index, server] of servers.entries()) {
    await server.ask('CLUSTER', 'SET-CONFIG-EPOCH', String(index + 1));
    const [first, next] = [index, index + 1].map((part) => Math.floor((part * SLOTS) / MASTERS)) as [number, number];
    if (index < MASTERS) await server.ask('CLUSTER', 'ADDSLOTSRANGE', String(first), String(next - 1));
  }
  const [one, ...others] = servers as [RedisServer, ...RedisServer[]];
  for (const [index, { port }] of others.entries()) {
    await one.ask('CLUSTER', 'MEET', LOOPBACK, String(port), String(busPorts[index + 1]));
  }
  const haveMet = async () => {
    const known = await Promise.all(servers.map(nodesOf));
    return known.every((nodes) => nodes.length === SERVERS && nodes.every(({ flags }) => !flags.includes('handshake')));
  };
  await waitUntil('the servers of Redis have not met', haveMet, signal);
  for (const [index, server] of servers.slice(MASTERS).entries()) {
    await server.ask('CLUSTER', 'REPLICATE', ids[index] as string);
  }
}

interface Node {
  readonly port: number;
  readonly flags: readonly string[];
  /** The ranges of slots that it serves. */
  readonly slots: readonly (readonly [first: number, last: number])[];
}

/**
 * Parses one line per node: `<id> <ip:port@bus> <flags> <master> <ping> <pong> <epoch> <link>
 * <slots>...`.
 */
async function nodesOf(server: RedisServer): Promise<Node[]> {
  const lines = (await server.ask('CLUSTER', 'NODES')).split('\n').filter((line) => line !== '');
  return lines.map((line) => {
    const [, address = '', flags = '', , , , , , ...slots] = line.split(' ');
    const ranges = slots.map((range) => range.split('-').map(Number));
    return {
      port: Number(address.split('@')[0]?.split(':').at(-1)),
      flags: flags.split(','),
      slots: ranges.map(([first = Number.NaN, last = first]) => [first, last] as const),
    };
  });
}

async function masterOf(
  key: string,
  servers: readonly RedisServer[],
  reached: readonly number[],
): Promise<RedisServer> {
  const asked = servers.find((server) => server.pid() !== undefined);
  if (asked === undefined) throw new Error('no server of the cluster is up');
  const slot = Number(await asked.ask('CLUSTER', 'KEYSLOT', key));
  const nodes = await nodesOf(asked);
  const master = nodes.find(({ slots }) => slots.some(([first, last]) => slot >= first && slot <= last));
  const server = servers[reached.indexOf(master?.port ?? 0)];
  if (server === undefined) throw new Error(`no server serves slot ${slot}`);
  return server;
}

/** True if every running server reports a complete cluster. */
async function isWhole(servers: readonly RedisServer[]): Promise<boolean> {
  const up = servers.filter((server) => server.pid() !== undefined);
  const states = up.map(async (server) => {
    const [info, replication] = await Promise.all([server.ask('CLUSTER', 'INFO'), server.ask('INFO', 'replication')]);
    const follows = replication.includes('role:master') || replication.includes('master_link_status:up');
    return info.includes('cluster_state:ok') && info.includes(`cluster_known_nodes:${SERVERS}`) && follows;
  });
  return (await Promise.all(states)).every(Boolean);
}

async function waitUntil(what: string, isTrue: () => Promise<boolean>, signal?: AbortSignal): Promise<void> {
  const deadline = Date.now() + FORM_LIMIT_MS;
  // A server that is restarting does not answer.
  while (!(await isTrue().catch(() => false))) {
    if (Date.now() > deadline) throw new Error(`${what} after ${FORM_LIMIT_MS / 1_000} s`);
    await sleep(POLL_MS, undefined, { signal });
  }
}
