// Imports an export file into an empty, migrated database and verifies the result. See
// docs/operations.md, "Export and import".
import type { Database } from '@taskgraph/graph-store/driver/database';
import { readMigrations } from '@taskgraph/graph-store/migration/migrations';
import { exportRecords, type StoredRecord } from '@taskgraph/graph-store/transfer/export';
import { beginImport, endImport, type ImportStart, importRecords } from '@taskgraph/graph-store/transfer/import';
import { connect } from './connection.ts';
import { createDigests, type Header, lineOf } from './export-file.ts';
import { newestExport } from './export-folder.ts';
import { readImportOptions } from './export-options.ts';
import { type ExportTotals, readExport, requireEqual } from './export-reader.ts';

/** Maximum records, and approximate maximum characters, of one transaction. */
const PAGE_RECORDS = 1_000;
const PAGE_CHARACTERS = 4_000_000;

const REFUSALS: Readonly<Record<Exclude<ImportStart, 'begun'>, string>> = {
  not_migrated: 'the database is not migrated: run the migration of the release that made the file first.',
  not_empty: 'the database is not empty; an import only fills an empty one.',
  unfinished: 'an import into this database broke off: begin again with an empty one.',
};

async function main(): Promise<void> {
  const source = readImportOptions(process.argv.slice(2));
  const file = 'file' in source ? source.file : newestExport(source.folder, new Date());
  const { database } = connect();
  try {
    const claimed = await fill(database, file);
    await compare(database, claimed);
    await endImport(database);
    console.log(`imported the graphs of ${claimed.users.size} users; all checksums are right`);
  } finally {
    await database.close();
  }
}

async function fill(database: Database, file: string): Promise<ExportTotals> {
  let page: StoredRecord[] = [];
  let characters = 0;
  const flush = async () => {
    const [first] = page;
    if (first !== undefined) await importRecords(database, first.table, page);
    [page, characters] = [[], 0];
  };
  const totals = await readExport(file, {
    header: (header) => begin(database, header),
    async record(record, length) {
      const isFull = page.length >= PAGE_RECORDS || characters + length > PAGE_CHARACTERS;
      if (isFull || page[0]?.table !== record.table) await flush();
      page.push(record);
      characters += length;
    },
  });
  await flush();
  return totals;
}

async function begin(database: Database, { migrations }: Header): Promise<void> {
  const here = await readMigrations(database);
  if (here.join() !== [...migrations].sort((one, other) => one - other).join()) {
    throw new Error(
      `the file has the migrations ${migrations.join(', ')}, the database ${here.join(', ')}: ` +
        'import with the release that made the file, and upgrade after that.',
    );
  }
  const started = await beginImport(database);
  if (started !== 'begun') throw new Error(REFUSALS[started]);
}

/** Reads everything again, as an export does. */
async function compare(database: Database, claimed: ExportTotals): Promise<void> {
  const digests = createDigests();
  for await (const record of exportRecords(database)) digests.add(record, lineOf(record));
  requireEqual(claimed, digests, 'the database differs from the file');
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
