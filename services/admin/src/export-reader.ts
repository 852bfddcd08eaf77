// Reads an export file from its first line to its last, and compares its content with its checksums.
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import type { StoredRecord } from '@taskgraph/graph-store/transfer/export';
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

/** The checksums at the end of the file. */
export interface ExportTotals {
  readonly users: ReadonlyMap<string, string>;
  readonly tables: Sums;
}

export interface ExportVisitor {
  /** Called once, before any record. */
  header(header: Header): Promise<void> | void;
  /** `characters` is the length of the record's line. */
  record(record: StoredRecord, characters: number): Promise<void> | void;
}

/**
 * Calls the visitor for the header and each record, in the order of the file. Throws if the file is
 * damaged, is cut off, or differs from its checksums.
 */
export async function readExport(file: string, visitor: ExportVisitor): Promise<ExportTotals> {
  const digests = createDigests();
  const users = new Map<string, string>();
  let isBegun = false;
  let tables: Sums | undefined;
  for await (const text of createInterface({ input: createReadStream(file), crlfDelay: Number.POSITIVE_INFINITY })) {
    const line = readLine(text);
    if (!isBegun) {
      if (!('taskgraph' in line)) throw new Error('the file is not an export: its first line is not a header.');
      await visitor.header(line);
      isBegun = true;
    } else if (isRecord(line)) {
      const record = recordOf(line);
      digests.add(record, lineOf(record));
      await visitor.record(record, text.length);
    } else if ('user' in line) users.set(line.user, line.digest);
    else if ('tables' in line) tables = line.tables;
  }
  if (tables === undefined) throw new Error('the file is cut off: its last line is missing.');
  const claimed = { users, tables };
  requireEqual(claimed, digests, 'the file is damaged');
  return claimed;
}

/** Throws with the text and the names of users and tables whose checksums differ. */
export function requireEqual(claimed: ExportTotals, found: Digests, what: string): void {
  const wrong = [
    ...differences(comparable(claimed.tables), comparable(found.tables())),
    ...differences(claimed.users, found.users()),
  ];
  if (wrong.length > 0) throw new Error(`${what}: the checksums of ${wrong.slice(0, 10).join(', ')} differ.`);
}

function recordOf({ ends, ...others }: RecordLine): StoredRecord {
  return ends === undefined ? others : { ...others, ends };
}
