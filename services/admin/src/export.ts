// Writes the whole database into a file while the service runs. See docs/operations.md, "Export and
// import".
import { createWriteStream, existsSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Database } from '@taskgraph/graph-store/driver/database';
import { isMigrated, readMigrations } from '@taskgraph/graph-store/migration/migrations';
import { exportRecords } from '@taskgraph/graph-store/transfer/export';
import { connect } from './connection.ts';
import { createDigests, FORMAT, type Header, lineOf } from './export-file.ts';
import { exportName, listExports, removeAbandoned, removeOldExports } from './export-folder.ts';
import { readExportOptions } from './export-options.ts';
import { readExport } from './export-reader.ts';

async function main(): Promise<void> {
  const options = readExportOptions(process.argv.slice(2));
  if ('file' in options) return void (await writeExport(options.file));
  const { folder, retain } = options;
  removeAbandoned(folder, new Date());
  const earlier = listExports(folder, new Date());
  const file = join(folder, exportName(new Date()));
  const users = await writeExport(file);
  // After the loss of a database, each night would replace a good export by an empty one.
  if (users === 0 && earlier.length > 0)
    throw new Error(`${file} has no users, so that earlier exports are not deleted. Has the database been lost?`);
  const removed = removeOldExports(folder, file, { retain, now: new Date() });
  console.log(`${file} is written; ${removed.length} older exports deleted`);
}

/**
 * Writes an export and returns the number of its users. The file appears only when it is complete, on the disk,
 * and equal to its checksums.
 */
async function writeExport(file: string): Promise<number> {
  if (existsSync(file)) throw new Error(`${file} is there already: name another file, or remove it.`);
  const { database } = connect();
  const unfinished = `${file}.part`;
  try {
    if (!(await isMigrated(database)))
      throw new Error('the database is not migrated, is of a later release, or an import into it broke off.');
    // Readable by the owner only: it holds e-mails and the hashes of passwords and tokens.
    await pipeline(Readable.from(linesOf(database)), createWriteStream(unfinished, { mode: 0o600, flush: true }));
    const { users } = await readExport(unfinished, { header: () => undefined, record: () => undefined });
    renameSync(unfinished, file);
    return users.size;
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
