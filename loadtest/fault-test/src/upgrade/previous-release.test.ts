// The archive of the previous release, as it is in the repository.
import { copyFileSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  ARCHIVE,
  DESCRIPTION,
  differingPackages,
  must,
  PREVIOUS_RELEASE_FOLDER,
  readDescription,
  workspacesOf,
} from './previous-release.ts';

const MOST_BYTES = 2 * 1024 * 1024;

test('the archive is the described one, is small, and has the programs of the services and nothing else', async () => {
  const { commit, version, lockDigest } = readDescription();
  expect([commit, version, lockDigest]).toEqual([
    expect.stringMatching(/^[0-9a-f]{40}$/),
    expect.stringMatching(/^\d+\.\d+\.\d+/),
    expect.stringMatching(/^[0-9a-f]{64}$/),
  ]);
  const archive = join(PREVIOUS_RELEASE_FOLDER, ARCHIVE);
  expect(statSync(archive).size).toBeLessThan(MOST_BYTES);
  const files = (await must('tar', ['--list', '--gzip', '--file', archive])).trimEnd().split('\n');
  for (const service of ['gateway', 'worker', 'jobs'])
    expect(files).toContain(join('services', service, 'dist', 'main.js'));
  expect(files).toEqual(expect.arrayContaining(['package-lock.json', 'services/admin/dist/migrate.js']));
  expect(files.filter((path) => /\.(map|ts|tsbuildinfo)$|console\/dist|node_modules/.test(path))).toEqual([]);
});

test('an archive with another checksum is refused', () => {
  const folder = mkdtempSync(join(tmpdir(), 'taskgraph-archive-'));
  try {
    copyFileSync(join(PREVIOUS_RELEASE_FOLDER, DESCRIPTION), join(folder, DESCRIPTION));
    writeFileSync(join(folder, ARCHIVE), 'another archive');
    expect(() => readDescription(folder)).toThrow('has the checksum');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test('the present packages serve only if all packages of production have the locked versions', () => {
  const locked = {
    '': {},
    'libs/bus': { version: '0.1.0' },
    'node_modules/@taskgraph/bus': { link: true, resolved: 'libs/bus' },
    'node_modules/zod': { version: '4.0.0' },
    'node_modules/vitest': { version: '3.0.0', dev: true },
    'libs/bus/node_modules/nats': { version: '2.0.0' },
  };
  expect(workspacesOf(locked)).toEqual(['libs/bus']);
  const present = { 'node_modules/zod': { version: '4.0.0' }, 'libs/bus/node_modules/nats': { version: '2.0.0' } };
  expect(differingPackages(locked, present)).toEqual([]);
  expect(differingPackages(locked, { ...present, 'node_modules/zod': { version: '4.0.1' } })).toEqual([
    'node_modules/zod',
  ]);
  expect(differingPackages(locked, { 'node_modules/zod': { version: '4.0.0' } })).toEqual([
    'libs/bus/node_modules/nats',
  ]);
});
