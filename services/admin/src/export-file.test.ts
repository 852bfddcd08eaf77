// Lines of an export: reading returns the written record, and every missing or changed line is
// detected.
import type { StoredRecord } from '@taskgraph/graph-store/transfer/export';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { comparable, createDigests, differences, isRecord, lineOf, readLine } from './export-file.ts';

const node: StoredRecord = {
  table: 'Node',
  owner: 'ann',
  floats: ['x'],
  properties: { id: 'n1', title: 'line\none "two"\u2028', x: 1, version: 3, tags: [], pinned: false },
};
const link: StoredRecord = {
  table: 'BLOCKS',
  owner: 'ann',
  ends: { source: 'n1', target: 'n2' },
  floats: [],
  properties: { id: 'l1' },
};
const token: StoredRecord = { table: 'Token', owner: null, floats: [], properties: { id: 't1' } };

function digestsOf(records: readonly StoredRecord[]) {
  const digests = createDigests();
  for (const record of records) digests.add(record, lineOf(record));
  return digests;
}

test.each([node, link, token])('a record of $table is unchanged by writing and reading', (record) => {
  const line = lineOf(record);
  expect(line).not.toContain('\n');
  const read = readLine(line);
  expect(isRecord(read) && read).toEqual(record);
  expect(lineOf(read as StoredRecord)).toBe(line);
});

test('texts and numbers are unchanged by writing and reading', () => {
  const value = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.maxSafeInteger(),
    fc.boolean(),
    fc.array(fc.string(), { maxLength: 3 }),
  );
  fc.assert(
    fc.property(
      fc.dictionary(fc.stringMatching(/^[a-zA-Z]{1,9}$/), value, { maxKeys: 4 }),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      (some, x) => {
        // JSON has no negative zero, which equals zero.
        const record = { ...node, properties: { ...some, x: x + 0 } };
        const read = readLine(lineOf(record)) as StoredRecord;
        expect({ ...read.properties }).toEqual({ ...record.properties });
      },
    ),
    { numRuns: 30 },
  );
});

test('checksums do not depend on the order of properties or records', () => {
  const turned = { ...node, properties: Object.fromEntries(Object.entries(node.properties).reverse()) };
  const [one, other] = [digestsOf([node, link, token]), digestsOf([token, link, turned])];
  expect(differences(one.users(), other.users())).toEqual([]);
  expect(differences(comparable(one.tables()), comparable(other.tables()))).toEqual([]);
});

test('a missing, duplicated or changed record changes only the checksums of its owner and its table', () => {
  const bobs = { ...node, owner: 'bob', properties: { ...node.properties, id: 'n3' } };
  const whole = digestsOf([node, link, bobs]);
  const changed = { ...node, properties: { ...node.properties, title: 'another' } };
  const asInteger = { ...node, floats: [] };
  for (const records of [
    [link, bobs],
    [node, node, link, bobs],
    [changed, link, bobs],
    [asInteger, link, bobs],
  ]) {
    const found = digestsOf(records);
    expect(differences(whole.users(), found.users())).toEqual(['ann']);
    expect(differences(comparable(whole.tables()), comparable(found.tables()))).toEqual(['Node']);
  }
});

test.each([
  ['a truncated line', lineOf(node).slice(0, -5)],
  ['an empty line', ''],
  ['an unknown table', JSON.stringify({ ...node, table: 'Secret) DETACH DELETE (n' })],
  ['another format', JSON.stringify({ taskgraph: 2, migrations: [], time: '' })],
  ['a list of numbers', JSON.stringify({ ...node, properties: { numbers: [1] } })],
])('%s is refused', (_name, line) => {
  expect(() => readLine(line)).toThrow('the file is damaged, or of another release');
});
