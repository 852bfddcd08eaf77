// Reads an export file and compares it with its checksums, without a database. With a folder, the
// newest export. See docs/operations.md, "Export and import".
import { newestExport } from './export-folder.ts';
import { readVerifyOptions } from './export-options.ts';
import { readExport } from './export-reader.ts';

const HOUR_MS = 3_600_000;

async function main(): Promise<void> {
  const { source, maxAgeHours } = readVerifyOptions(process.argv.slice(2));
  const file = 'file' in source ? source.file : newestExport(source.folder, new Date());
  let time = '';
  let count = 0;
  const { users } = await readExport(file, {
    header(header) {
      time = header.time;
    },
    record() {
      count += 1;
    },
  });
  console.log(`${file} of ${time}: ${count} nodes and relationships of ${users.size} users, all checksums are right`);
  const hours = (Date.now() - Date.parse(time)) / HOUR_MS;
  if (hours < -1) throw new Error(`its time is ${(-hours).toFixed(1)} hours ahead: check the clocks.`);
  // Written so that an unreadable time fails too.
  if (maxAgeHours !== null && !(hours <= maxAgeHours))
    throw new Error(`it is ${hours.toFixed(1)} hours old, more than ${maxAgeHours}.`);
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
