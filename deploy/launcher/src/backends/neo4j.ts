// Runs a Neo4j Community server from its jars on loopback, and sets its first password.
import { join } from 'node:path';
import { writePrivate } from '../data/private-files.ts';
import { LauncherError } from '../errors.ts';
import { LOOPBACK } from '../processes/ports.ts';
import { repairNeo4j } from './after-power-cut.ts';
import { poll } from './probe.ts';

export const NEO4J_USER = 'neo4j';
const FIRST_PASSWORD = 'neo4j';
const ATTEMPT_TIMEOUT_MS = 10_000;
const TRANSACTION_SECONDS = 3;
/**
 * A command on 20,000 nodes allocates arrays of several megabytes at its commit. With small regions
 * the collector treats them as humongous, and marks the whole heap each time, 300 ms on one of two
 * processors. With these regions they are ordinary objects. A smaller heap would have too few
 * regions.
 */
const LARGE_REGIONS = { fromHeapMegabytes: 4_096, flag: '-XX:G1HeapRegionSize=16m' };

export interface Neo4jOptions {
  readonly dataDir: string;
  readonly jars: string;
  /** JVM arguments of `classArchive`. */
  readonly classArguments: readonly string[];
  readonly boltPort: number;
  /** The Bolt port that clients use, if it differs. The routing table contains it. */
  readonly reachedPort?: number;
  readonly httpPort: number;
  readonly heapMegabytes: number;
  /** The time limit of a transaction whose client sets none. Default: 3. */
  readonly transactionSeconds?: number | undefined;
}

/** Writes neo4j.conf, repairs the files after a power cut, and returns the arguments for java. */
export function prepareNeo4j(options: Neo4jOptions): string[] {
  const home = join(options.dataDir, 'neo4j');
  const configuration = join(home, 'conf');
  writePrivate(join(configuration, 'neo4j.conf'), `${neo4jConfiguration(options).join('\n')}\n`);
  repairNeo4j(home);
  const opened = ['java.nio', 'java.io', 'sun.nio.ch', 'java.util.concurrent'];
  return [
    `-Xms${options.heapMegabytes}m`,
    `-Xmx${options.heapMegabytes}m`,
    '-XX:+UseG1GC',
    ...(options.heapMegabytes >= LARGE_REGIONS.fromHeapMegabytes ? [LARGE_REGIONS.flag] : []),
    '-XX:+ExitOnOutOfMemoryError',
    '-XX:-OmitStackTraceInFastThrow',
    '-Dfile.encoding=UTF-8',
    '-Dio.netty.tryReflectionSetAccessible=true',
    ...options.classArguments,
    ...opened.map((name) => `--add-opens=java.base/${name}=ALL-UNNAMED`),
    '-cp',
    join(options.jars, '*'),
    'org.neo4j.server.CommunityEntryPoint',
    `--home-dir=${home}`,
    `--config-dir=${configuration}`,
  ];
}

function neo4jConfiguration(options: Neo4jOptions): string[] {
  const heap = options.heapMegabytes;
  return [
    `server.default_listen_address=${LOOPBACK}`,
    `server.bolt.listen_address=${LOOPBACK}:${options.boltPort}`,
    `server.bolt.advertised_address=${LOOPBACK}:${options.reachedPort ?? options.boltPort}`,
    // HTTP serves the launcher alone, which checks that the database answers and sets the first
    // password.
    `server.http.listen_address=${LOOPBACK}:${options.httpPort}`,
    'server.http_enabled_modules=TRANSACTIONAL_ENDPOINTS',
    `server.memory.heap.initial_size=${heap}m`,
    `server.memory.heap.max_size=${heap}m`,
    'server.memory.pagecache.size=256m',
    // A transaction that exhausts the heap must fail alone and not end the server. The largest
    // intended one trashes a node with all of its links, 30 to 40 KB for each.
    `db.memory.transaction.max=${Math.floor(heap * 0.65)}m`,
    `dbms.memory.transaction.total.max=${Math.floor(heap * 0.75)}m`,
    // A group that meets a locked owner waits this long, and continues without that owner.
    'db.lock.acquisition.timeout=250ms',
    // A worker that was paused inside a transaction holds its locks until this limit.
    `db.transaction.timeout=${options.transactionSeconds ?? TRANSACTION_SECONDS}s`,
    // Preallocated logs of 256 MB would cost an empty folder half a gigabyte.
    'db.tx_log.preallocate=false',
    'db.tx_log.rotation.size=64m',
    'db.tx_log.rotation.retention_policy=1 files',
    'db.logs.query.enabled=OFF',
    'dbms.usage_report.enabled=false',
    // By default a stopping server waits 10 s for connections that no client opens any more.
    'internal.dbms.bolt.netty_server_shutdown_quiet_period=0',
  ];
}

/** Resolves when the database accepts this password. In a new folder the password is set first. */
export async function untilNeo4jIsReady(httpPort: number, password: string, signal: AbortSignal): Promise<void> {
  await poll(async () => {
    const answer = await query(httpPort, { database: 'neo4j', password, statement: 'RETURN 1' }).catch(() => undefined);
    if (answer === 'unauthorized') await setFirstPassword(httpPort, password);
    return answer === 'fine';
  }, signal);
}

async function setFirstPassword(httpPort: number, password: string): Promise<void> {
  const statement = 'ALTER CURRENT USER SET PASSWORD FROM $from TO $to';
  const parameters = { from: FIRST_PASSWORD, to: password };
  const answer = await query(httpPort, { database: 'system', password: FIRST_PASSWORD, statement, parameters });
  if (answer !== 'unauthorized') return;
  throw new LauncherError(
    'Neo4j does not accept the password in secrets.json',
    'Restore the secrets.json of this data folder, or delete the folder to start over.',
  );
}

interface Query {
  readonly database: string;
  readonly password: string;
  readonly statement: string;
  readonly parameters?: Readonly<Record<string, string>>;
}

async function query(httpPort: number, request: Query): Promise<'fine' | 'unauthorized' | 'failed'> {
  const { statement, parameters = {} } = request;
  const response = await fetch(`http://${LOOPBACK}:${httpPort}/db/${request.database}/tx/commit`, {
    method: 'POST',
    headers: {
      authorization: `Basic ${Buffer.from(`${NEO4J_USER}:${request.password}`).toString('base64')}`,
      'content-type': 'application/json',
      connection: 'close',
    },
    body: JSON.stringify({ statements: [{ statement, parameters }] }),
    signal: AbortSignal.timeout(ATTEMPT_TIMEOUT_MS),
  });
  const body = (await response.json()) as { readonly errors?: readonly unknown[] };
  if (response.status === 401) return 'unauthorized';
  return response.ok && body.errors?.length === 0 ? 'fine' : 'failed';
}
