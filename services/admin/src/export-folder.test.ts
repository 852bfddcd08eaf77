// A folder of exports: the newest is found, and only the newest are retained.
import { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { exportName, listExports, newestExport, removeAbandoned, removeOldExports } from './export-folder.ts';

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
  expect(listExports(folder, NOW)).toEqual([1, 2, 3].map((days) => join(folder, daysAgo(days))));
  expect(newestExport(folder, NOW)).toBe(join(folder, daysAgo(1)));
});

test('files with other names and unfinished exports are no exports', () => {
  put(`${exportName(NOW)}.part`);
  put('taskgraph-latest.jsonl');
  mkdirSync(join(folder, 'lost+found'));
  expect(listExports(folder, NOW)).toEqual([]);
  expect(() => newestExport(folder, NOW)).toThrow('contains no export');
});

test('only the newest exports are retained, and the one just written; other files stay', () => {
  for (const days of [0, 1, 2, 3]) put(daysAgo(days));
  put('notes.txt');
  const paths = [0, 1, 2, 3].map((days) => join(folder, daysAgo(days)));
  const [newest = '', , second = '', oldest = ''] = paths;
  expect(removeOldExports(folder, newest, { retain: 2, now: NOW })).toEqual([second, oldest]);
  expect(readdirSync(folder).sort()).toEqual(['notes.txt', daysAgo(1), daysAgo(0)].sort());
  expect(removeOldExports(folder, newest, { retain: 2, now: NOW })).toEqual([]);
  // The clock of another machine is ahead.
  put(daysAgo(2));
  expect(removeOldExports(folder, second, { retain: 2, now: NOW })).toEqual([]);
});

test('an export with a time to come is refused, since it would count as the newest', () => {
  for (const days of [0, 1]) put(daysAgo(days));
  const soon = exportName(new Date(NOW.getTime() + 1_800_000));
  put(soon);
  expect(newestExport(folder, NOW)).toBe(join(folder, soon));
  put(daysAgo(-1));
  expect(() => newestExport(folder, NOW)).toThrow('has a time to come');
  expect(() => removeOldExports(folder, join(folder, daysAgo(0)), { retain: 1, now: NOW })).toThrow(
    'has a time to come',
  );
  expect(readdirSync(folder)).toHaveLength(4);
});

test('unfinished exports are removed after hours, and those of today stay', () => {
  const [recent, abandoned] = [`${exportName(NOW)}.part`, `${daysAgo(3)}.part`];
  for (const name of ['notes.part', recent, abandoned]) put(name);
  utimesSync(join(folder, recent), NOW, NOW);
  utimesSync(join(folder, abandoned), NOW, new Date(NOW.getTime() - 7 * 3_600_000));
  removeAbandoned(folder, NOW);
  expect(readdirSync(folder).sort()).toEqual(['notes.part', recent].sort());
});
