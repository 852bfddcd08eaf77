// Archives of Vikunja and Todoist: the files that are read, and archives that are rejected before
// inflation.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inflateRawSync } from 'node:zlib';
import { BrokenFile } from '@taskgraph/client/transfer';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ZipEntry, zipOf } from '../test/support/zip.ts';
import { readArchive } from './archive.ts';
import { readText } from './files.ts';

const MAXIMUM = 4 * 1024 * 1024;
const DATA = '[{"id":1,"title":"Web"}]';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'taskgraph-files-'));
});
afterAll(() => rm(folder, { recursive: true }));

async function textIn(archive: Buffer): Promise<string> {
  const path = join(folder, 'export.zip');
  await writeFile(path, archive);
  try {
    return (await readText(path, MAXIMUM)).text;
  } catch (error) {
    if (error instanceof BrokenFile) return error.message;
    throw error;
  }
}

const data: ZipEntry = { name: 'data.json', content: DATA };

test('[IO8] the tasks of an archive are read beside other files', async () => {
  const others = ['VERSION', 'filters.json', 'files/1'].map((name) => ({ name, content: name }));
  expect(await textIn(zipOf([...others, data]))).toBe(DATA);
});

test.each<[what: string, entries: readonly ZipEntry[], message: string]>([
  ['two entries of one name', [data, { ...data, content: '[]' }], 'the archive has two files data.json'],
  [
    '60,000 entries of one name that share a stream',
    [data, ...Array.from({ length: 60_000 }, () => ({ name: 'data.json', sameAs: 0 }))],
    'the archive has two files data.json',
  ],
  ['entries of other names that share a stream', [data, { name: 'a', sameAs: 0 }], 'two files of the archive overlap'],
  [
    'an entry that begins within another',
    [data, { name: 'a', content: 'x', directory: { offset: 12 } }],
    'two files of the archive overlap',
  ],
  [
    'a file above the maximum size',
    [{ name: 'data.json', content: ' '.repeat(MAXIMUM + 1) }],
    `its data.json have ${MAXIMUM + 1} bytes`,
  ],
  [
    'a file that is larger than the directory says',
    [{ ...data, content: ' '.repeat(MAXIMUM + 1), directory: { size: 10 } }],
    'the archive is broken: data.json has another length than its directory says',
  ],
  [
    'a file that is shorter than the directory says',
    [{ ...data, directory: { size: 100 } }],
    'the archive is broken: data.json has another length than its directory says',
  ],
  [
    'another checksum',
    [{ ...data, directory: { crc: 1 } }],
    'the archive is broken: data.json has another checksum than its directory says',
  ],
  ['encryption', [{ ...data, directory: { flags: 1 } }], 'data.json in the archive is encrypted'],
  ['another compression', [{ ...data, directory: { method: 14 } }], 'data.json in the archive is packed by method 14'],
  ['no such file', [{ name: 'todo.txt', content: 'a' }], 'the archive has no data.json'],
])('[IO8] %s: rejected or not inflated', async (_what, entries, message) => {
  expect(await textIn(zipOf(entries))).toContain(message);
});

test('[IO2] non-empty files of an archive that are not read are reported', async () => {
  const path = join(folder, 'beside.zip');
  const files = { VERSION: 'v2', 'files/1': 'x', 'filters.json': '[{"id":1}]', 'notes.txt': 'a' };
  const others = Object.entries(files).map(([name, content]) => ({ name, content }));
  await writeFile(path, zipOf([...others, data]));
  expect((await readText(path, MAXIMUM)).leftOut).toEqual([
    { what: 'saved filters', count: 1, places: ['filters.json'] },
    { what: 'a file of the archive', count: 1, places: ['notes.txt'] },
  ]);
  await writeFile(path, zipOf([{ name: 'filters.json', content: 'null' }, data]));
  expect((await readText(path, MAXIMUM)).leftOut).toEqual([]);
});

