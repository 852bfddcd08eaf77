// The copy that is kept, as it is read without a service.
import { appendFile, mkdtemp, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileStorage } from '@taskgraph/client/file-storage';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readKept } from './copy.ts';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'taskgraph-copy-'));
});
afterEach(() => rm(folder, { recursive: true }));

const account = () => ({ name: null, email: null, url: 'http://127.0.0.1:9', token: 'x', folder });
const META = { uid: null, position: null, positionHeads: {}, heads: {}, levels: {}, email: null };
const LONG_AGO = new Date('2026-01-02T03:04:05Z');

/** A copy of long ago, of which a crash left the end of a batch behind. */
async function copyWithLeftovers(): Promise<string> {
  const path = join(folder, 'replica.log');
  const storage = fileStorage(path);
  await storage.write(new Map([['meta', META]]));
  await storage.close();
  await appendFile(path, '["node/1",{"ti');
  await utimes(path, LONG_AGO, LONG_AGO);
  return path;
}

test('[EVT2] a copy is as old as it was before it was read, whatever reading it mends', async () => {
  const path = await copyWithLeftovers();
  expect((await readKept(account()))?.asOf).toEqual(LONG_AGO);
  expect((await readKept(account()))?.asOf).toEqual(LONG_AGO);
  expect((await stat(path)).mtime).toEqual(LONG_AGO);
});

test('[EVT2] a copy that another program has is as old as that program left it', async () => {
  await copyWithLeftovers();
  await writeFile(join(folder, 'replica.lock'), String(process.pid));
  expect((await readKept(account()))?.asOf).toEqual(LONG_AGO);
});
