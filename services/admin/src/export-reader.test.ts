// An export is read completely, and every kind of damage is detected.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { StoredRecord } from '@taskgraph/graph-store/transfer/export';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDigests, FORMAT, lineOf } from './export-file.ts';
import { readExport } from './export-reader.ts';

const records: readonly StoredRecord[] = [
  { table: 'Node', owner: 'ann', floats: [], properties: { id: 'n1', title: 'one' } },
  { table: 'Node', owner: 'bob', floats: [], properties: { id: 'n2', title: 'two' } },
  { table: 'BLOCKS', owner: 'ann', ends: { source: 'n1', target: 'n2' }, floats: [], properties: { id: 'l1' } },
];
const digests = createDigests();
for (const record of records) digests.add(record, lineOf(record));
const whole = [
  JSON.stringify({ taskgraph: FORMAT, migrations: [1, 2], time: '2026-12-24T18:00:00.000Z' }),
  ...records.map(lineOf),
  ...[...digests.users()].map(([user, digest]) => JSON.stringify({ user, digest })),
  JSON.stringify({ tables: digests.tables() }),
];

let file: string;
beforeAll(() => {
  file = join(mkdtempSync(join(tmpdir(), 'taskgraph-export-')), 'export.jsonl');
});
afterAll(() => rmSync(join(file, '..'), { recursive: true }));

/** Reads an export of these lines; the visitor's calls are the result. */
async function read(lines: readonly string[]): Promise<unknown[]> {
  writeFileSync(file, lines.map((line) => `${line}\n`).join(''));
  const seen: unknown[] = [];
  await readExport(file, {
    header: ({ migrations }) => void seen.push(migrations),
    record: (each) => void seen.push(each),
  });
  return seen;
}

test('the visitor gets the header, then each record in order', async () => {
  expect(await read(whole)).toEqual([[1, 2], ...records]);
});

const without = (index: number) => whole.filter((_, at) => at !== index);

test.each([
  ['without its header', without(0), 'its first line is not a header'],
  ['without a record', without(1), 'the file is damaged: the checksums of Node, ann differ'],
  ['without the checksum of a user', without(4), 'the file is damaged: the checksums of ann differ'],
  ['without its end', without(6), 'the file is cut off'],
  ['with a changed record', whole.map((line) => line.replace('"two"', '"three"')), 'the checksums of Node, bob differ'],
  ['with a repeated record', [...whole.slice(0, 2), ...whole.slice(1)], 'the checksums of Node, ann differ'],
  ['that is empty', [], 'the file is cut off'],
])('an export %s is refused', async (_name, lines, message) => {
  await expect(read(lines)).rejects.toThrow(message);
});