test('[IO8] one file is inflated, once and at most to the length in the directory', () => {
  const inflated: number[] = [];
  const inflate = (packed: Uint8Array, maximumBytes: number) => {
    inflated.push(maximumBytes);
    return inflateRawSync(packed);
  };
  const read = (entries: readonly ZipEntry[]) => {
    inflated.length = 0;
    try {
      readArchive(zipOf(entries), { choose: () => ['data.json'], wanted: 'tasks', maximumBytes: MAXIMUM, inflate });
    } catch (error) {
      if (!(error instanceof BrokenFile)) throw error;
    }
    return [...inflated];
  };
  const others = Array.from({ length: 1_000 }, (_, index) => ({ name: `files/${index}`, content: 'x' }));
  expect(read([...others, data])).toEqual([DATA.length]);
  expect(read([data, ...Array.from({ length: 60_000 }, () => ({ name: 'data.json', sameAs: 0 }))])).toEqual([]);
  expect(read([data, ...Array.from({ length: 60_000 }, (_, index) => ({ name: `${index}`, sameAs: 0 }))])).toEqual([]);
});

const HOME: ZipEntry = { name: 'Home [2203306141].csv', content: 'TYPE,CONTENT\ntask,Paint\n' };
const WORK: ZipEntry = { name: 'backup/Work.csv', content: 'TYPE,CONTENT\ntask,Write\n' };

test('[IO8 IO2] the projects in a backup of Todoist are read, and other files are reported', async () => {
  const path = join(folder, 'backup.zip');
  const others = ['backup/', '__MACOSX/._Work.csv', 'photo.png'].map((name) => ({
    name,
    content: name.endsWith('/') ? '' : 'x',
  }));
  await writeFile(path, zipOf([...others, HOME, WORK]));
  const { backup, leftOut } = await readText(path, MAXIMUM);
  expect(backup?.map(({ name }) => name)).toEqual([HOME.name, WORK.name]);
  expect(leftOut).toEqual([{ what: 'a file of the archive', count: 2, places: ['__MACOSX/._Work.csv', 'photo.png'] }]);
  const old = Buffer.from('TYPE,CONTENT\ntask,Büro\n', 'latin1');
  await writeFile(path, zipOf([HOME, { name: 'Old.csv', content: old }]));
  const converted = await readText(path, MAXIMUM);
  expect(converted.backup?.[1]?.text).toContain('Büro');
  expect(converted.leftOut).toEqual([
    { what: 'the encoding Windows-1252, which was converted', count: 1, places: ['Old.csv'] },
  ]);
  await writeFile(path, zipOf([HOME, { name: 'Photo.csv', content: Buffer.from([0x74, 0xff, 1]) }]));
  await expect(readText(path, MAXIMUM)).rejects.toThrow('in the file Photo.csv, line 1: it is not UTF-8 text');
});

test('[IO8] the projects in a backup have together at most the maximum size', async () => {
  const half: ZipEntry = { name: 'Half.csv', content: ' '.repeat(MAXIMUM / 2) };
  const path = join(folder, 'large.zip');
  await writeFile(path, zipOf([half, { ...half, name: 'Other.csv' }]));
  expect((await readText(path, MAXIMUM)).backup).toHaveLength(2);
  expect(await textIn(zipOf([half, { ...half, name: 'Other.csv' }, HOME]))).toContain(
    `its Half.csv, Other.csv, ${HOME.name} have ${MAXIMUM + (HOME.content?.length ?? 0)} bytes`,
  );
  const inflated: number[] = [];
  const inflate = (packed: Uint8Array, maximumBytes: number) => {
    inflated.push(maximumBytes);
    return inflateRawSync(packed);
  };
  readArchive(zipOf([data, HOME, WORK]), {
    choose: (names) => names.filter((name) => name.endsWith('.csv')),
    wanted: 'projects',
    maximumBytes: MAXIMUM,
    inflate,
  });
  expect(inflated).toEqual([HOME.content?.length, WORK.content?.length]);
});

test('[IO8] a truncated archive is broken', async () => {
  const whole = zipOf([data]);
  for (let length = 4; length < whole.length; length++) {
    expect(await textIn(whole.subarray(0, length))).toContain('the archive is broken');
  }
});
