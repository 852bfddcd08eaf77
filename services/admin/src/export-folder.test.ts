// A folder of exports: the newest is found, and only the newest are retained.
import { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { exportName, listExports, newestExport, removeOldExports } from './export-folder.ts';

const NOW = new Date('2026-12-24T18:00:00.500Z');
const DAY_MS = 86_400_000;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'taskgraph-exports-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const put = (name: string) => writeFileSync(join(folder, name), '');
const daysAgo = (days: number) => exportName(new Date(NOW.getTime() - days * DAY_MS));

test('a name has the time in UTC, and names are in the order of their times', () => {
  expect(exportName(NOW)).toBe('taskgraph-20261224T180000Z.jsonl');
  for (const days of [3, 1, 2]) put(daysAgo(days));
  expect(listExports(folder)).toEqual([1, 2, 3].map((days) => join(folder, daysAgo(days))));
  expect(newestExport(folder)).toBe(join(folder, daysAgo(1)));
});

test('files with other names and unfinished exports are no exports', () => {
  put(`${exportName(NOW)}.part`);
  put('taskgraph-latest.jsonl');
  mkdirSync(join(folder, 'lost+found'));
  expect(listExports(folder)).toEqual([]);
  expect(() => newestExport(folder)).toThrow('contains no export');
});

test('only the newest exports are retained; other files, and unfinished exports of today, stay', () => {
  for (const days of [0, 1, 2, 3]) put(daysAgo(days));
  const others = ['notes.txt', `${exportName(NOW)}.part`, `${daysAgo(3)}.part`];
  for (const name of others) put(name);
  utimesSync(join(folder, others[1] as string), NOW, NOW);
  utimesSync(join(folder, others[2] as string), NOW, new Date(NOW.getTime() - 2 * DAY_MS));
  expect(removeOldExports(folder, 2, NOW)).toEqual([2, 3].map((days) => join(folder, daysAgo(days))));
  expect(readdirSync(folder).sort()).toEqual(['notes.txt', daysAgo(1), daysAgo(0), others[1]].sort());
  expect(removeOldExports(folder, 2, NOW)).toEqual([]);
});
