import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { repairAfterPowerCut } from './after-power-cut.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'taskgraph-power-cut-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const put = (path: string, content: string) => {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), content);
};
const contentOf = (path: string) => readFileSync(join(folder, path), 'utf8');

test('an empty server id of Neo4j is removed, and a complete one is kept', () => {
  const path = join('neo4j', 'data', 'server_id');
  put(path, 'who it is');
  repairAfterPowerCut(folder);
  expect(contentOf(path)).toBe('who it is');
  put(path, '');
  repairAfterPowerCut(folder);
  expect(existsSync(join(folder, path))).toBe(false);
});

test("zeros at the end of Redis' append-only files are cut, and nothing else", () => {
  const zeros = (count: number) => '\0'.repeat(count);
  const command = `*1\r\n$3\r\na${zeros(1)}b\r\n`;
  const cases: readonly (readonly [before: string, after: string])[] = [
    [command, command],
    [`${command}${zeros(1)}`, command],
    [`${command}*1\r\n$3${zeros(4_000)}`, `${command}*1\r\n$3`],
    // Longer than one read of the file, by nothing and by some bytes.
    [`${command}${zeros(64 * 1024)}`, command],
    [`${command}${zeros(200_000)}`, command],
    [`${command.repeat(20_000)}${zeros(70_000)}`, command.repeat(20_000)],
    [zeros(70_000), ''],
    [zeros(128 * 1024), ''],
    ['', ''],
  ];
  cases.forEach(([before], index) => {
    put(join('redis', 'appendonlydir', `appendonly.aof.${index}.incr.aof`), before);
  });
  // Redis forces this file to the disk, and its content may end with a zero byte.
  put(join('redis', 'appendonlydir', 'appendonly.aof.1.base.rdb'), `base${zeros(1)}`);
  repairAfterPowerCut(folder);
  cases.forEach(([, after], index) => {
    expect(contentOf(join('redis', 'appendonlydir', `appendonly.aof.${index}.incr.aof`)) === after).toBe(true);
  });
  expect(contentOf(join('redis', 'appendonlydir', 'appendonly.aof.1.base.rdb'))).toBe(`base${zeros(1)}`);
});

test('an unused folder is not changed', () => {
  repairAfterPowerCut(folder);
  expect(existsSync(join(folder, 'redis'))).toBe(false);
});
