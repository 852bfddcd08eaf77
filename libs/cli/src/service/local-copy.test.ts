// Reads of the local copy without a service.
import { appendFile, mkdtemp, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileStorage } from '@taskgraph/client/file-storage';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readLocalCopy } from './local-copy.ts';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'taskgraph-copy-'));
});
afterEach(() => rm(folder, { recursive: true }));

const account = () => ({ name: null, email: null, url: 'http://127.0.0.1:9', token: 'x', folder });
const META = { uid: null, position: null, positionHeads: {}, heads: {}, levels: {}, email: null };
const LONG_AGO = new Date('2026-01-02T03:04:05Z');

/** An old copy with the rest of a batch that a crash interrupted. */
async function copyWithLeftovers(): Promise<string> {
  const path = join(folder, 'replica.log');
  const storage = fileStorage(path);
  await storage.write(new Map([['meta', META]]));
  await storage.close();
  await appendFile(path, '["node/1",{"ti');
  await utimes(path, LONG_AGO, LONG_AGO);
  return path;
}

test('[EVT2] a read does not change the time of the copy, even if it repairs the file', async () => {
  const path = await copyWithLeftovers();
  expect((await readLocalCopy(account()))?.asOf).toEqual(LONG_AGO);
  expect((await readLocalCopy(account()))?.asOf).toEqual(LONG_AGO);
  expect((await stat(path)).mtime).toEqual(LONG_AGO);
});

test('[EVT2] a copy that another process uses keeps its time', async () => {
  await copyWithLeftovers();
  await writeFile(join(folder, 'replica.lock'), String(process.pid));
  expect((await readLocalCopy(account()))?.asOf).toEqual(LONG_AGO);
});
