// Prints the checksum of each user's graph, to compare a database with what was restored or imported from it.
import { openDatabase } from '@taskgraph/graph-store/database';
import { exportRecords } from '@taskgraph/graph-store/exporting';
import { readConfig } from '@taskgraph/runtime/config';
import { configuration } from './configuration.ts';
import { createDigests, lineOf } from './export-file.ts';
import { stackEnvironment } from './stack-environment.ts';

async function main(): Promise<void> {
  const config = readConfig(configuration, stackEnvironment());
  const database = openDatabase({ url: config.NEO4J_URL, user: config.NEO4J_USER, password: config.NEO4J_PASSWORD });
  try {
    const digests = createDigests();
    for await (const record of exportRecords(database)) digests.add(record, lineOf(record));
    for (const [user, digest] of digests.users()) console.log(`${user} ${digest}`);
  } finally {
    await database.close();
  }
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
