// The three backends with TLS only, for tests of encrypted connections. NATS and Redis also require
// a client's certificate.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { REPOSITORY } from '@taskgraph/launcher/backends/backends';
import { classArchive } from '@taskgraph/launcher/backends/class-archive';
import { prepareNeo4j, untilNeo4jIsReady } from '@taskgraph/launcher/backends/neo4j';
import { downloadNeo4j, isDownloaded, neo4jFolder } from '@taskgraph/launcher/backends/neo4j-download';
import { planSources, type Source } from '@taskgraph/launcher/backends/sources';
import { freePorts } from '@taskgraph/launcher/processes/ports';
import { silentReport } from '@taskgraph/launcher/progress';
import { type Certificates, makeCertificates } from './certificates.ts';
import { startServer } from './nats.ts';

const START_LIMIT_MS = 180_000;
const PASSWORD = 'password-of-a-test';

export interface EncryptedBackends {
  readonly certificates: Certificates;
  /** The settings of services that use them. */
  readonly environment: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

export async function startEncryptedBackends(): Promise<EncryptedBackends> {
  const folder = mkdtempSync(join(tmpdir(), 'taskgraph-encrypted-'));
  const certificates = makeCertificates(folder);
  const { authority, server, client } = certificates;
  const [boltPort = 0, httpPort = 0, redisPort = 0] = await freePorts(3);
  const signal = AbortSignal.timeout(START_LIMIT_MS);
  const neo4j = startNeo4j({ folder, certificates, boltPort, httpPort });
  const redis = startRedis({ folder, certificates, port: redisPort });
  const nats = await startServer(
    `authorization { user: test, password: ${PASSWORD} }
     tls { cert_file: "${server.certificate}", key_file: "${server.key}", ca_file: "${authority}", verify: true }`,
  );
  const stop = async () => {
    await Promise.all([nats.remove(), end(await neo4j), end(redis)]);
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await neo4j;
    await untilNeo4jIsReady(httpPort, PASSWORD, signal);
  } catch (error) {
    await stop();
    throw error;
  }
  const files = (name: string) => ({
    [`${name}_CA_FILE`]: authority,
    [`${name}_CERTIFICATE_FILE`]: client.certificate,
    [`${name}_KEY_FILE`]: client.key,
  });
  return {
    certificates,
    environment: {
      NEO4J_URL: `neo4j+s://localhost:${boltPort}`,
      NEO4J_USER: 'neo4j',
      NEO4J_PASSWORD: PASSWORD,
      NEO4J_CA_FILE: authority,
      NATS_URL: nats.url.replace('nats://127.0.0.1', 'tls://localhost'),
      NATS_USER: 'test',
      NATS_PASSWORD: PASSWORD,
      ...files('NATS'),
      REDIS_URL: `rediss://:${PASSWORD}@localhost:${redisPort}`,
      ...files('REDIS'),
    },
    stop,
  };
}

interface Neo4jOptions {
  readonly folder: string;
  readonly certificates: Certificates;
  readonly boltPort: number;
  readonly httpPort: number;
}

/** The launcher's own, with TLS required for Bolt. */
async function startNeo4j({ folder, certificates, boltPort, httpPort }: Neo4jOptions): Promise<ChildProcess> {
  const cacheDir = process.env.TASKGRAPH_CACHE_DIR || join(REPOSITORY, '.cache');
  const fixed = { cacheDir, report: silentReport, signal: undefined };
  const elsewhere = { NATS_URL: 'nats://elsewhere', REDIS_URL: 'redis://elsewhere' };
  const { neo4j } = await planSources({ ...fixed, environment: elsewhere, yes: false });
  const { program, maven = '' } = neo4j as Extract<Source, { kind: 'program' }>;
  if (!isDownloaded(cacheDir)) await downloadNeo4j({ ...fixed, maven, java: program });
  const jars = neo4jFolder(cacheDir);
  const { arguments: classArguments } = classArchive({ java: program, jars, workDir: folder, report: silentReport });
  const parameters = prepareNeo4j({
    dataDir: folder,
    jars,
    classArguments,
    heapMegabytes: 512,
    boltPort,
    httpPort,
  });
  const bolt = join(folder, 'neo4j', 'certificates', 'bolt');
  mkdirSync(bolt, { recursive: true });
  copyFileSync(certificates.server.certificate, join(bolt, 'public.crt'));
  copyFileSync(certificates.server.key, join(bolt, 'private.key'));
  const lines = [
    'server.bolt.tls_level=REQUIRED',
    'dbms.ssl.policy.bolt.enabled=true',
    `dbms.ssl.policy.bolt.base_directory=${bolt}`,
    'dbms.ssl.policy.bolt.client_auth=NONE',
  ];
  appendFileSync(join(folder, 'neo4j', 'conf', 'neo4j.conf'), `${lines.join('\n')}\n`);
  return spawn(program, parameters, { stdio: 'ignore' });
}

interface RedisOptions {
  readonly folder: string;
  readonly certificates: Certificates;
  readonly port: number;
}

function startRedis({ folder, certificates, port }: RedisOptions): ChildProcess {
  const { authority, server } = certificates;
  const tls = ['--tls-cert-file', server.certificate, '--tls-key-file', server.key, '--tls-ca-cert-file', authority];
  const ports = ['--port', '0', '--tls-port', String(port), '--bind', '127.0.0.1', '--tls-auth-clients', 'yes'];
  const rest = ['--requirepass', PASSWORD, '--save', '', '--dir', folder];
  return spawn('redis-server', [...ports, ...tls, ...rest], { stdio: 'ignore' });
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  await exited;
}
