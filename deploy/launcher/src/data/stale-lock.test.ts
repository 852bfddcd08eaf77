import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { identityOf } from '../processes/process-identity.ts';
import { silentReport } from '../progress.ts';
import { lockDownload } from './download-lock.ts';
import { readJson, writePrivateJson } from './private-files.ts';
import { removeStaleLock } from './stale-lock.ts';

const OWN = identityOf(process.pid);
/** No process has these start times. */
const DEAD = { pid: process.pid, startMark: 'long ago' };
const DEAD_WAITER = { pid: process.pid, startMark: 'not so long ago' };

let folder = '';
let [path, own, turn] = ['', '', ''];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'taskgraph-lock-'));
  path = join(folder, 'program.lock');
  own = join(folder, 'own');
  turn = `${path}.removal`;
  writePrivateJson(own, OWN);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test('the lock of a process that has ended is removed', () => {
  writePrivateJson(path, DEAD);
  removeStaleLock(path, DEAD, own);
  expect(readdirSync(folder)).toEqual(['own']);
});

test('a slow waiter does not remove the lock that a faster one has made', () => {
  writePrivateJson(path, DEAD);
  const found = readJson<typeof DEAD>(path) ?? DEAD;
  removeStaleLock(path, found, own);
  writePrivateJson(path, OWN);
  removeStaleLock(path, found, own);
  expect(readJson(path)).toEqual(OWN);
});

test('one waiter at a time looks again, and one that died meanwhile stops nobody', () => {
  writePrivateJson(path, DEAD);
  writePrivateJson(turn, OWN);
  removeStaleLock(path, DEAD, own);
  expect(existsSync(path)).toBe(true);
  writePrivateJson(turn, DEAD_WAITER);
  removeStaleLock(path, DEAD, own);
  removeStaleLock(path, DEAD, own);
  expect(readdirSync(folder)).toEqual(['own']);
});

test('a download goes on after both', async () => {
  writePrivateJson(path, DEAD);
  writePrivateJson(turn, DEAD_WAITER);
  const options = { report: silentReport, signal: undefined };
  const unlock = await lockDownload(join(folder, 'program'), 'a program', options);
  expect(readJson(path)).toEqual(OWN);
  unlock();
  expect(readdirSync(folder)).toEqual(['own']);
});
