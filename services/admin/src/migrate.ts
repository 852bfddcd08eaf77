// Migrates the database's schema and creates the first administrator if the environment names one.
// Safe to run at any time, also concurrently. With --merged-history, workers that start from now on
// write history in the merged form: docs/operations.md, "Upgrade".
import { chooseMergedHistory } from '@taskgraph/graph-store/migration/history-form';
import { migrate } from '@taskgraph/graph-store/migration/migrations';
import { connect } from './connection.ts';
import { makeFirstAdministrator } from './first-administrator.ts';
import { readMigrateOptions } from './migrate-options.ts';

const OLDEST_NEO4J = [5, 23] as const;

async function main(): Promise<void> {
  const { mergedHistory } = readMigrateOptions(process.argv.slice(2));
  const { config, database } = connect(process.env);
  try {
    const { version } = await database.verify();
    if (isTooOld(version)) throw new Error(`Neo4j ${version} is too old: 5.23 or newer is needed.`);
    await migrate(database, (line) => console.log(line));
    if (mergedHistory) {
      await chooseMergedHistory(database);
      console.log('workers that start from now on write merged history');
    }
    const email = config.TASKGRAPH_ADMIN_EMAIL;
    const administrator = await makeFirstAdministrator(database, { email, password: config.TASKGRAPH_ADMIN_PASSWORD });
    if (administrator !== null) console.log(`${administrator} is an administrator now`);
    console.log(`Neo4j ${version} is up to date`);
  } finally {
    await database.close();
  }
}

function isTooOld(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major < OLDEST_NEO4J[0] || (major === OLDEST_NEO4J[0] && minor < OLDEST_NEO4J[1]);
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
