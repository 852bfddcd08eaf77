import { appendFileSync, mkdtempSync, readdirSync, rmSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test, vi } from 'vitest';
import { type Backends, REPOSITORY, startBackends } from './backends.ts';
import { checksumOf, JARS_SHA256, neo4jFolder } from './neo4j-download.ts';
import { exchange } from './probe.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'taskgraph-launcher-'));
let backends: Backends | undefined;

afterAll(async () => {
  await backends?.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

/** Sends one line of Redis's own protocol, because the launcher has no client library. */
async function redis(running: Backends, line: string): Promise<string> {
  const { hostname, port, password } = new URL(running.environment.REDIS_URL ?? '');
  const isComplete = (answer: string) => answer.split('\r\n').length > 2;
  return exchange({ host: hostname, port: Number(port) }, `AUTH ${password}\r\n${line}\r\n`, isComplete);
}

/** Keeps only the data that was forced to the disk. */
function leaveAsAfterPowerCut(): void {
  truncateSync(join(dataDir, 'neo4j', 'data', 'server_id'));
  const appended = join(dataDir, 'redis', 'appendonlydir');
  const [file = ''] = readdirSync(appended).filter((name) => name.endsWith('.incr.aof'));
  appendFileSync(join(appended, file), Buffer.alloc(900));
}

test('all three start, keep their data over a power cut, and restart when they are killed', async () => {
  backends = await startBackends({ dataDir });
  const { environment } = backends;
  expect(Object.keys(environment).sort()).toEqual(
    ['NATS_PASSWORD', 'NATS_URL', 'NATS_USER', 'NEO4J_PASSWORD', 'NEO4J_URL', 'NEO4J_USER', 'REDIS_URL'].sort(),
  );
  expect(await redis(backends, 'SET kept yes')).toContain('+OK\r\n+OK');
  await expect(startBackends({ dataDir })).rejects.toThrow(`in use by the stack of process ${process.pid}`);
  await backends.stop();
  leaveAsAfterPowerCut();

  backends = await startBackends({ dataDir });
  expect(backends.environment.NEO4J_PASSWORD).toBe(environment.NEO4J_PASSWORD);
  expect(await redis(backends, 'GET kept')).toContain('yes');

  const running = backends;
  for (const name of ['neo4j', 'nats', 'redis'] as const) running.kill(name);
  await vi.waitFor(() => expect(running.restarts()).toEqual({ neo4j: 1, nats: 1, redis: 1 }), 60_000);
  expect(await redis(running, 'GET kept')).toContain('yes');
});

test('the downloaded Neo4j matches the checksum of the release', () => {
  const cacheDir = process.env.TASKGRAPH_CACHE_DIR || join(REPOSITORY, '.cache');
  expect(checksumOf(neo4jFolder(cacheDir))).toBe(JARS_SHA256);
});
