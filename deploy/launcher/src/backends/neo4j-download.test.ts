import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { checksumOf } from './neo4j-download.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'taskgraph-jars-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const write = (name: string, text: string) => writeFileSync(join(folder, name), text);

test("the checksum covers the jars' names and contents in any order, and nothing else", () => {
  write('b.jar', 'two');
  write('a.jar', 'one');
  const checksum = checksumOf(folder);
  // The output of `sha256sum a.jar b.jar | sha256sum`.
  expect(checksum).toBe('3d1fa88bd54008b73ab8d05c3bfd80a4c5408470b5e91ef21741f72f89d5df9d');
  write('pom.xml', 'what asked for them');
  expect(checksumOf(folder)).toBe(checksum);
  for (const [name, text] of [
    ['a.jar', 'ONE'],
    ['c.jar', 'one more'],
  ] as const) {
    write(name, text);
    expect(checksumOf(folder)).not.toBe(checksum);
  }
});
