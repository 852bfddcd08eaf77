// A file storage after crashes and on a full disk: a batch is complete or absent, and deleted
// entries are not in the file.
import { execFileSync } from 'node:child_process';
import { closeSync, openSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync, writeSync } from 'node:fs';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { fileStorage } from './file-storage.ts';

let folder = '';
let path = '';
let files = 0;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'taskgraph-storage-'));
});
afterAll(() => rm(folder, { recursive: true }));
beforeEach(() => {
  path = join(folder, `${++files}.log`);
});

const batch = (entries: Record<string, unknown>) => new Map(Object.entries(entries));
const text = () => readFileSync(path, 'utf8');

/** The entries of the file. Also checks that it can be written. */
async function reopened(): Promise<Record<string, unknown>> {
  const storage = fileStorage(path);
  await storage.load();
  await storage.write(batch({ probe: true }));
  await storage.close();
  const again = fileStorage(path);
  const { probe, ...entries } = Object.fromEntries(await again.load());
  await again.close();
  expect(probe).toBe(true);
  return entries;
}

test('a batch that was cut off at any byte counts as not written', async () => {
  const storage = fileStorage(path);
  await storage.write(batch({ a: 'é', b: 1 }));
  const before = readFileSync(path);
  await storage.write(batch({ a: 'ü', b: undefined, c: '“three”' }));
  const appended = readFileSync(path).subarray(before.length);
  await storage.close();
  for (let cut = 0; cut <= appended.length; cut++) {
    writeFileSync(path, Buffer.concat([before, appended.subarray(0, cut)]));
    const isWhole = cut === appended.length;
    expect(await reopened()).toEqual(isWhole ? { a: 'ü', c: '“three”' } : { a: 'é', b: 1 });
    if (isWhole) expect(text()).not.toContain('é');
  }
});

test('replaced and deleted entries leave the file at once', async () => {
  const storage = fileStorage(path);
  await storage.write(batch({ a: 'first secret', b: 'second secret' }));
  await storage.write(batch({ a: 'third secret' }));
  expect(text()).not.toContain('first secret');
  expect(text()).toContain('second secret');
  await storage.write(batch({ a: undefined, b: undefined, c: 1 }));
  expect(text()).not.toContain('secret');
  await storage.close();
  expect(await reopened()).toEqual({ c: 1 });
});

test('a crash at any byte while lines are wiped changes nothing, and the next start wipes them', async () => {
  const storage = fileStorage(path);
  await storage.write(batch({ a: 'secret', b: 1 }));
  const before = readFileSync(path);
  await storage.write(batch({ a: 2 }));
  await storage.close();
  const after = readFileSync(path);
  const line = { at: before.indexOf('["a"'), length: before.indexOf('\n') };
  const whole = Buffer.concat([before, after.subarray(before.length)]);
  const end = line.at + line.length;
  for (let blank = 0; blank < line.length; blank++) {
    // From both ends, since blocks reach a disk in any order.
    for (const [from, to] of [
      [line.at + 1, line.at + 1 + blank],
      [end - blank, end],
    ] as const) {
      const torn = Buffer.from(whole);
      if (blank > 0) torn.fill('#', line.at, line.at + 1).fill(' ', from, to);
      writeFileSync(path, torn);
      expect(await reopened()).toEqual({ a: 2, b: 1 });
      expect(text()).not.toContain('cret');
    }
  }
});

test('a file of an earlier release is read, and its deleted entries are wiped', async () => {
  writeFileSync(path, '[["a","secret"],["b",1]]\n[]\n[["a"],["c",[1]]]\n[["d",');
  expect(await reopened()).toEqual({ b: 1, c: [1] });
  expect(text()).not.toContain('secret');
});

test.each([
  ['a line that a full disk cut off under an earlier release', '[["a",1]]\n', '[["a",2],["b",[["c",1]]\n[["d",1]]\n'],
  ['a line that is damaged', '["a",1]\n.\n', '["b",\u00001]\n.\n["d",1]\n.\n'],
  ['a line that is not an entry', '["a",1]\n.\n', '{"b":1}\n.\n'],
  ['an entry without a key', '["a",1]\n.\n', '[[1,2]]\n'],
])('%s ends the log, and the rest is dropped', async (_, good, bad) => {
  writeFileSync(path, good + bad);
  expect(await reopened()).toEqual({ a: 1 });
});

