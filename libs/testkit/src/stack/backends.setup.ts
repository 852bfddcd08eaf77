// Starts Neo4j, NATS and Redis once for all tests that share them, in an empty folder that is
// removed afterwards.
import { writeFileSync } from 'node:fs';
import { planGroups } from '@taskgraph/graph-store/commit/plan-warm-up';
import { openDatabase } from '@taskgraph/graph-store/driver/database';
import { migrate } from '@taskgraph/graph-store/migration/migrations';
import { streamReport } from '@taskgraph/launcher/progress';
import { startNewBackends } from './new-backends.ts';

/**
 * Vitest calls it before it forks its workers, which inherit the variables. It calls the result
 * after the last test.
 */
export default async function setup(): Promise<(() => Promise<void>) | undefined> {
  // A developer may point the tests at another database.
  if (process.env.NEO4J_URL) {
    reportStart();
    return undefined;
  }
  // The optimising compiler takes longer than these tests run. With the fast compiler alone, the
  // default code cache fills within minutes, and the JVM then stops compiling.
  process.env.JAVA_TOOL_OPTIONS ??= '-XX:TieredStopAtLevel=1 -XX:ReservedCodeCacheSize=240m';
  const backends = await startNewBackends(streamReport(process.stderr));
  reportStart();
  const stop = async () => {
    for (const name of Object.keys(backends.environment)) delete process.env[name];
    await backends.stop();
  };
  Object.assign(process.env, backends.environment);
  await prepare(backends.environment).catch(async (error) => {
    await stop();
    throw error;
  });
  return stop;
}

/** deploy/test.mjs delays tests with their own backends until this machine has enough resources. */
function reportStart(): void {
  if (process.env.TASKGRAPH_TESTS_UP) writeFileSync(process.env.TASKGRAPH_TESTS_UP, '');
}

/**
 * Migrates and plans each command's statements once. Otherwise several files would do it at the
 * same time and wait for each other's locks.
 */
async function prepare({ NEO4J_URL: url = '', NEO4J_USER: user = '', NEO4J_PASSWORD: password = '' }): Promise<void> {
  const database = openDatabase({ url, user, password });
  try {
    await migrate(database, () => undefined);
    await planGroups(database);
  } finally {
    await database.close();
  }
}
