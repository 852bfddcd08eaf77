import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { loadSecrets, NATS_USERS } from './secrets.ts';

const folder = mkdtempSync(join(tmpdir(), 'taskgraph-secrets-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('a data folder of an earlier release keeps its secrets, and gets those of later users', () => {
  const path = join(folder, 'secrets.json');
  const { hooks: _, ...earlier } = loadSecrets(folder).natsPasswords;
  const before = { ...JSON.parse(readFileSync(path, 'utf8')), natsPasswords: earlier };
  writeFileSync(path, JSON.stringify(before));
  const secrets = loadSecrets(folder);
  expect(secrets).toMatchObject(before);
  expect(Object.keys(secrets.natsPasswords).sort()).toEqual([...NATS_USERS].sort());
  expect(secrets.natsPasswords.hooks).toMatch(/^[\w-]{32}$/);
  expect(loadSecrets(folder)).toEqual(secrets);
});
