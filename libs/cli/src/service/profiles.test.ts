import { access, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createProfiles, DEFAULT_URL, originOf } from './profiles.ts';

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

test('only the user can read the profiles, and each has its own folder', async () => {
  expect(await createProfiles({}, undefined).save(ann)).toBe('default');
  const profiles = createProfiles({}, 'bob');
  expect(await profiles.save(bob)).toBe('bob');
  expect((await stat(profiles.path)).mode & 0o777).toBe(0o600);
  expect((await stat(join(folder, 'config', 'taskgraph'))).mode & 0o777).toBe(0o700);
  const [hers, his] = [await createProfiles({}, 'default').account(), await profiles.account()];
  expect([hers.token, his.token]).toEqual(['tg_ann', 'tg_bob']);
  expect(hers.folder).not.toBe(his.folder);
});

test('the environment overrides every profile', async () => {
  await createProfiles({}, undefined).save(ann);
  const given = { TASKGRAPH_URL: 'https://other.example', TASKGRAPH_TOKEN: 'tg_other' };
  expect(await createProfiles(given, 'default').account()).toMatchObject({
    name: null,
    url: 'https://other.example',
    token: 'tg_other',
  });
  expect(await createProfiles({ TASKGRAPH_TOKEN: 'tg_other' }, undefined).account()).toMatchObject({
    url: DEFAULT_URL,
  });
});

test.each([
  'https://other.example',
  'http://plan.example',
  'https://plan.example:8443',
  'https://plan.example.evil.example',
])('the token of a profile is not sent to %s', async (url) => {
  await createProfiles({}, undefined).save(ann);
  const profiles = createProfiles({ TASKGRAPH_URL: url }, undefined);
  await expect(profiles.account()).rejects.toMatchObject({
    kind: 'signedOut',
    message: `TASKGRAPH_URL is ${url}, and the profile default belongs to https://plan.example: its token is not sent elsewhere.`,
    remedy: [expect.stringContaining(`taskgraph login ${url}`), expect.stringContaining('TASKGRAPH_TOKEN')],
  });
  // Signing out still works.
  expect(await profiles.profile()).toMatchObject({ name: 'default', url: 'https://plan.example', token: 'tg_ann' });
});

test('addresses of the same origin share a copy', async () => {
  await createProfiles({}, undefined).save(ann);
  const [one, other] = await Promise.all(
    [{}, { TASKGRAPH_URL: 'https://PLAN.example:443/' }].map((given) => createProfiles(given, undefined).account()),
  );
  expect([one?.token, other?.token, one?.folder]).toEqual(['tg_ann', 'tg_ann', other?.folder]);
});

test('inherited properties are not profiles', async () => {
  await createProfiles({}, undefined).save(ann);
  await expect(createProfiles({}, 'constructor').account()).rejects.toThrow('There is no profile constructor');
});

test.each(['plan.example', 'localhost:8080', 'file:///etc', ''])('%j is not an address', async (url) => {
  expect(() => originOf(url)).toThrow(`${url} is not a valid address.`);
});

describe('the local copy of a profile is deleted', () => {
  const copyOf = async (url: string, token: string) => {
    const { folder: copy } = await createProfiles({ TASKGRAPH_URL: url, TASKGRAPH_TOKEN: token }, undefined).account();
    await mkdir(copy, { recursive: true });
    await writeFile(join(copy, 'replica.log'), 'x');
    return () =>
      access(copy).then(
        () => true,
        () => false,
      );
  };

  test('by a login with the same profile name', async () => {
    const profiles = createProfiles({}, undefined);
    await profiles.save(ann);
    const isThere = await copyOf(ann.url, ann.token);
    await profiles.save(ann);
    expect(await isThere()).toBe(true);
    await profiles.save(bob);
    expect(await isThere()).toBe(false);
  });

  test('by logout, unless another profile has the same token', async () => {
    const [first, second] = [createProfiles({}, 'first'), createProfiles({}, 'second')];
    await first.save(ann);
    await second.save(ann);
    const isThere = await copyOf(ann.url, ann.token);
    await second.remove(await second.account());
    expect(await isThere()).toBe(true);
    await first.remove(await first.account());
    expect(await isThere()).toBe(false);
  });
});

test('the last login selects the profile, until another is selected or it is removed', async () => {
  await createProfiles({}, 'ann').save(ann);
  await createProfiles({}, 'bob').save(bob);
  const profiles = createProfiles({}, undefined);
  expect((await profiles.account()).name).toBe('bob');
  await profiles.select('ann');
  expect((await profiles.account()).name).toBe('ann');
  expect((await createProfiles({ TASKGRAPH_PROFILE: 'bob' }, undefined).account()).name).toBe('bob');
  await profiles.remove(await profiles.account());
  expect((await profiles.account()).name).toBe('bob');
  expect(await readFile(profiles.path, 'utf8')).not.toContain('tg_ann');
  await expect(profiles.select('ann')).rejects.toThrow('There is no profile ann.');
});

test('without profiles and with a broken file, the error has a remedy', async () => {
  const profiles = createProfiles({}, undefined);
  await expect(profiles.account()).rejects.toMatchObject({
    kind: 'signedOut',
    remedy: [expect.stringContaining('taskgraph login')],
  });
  await profiles.save(ann);
  await writeFile(profiles.path, '{"current": ');
  await expect(profiles.account()).rejects.toMatchObject({ remedy: [expect.stringContaining('Delete it')] });
});
