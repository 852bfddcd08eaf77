import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { identityOf, isRunning } from '../processes/process-identity.ts';
import { silentReport } from '../progress.ts';
import { claimDataDirectory } from './data-directory.ts';
import { loadSecrets } from './secrets.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'taskgraph-directory-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const stackFile = () => join(folder, 'stack.json');

test("a folder's stack file is readable by its owner alone, and disappears on release", async () => {
  const directory = await claimDataDirectory(folder, silentReport);
  directory.publish(8080, { NEO4J_URL: 'bolt://127.0.0.1:1' });
  expect(JSON.parse(readFileSync(stackFile(), 'utf8'))).toMatchObject({
    pid: process.pid,
    port: 8080,
    environment: { NEO4J_URL: 'bolt://127.0.0.1:1' },
  });
  expect(statSync(stackFile()).mode & 0o777).toBe(0o600);
  directory.release();
  expect(existsSync(stackFile())).toBe(false);
});

test('a folder in use is rejected with the process that uses it', async () => {
  const directory = await claimDataDirectory(folder, silentReport);
  await expect(claimDataDirectory(folder, silentReport)).rejects.toThrow(
    `${folder} is in use by the stack of process ${process.pid}`,
  );
  directory.release();
});

test('of two concurrent claims of a folder one succeeds', async () => {
  const outcomes = await Promise.allSettled([1, 2].map(() => claimDataDirectory(folder, silentReport)));
  expect(outcomes.map((outcome) => outcome.status).sort()).toEqual(['fulfilled', 'rejected']);
  for (const outcome of outcomes) if (outcome.status === 'fulfilled') outcome.value.release();
});

test('a claim ends the processes of a killed launcher, but not another process with the same id', async () => {
  const leftover = spawn(process.execPath, ['--eval', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
  const identity = identityOf(leftover.pid ?? 0);
  const own = identityOf(process.pid);
  if (identity === undefined || own === undefined) throw new Error('no identity');
  const gone = { pid: process.pid, startMark: 'long ago' };
  const old = { ...gone, port: null, environment: {}, processes: { redis: identity, neo4j: gone } };
  writeFileSync(stackFile(), JSON.stringify(old));
  const lines: string[] = [];
  const directory = await claimDataDirectory(folder, { line: (text) => lines.push(text), status() {} });
  expect(isRunning(identity)).toBe(false);
  expect(isRunning(own)).toBe(true);
  expect(lines).toEqual([`stopping redis (pid ${identity.pid}), left behind by an earlier start`]);
  directory.release();
});

test('secrets are generated once and unreadable for other users', () => {
  const secrets = loadSecrets(folder);
  expect(Buffer.from(secrets.taskgraphSecret, 'base64url')).toHaveLength(32);
  expect(loadSecrets(folder)).toEqual(secrets);
  expect(statSync(join(folder, 'secrets.json')).mode & 0o777).toBe(0o600);
});
