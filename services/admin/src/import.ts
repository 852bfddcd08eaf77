// Imports an export file into an empty, migrated database and verifies the result. See
// docs/operations.md, "Export and import".
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import type { Database } from '@taskgraph/graph-store/driver/database';
import { readMigrations } from '@taskgraph/graph-store/migration/migrations';
import { exportRecords, type StoredRecord } from '@taskgraph/graph-store/transfer/export';
import { beginImport, endImport, type ImportStart, importRecords } from '@taskgraph/graph-store/transfer/import';
import { connect } from './connection.ts';
import {
  comparable,
  createDigests,
  type Digests,
  differences,
  type Header,
  isRecord,
  lineOf,
  type RecordLine,
  readLine,
  type Sums,
} from './export-file.ts';

const USAGE = 'usage: npm run import -- --file F';

/** Maximum records, and approximate maximum characters, of one transaction. */
const PAGE_RECORDS = 1_000;
const PAGE_CHARACTERS = 4_000_000;

const REFUSALS: Readonly<Record<Exclude<ImportStart, 'begun'>, string>> = {
  not_migrated: 'the database is not migrated: run the migration of the release that made the file first.',
  not_empty: 'the database is not empty; an import only fills an empty one.',
  unfinished: 'an import into this database broke off: begin again with an empty one.',
};

async function main(): Promise<void> {
  const { file } = parseArgs({ options: { file: { type: 'string' } } }).values;
  if (file === undefined) throw new Error(USAGE);
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

/** The counts at the end of the file. */
interface ExportTotals {
  readonly users: Map<string, string>;
  readonly tables: Sums;
}

async function fill(database: Database, file: string): Promise<ExportTotals> {
  const digests = createDigests();
  const users = new Map<string, string>();
  let header: Header | undefined;
  let tables: Sums | undefined;
  let page: StoredRecord[] = [];
  let characters = 0;
  const flush = async () => {
    const [first] = page;
    if (first !== undefined) await importRecords(database, first.table, page);
    [page, characters] = [[], 0];
  };
  for await (const text of createInterface({ input: createReadStream(file), crlfDelay: Number.POSITIVE_INFINITY })) {
    const line = readLine(text);
    if (header === undefined) header = await begin(database, line);
    else if (isRecord(line)) {
      const record = recordOf(line);
      const isFull = page.length >= PAGE_RECORDS || characters + text.length > PAGE_CHARACTERS;
      if (isFull || page[0]?.table !== record.table) await flush();
      page.push(record);
      characters += text.length;
      digests.add(record, lineOf(record));
    } else if ('user' in line) users.set(line.user, line.digest);
    else if ('tables' in line) tables = line.tables;
  }
  await flush();
  if (tables === undefined) throw new Error('the file is cut off: its last line is missing.');
  const claimed = { users, tables };
  requireEqual(claimed, digests, 'the file is damaged');
  return claimed;
}

async function begin(database: Database, line: ReturnType<typeof readLine>): Promise<Header> {
  if (!('taskgraph' in line)) throw new Error('the file is not an export: its first line is not a header.');
  const here = await readMigrations(database);
  if (here.join() !== [...line.migrations].sort((one, other) => one - other).join()) {
    throw new Error(
      `the file has the migrations ${line.migrations.join(', ')}, the database ${here.join(', ')}: ` +
        'import with the release that made the file, and upgrade after that.',
    );
  }
  const started = await beginImport(database);
  if (started !== 'begun') throw new Error(REFUSALS[started]);
  return line;
}

function recordOf({ ends, ...others }: RecordLine): StoredRecord {
  return ends === undefined ? others : { ...others, ends };
}

/** Reads everything again, as an export does. */
async function compare(database: Database, claimed: ExportTotals): Promise<void> {
  const digests = createDigests();
  for await (const record of exportRecords(database)) digests.add(record, lineOf(record));
  requireEqual(claimed, digests, 'the database differs from the file');
}

function requireEqual(claimed: ExportTotals, found: Digests, what: string): void {
  const wrong = [
    ...differences(comparable(claimed.tables), comparable(found.tables())),
    ...differences(claimed.users, found.users()),
  ];
  if (wrong.length > 0) throw new Error(`${what}: the checksums of ${wrong.slice(0, 10).join(', ')} differ.`);
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
