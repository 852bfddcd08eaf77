import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openProfiles, USUAL_URL } from './profiles.ts';

let folder = '';
const before = { ...process.env };
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'taskgraph-profiles-'));
  process.env.XDG_CONFIG_HOME = join(folder, 'config');
  process.env.XDG_DATA_HOME = join(folder, 'data');
});
afterEach(async () => {
  for (const name of ['XDG_CONFIG_HOME', 'XDG_DATA_HOME']) {
    if (before[name] === undefined) delete process.env[name];
    else process.env[name] = before[name];
  }
  await rm(folder, { recursive: true });
});

const ann = { url: 'https://plan.example', token: 'tg_ann', email: 'ann@example.com' };
const bob = { url: 'https://plan.example', token: 'tg_bob', email: 'bob@example.com' };

test('profiles are kept where nobody else reads them, each with a folder of its own', async () => {
  expect(await openProfiles({}, undefined).keep(ann)).toBe('default');
  const profiles = openProfiles({}, 'bob');
  expect(await profiles.keep(bob)).toBe('bob');
  expect((await stat(profiles.path)).mode & 0o777).toBe(0o600);
  expect((await stat(join(folder, 'config', 'taskgraph'))).mode & 0o777).toBe(0o700);
  const [hers, his] = [await openProfiles({}, 'default').account(), await profiles.account()];
  expect([hers.token, his.token]).toEqual(['tg_ann', 'tg_bob']);
  expect(hers.folder).not.toBe(his.folder);
});

test('the environment comes before any profile', async () => {
  await openProfiles({}, undefined).keep(ann);
  const given = { TASKGRAPH_URL: 'https://other.example', TASKGRAPH_TOKEN: 'tg_other' };
  expect(await openProfiles(given, 'default').account()).toMatchObject({
    name: null,
    url: 'https://other.example',
    token: 'tg_other',
  });
  expect(await openProfiles({ TASKGRAPH_TOKEN: 'tg_other' }, undefined).account()).toMatchObject({ url: USUAL_URL });
  const elsewhere = await openProfiles({ TASKGRAPH_URL: 'https://other.example' }, undefined).account();
  expect(elsewhere).toMatchObject({ name: 'default', url: 'https://other.example', token: 'tg_ann' });
});

test('the last one that signed in is the one, until another is chosen or it is forgotten', async () => {
  await openProfiles({}, 'ann').keep(ann);
  await openProfiles({}, 'bob').keep(bob);
  const profiles = openProfiles({}, undefined);
  expect((await profiles.account()).name).toBe('bob');
  await profiles.use('ann');
  expect((await profiles.account()).name).toBe('ann');
  expect((await openProfiles({ TASKGRAPH_PROFILE: 'bob' }, undefined).account()).name).toBe('bob');
  await profiles.forget(await profiles.account());
  expect((await profiles.account()).name).toBe('bob');
  expect(await readFile(profiles.path, 'utf8')).not.toContain('tg_ann');
  await expect(profiles.use('ann')).rejects.toThrow('There is no profile ann.');
});

test('without any, and with a file that is broken, it says how to go on', async () => {
  const profiles = openProfiles({}, undefined);
  await expect(profiles.account()).rejects.toMatchObject({
    kind: 'signedOut',
    remedy: [expect.stringContaining('taskgraph login')],
  });
  await profiles.keep(ann);
  await writeFile(profiles.path, '{"current": ');
  await expect(profiles.account()).rejects.toMatchObject({ remedy: [expect.stringContaining('Delete it')] });
});
