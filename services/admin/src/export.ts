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
import { exportName, removeOldExports } from './export-folder.ts';
import { readExportOptions } from './export-options.ts';
import { readExport } from './export-reader.ts';

async function main(): Promise<void> {
  const options = readExportOptions(process.argv.slice(2));
  const file = 'file' in options ? options.file : join(options.folder, exportName(new Date()));
  await writeExport(file);
  if (!('retain' in options)) return;
  const removed = removeOldExports(options.folder, options.retain, new Date());
  console.log(`${file} is written; ${removed.length} older exports deleted`);
}

/** The file appears only when it is complete, on the disk, and equal to its checksums. */
async function writeExport(file: string): Promise<void> {
  if (existsSync(file)) throw new Error(`${file} is there already: name another file, or remove it.`);
  const { database } = connect();
  const unfinished = `${file}.part`;
  try {
    if (!(await isMigrated(database)))
      throw new Error('the database is not migrated, is of a later release, or an import into it broke off.');
    // Readable by the owner only: it holds e-mails and the hashes of passwords and tokens.
    await pipeline(Readable.from(linesOf(database)), createWriteStream(unfinished, { mode: 0o600, flush: true }));
    await readExport(unfinished, { header: () => undefined, record: () => undefined });
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
