// Starts Neo4j, NATS and Redis once for all `*.neo4j.test.ts`, in an empty folder that is removed afterwards.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startBackends } from '@taskgraph/launcher/backends/backends';
import { streamReport } from '@taskgraph/launcher/progress';

/** Vitest calls this before it forks its workers, which inherit the variables, and the result after the last test. */
export default async function setup(): Promise<(() => Promise<void>) | undefined> {
  // Whoever points the tests at a database of their own wants that one.
  if (process.env.NEO4J_URL) return undefined;
  const dataDir = await mkdtemp(join(tmpdir(), 'taskgraph-backends-'));
  const remove = () => rm(dataDir, { recursive: true, force: true });
  try {
    const backends = await startBackends({ dataDir, report: streamReport(process.stderr) });
    Object.assign(process.env, backends.environment);
    return async () => {
      for (const name of Object.keys(backends.environment)) delete process.env[name];
      await backends.stop();
      await remove();
    };
  } catch (error) {
    await remove();
    throw error;
  }
}