test('the log is rewritten when most of it is out of date', async () => {
  const storage = fileStorage(path);
  const many = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`key ${index}`, 'value'.repeat(20)]));
  await storage.write(batch(many));
  for (let turn = 0; turn < 200; turn++) await storage.write(batch({ turn: 'value'.repeat(200) }));
  expect(statSync(path).size).toBeLessThan(70_000);
  for (let turn = 0; turn < 30; turn++) await storage.write(batch({ ...many, turn }));
  expect(statSync(path).size).toBeLessThan(70_000);
  await storage.close();
  expect(await reopened()).toEqual({ ...many, turn: 29 });
});

test('if the log cannot be rewritten, writes continue and lines are wiped one by one', async () => {
  const storage = fileStorage(path);
  await storage.load();
  // A folder has the path of the new log.
  await mkdir(`${path}.new`);
  const many = (value: string) =>
    batch(Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`key ${index}`, value])));
  for (const value of ['one', 'two', 'three']) await storage.write(many(value));
  expect(text()).not.toContain('two');
  await storage.close();
  expect(await reopened()).toEqual(Object.fromEntries(many('three')));
  await rm(`${path}.new`, { recursive: true });
});

describe('on a disk of 256 kB, which needs permission to mount', () => {
  let disk = '';
  beforeAll(async () => {
    disk = join(folder, 'disk');
    await mkdir(disk);
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=256k', 'tmpfs', disk]);
  });
  afterAll(() => void execFileSync('umount', ['-l', disk]));

  /** Fills the disk except for this many bytes. */
  function fillDisk(left: number): void {
    const file = openSync(join(disk, 'filler'), 'w');
    const piece = Buffer.alloc(1024, 1);
    try {
      for (;;) writeSync(file, piece);
    } catch (error) {
      expect(error).toMatchObject({ code: 'ENOSPC' });
    } finally {
      closeSync(file);
    }
    truncateSync(join(disk, 'filler'), statSync(join(disk, 'filler')).size - left);
  }

  const freeDisk = () => rmSync(join(disk, 'filler'));

  test('a write that a full disk cuts off is undone, and the next write is complete', async () => {
    path = join(disk, 'plan.log');
    const storage = fileStorage(path);
    await storage.write(batch({ a: 1, b: 1 }));
    const { size } = statSync(path);
    fillDisk(8_192);
    // More than the free space, so that a part of it fits.
    const large = batch({ a: 2, c: 'x'.repeat(20_000) });
    await expect(storage.write(large)).rejects.toMatchObject({ code: 'ENOSPC' });
    await expect(storage.write(large)).rejects.toMatchObject({ code: 'ENOSPC' });
    expect(statSync(path).size).toBe(size);
    // A small batch fits.
    await storage.write(batch({ b: 2 }));
    await storage.close();
    expect(await reopened()).toEqual({ a: 1, b: 2 });
    freeDisk();
    const later = fileStorage(path);
    await later.load();
    await later.write(large);
    await later.close();
    expect(await reopened()).toEqual({ a: 2, b: 2, c: 'x'.repeat(20_000) });
  });

  test('without space for a new log, the old log continues and deleted entries are wiped', async () => {
    path = join(disk, 'anew.log');
    const storage = fileStorage(path);
    const many = (value: string) =>
      batch(Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`key ${index}`, value])));
    const [first, second] = ['a'.repeat(200), 'b'.repeat(200)];
    await storage.write(many(first));
    // Space for the second batch, but not for a new log.
    fillDisk(53_000);
    await storage.write(many(second));
    expect(text().includes(first)).toBe(false);
    expect(statSync(path).size).toBeGreaterThan(80_000);
    await storage.close();
    expect(await reopened()).toEqual(Object.fromEntries(many(second)));
    freeDisk();
  });
});
