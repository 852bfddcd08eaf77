// Prints the checksum of each user's graph, to compare a database with its restored or imported
// copy.
import { exportRecords } from '@taskgraph/graph-store/transfer/export';
import { connect } from './connection.ts';
import { createDigests, lineOf } from './export-file.ts';

async function main(): Promise<void> {
  const { database } = connect();
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
