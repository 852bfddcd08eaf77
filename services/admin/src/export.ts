// Writes the whole database into a file while the service runs. See docs/operations.md, "Export and
// import".
import { createWriteStream, existsSync, renameSync, rmSync } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { parseArgs } from 'node:util';
import type { Database } from '@taskgraph/graph-store/driver/database';
import { isMigrated, readMigrations } from '@taskgraph/graph-store/migration/migrations';
import { exportRecords } from '@taskgraph/graph-store/transfer/export';
import { connect } from './connection.ts';
import { createDigests, FORMAT, type Header, lineOf } from './export-file.ts';

const USAGE = 'usage: npm run export -- --file F';

async function main(): Promise<void> {
  const { file } = parseArgs({ options: { file: { type: 'string' } } }).values;
  if (file === undefined) throw new Error(USAGE);
  if (existsSync(file)) throw new Error(`${file} is there already: name another file, or remove it.`);
  const { database } = connect();
  const unfinished = `${file}.part`;
  try {
    if (!(await isMigrated(database)))
      throw new Error('the database is not migrated, is of a later release, or an import into it broke off.');
    // Readable by the owner only: it holds e-mails and the hashes of passwords and tokens.
    await pipeline(Readable.from(linesOf(database)), createWriteStream(unfinished, { mode: 0o600 }));
    renameSync(unfinished, file);
  } finally {
    rmSync(unfinished, { force: true });
    await database.close();
  }
}

async function* linesOf(database: Database): AsyncGenerator<string, void> {
  const header: Header = {
    taskgraph: FORMAT,
    migrations: await readMigrations(database),
    time: new Date().toISOString(),
  };
  yield `${JSON.stringify(header)}\n`;
  const digests = createDigests();
  let count = 0;
  for await (const record of exportRecords(database)) {
    const line = lineOf(record);
    digests.add(record, line);
    count += 1;
    yield `${line}\n`;
  }
  const users = digests.users();
  for (const [user, digest] of users) yield `${JSON.stringify({ user, digest })}\n`;
  yield `${JSON.stringify({ tables: digests.tables() })}\n`;
  console.log(`exported ${count} nodes and relationships of ${users.size} users`);
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
