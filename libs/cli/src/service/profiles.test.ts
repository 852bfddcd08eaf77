import { access, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openProfiles, originOf, USUAL_URL } from './profiles.ts';

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
});

test.each([
  'https://other.example',
  'http://plan.example',
  'https://plan.example:8443',
  'https://plan.example.evil.example',
])('the token of a profile is not sent to %s', async (url) => {
  await openProfiles({}, undefined).keep(ann);
  const profiles = openProfiles({ TASKGRAPH_URL: url }, undefined);
  await expect(profiles.account()).rejects.toMatchObject({
    kind: 'signedOut',
    message: `TASKGRAPH_URL is ${url}, and the profile default is of https://plan.example: its token is not sent elsewhere.`,
    remedy: [expect.stringContaining(`taskgraph login ${url}`), expect.stringContaining('TASKGRAPH_TOKEN')],
  });
  // To sign out there is all the same possible.
  expect(await profiles.profile()).toMatchObject({ name: 'default', url: 'https://plan.example', token: 'tg_ann' });
});

test('another address of the same origin has the same copy', async () => {
  await openProfiles({}, undefined).keep(ann);
  const [one, other] = await Promise.all(
    [{}, { TASKGRAPH_URL: 'https://PLAN.example:443/' }].map((given) => openProfiles(given, undefined).account()),
  );
  expect([one?.token, other?.token, one?.folder]).toEqual(['tg_ann', 'tg_ann', other?.folder]);
});

test('a profile has no name that every object has', async () => {
  await openProfiles({}, undefined).keep(ann);
  await expect(openProfiles({}, 'constructor').account()).rejects.toThrow('There is no profile constructor');
});

test.each(['plan.example', 'localhost:8080', 'file:///etc', ''])('%j is no address', async (url) => {
  expect(() => originOf(url)).toThrow(`${url} is no address.`);
});

describe('the copy of the graph of a profile is deleted', () => {
  const copyOf = async (url: string, token: string) => {
    const { folder: copy } = await openProfiles({ TASKGRAPH_URL: url, TASKGRAPH_TOKEN: token }, undefined).account();
    await mkdir(copy, { recursive: true });
    await writeFile(join(copy, 'replica.log'), 'x');
    return () =>
      access(copy).then(
        () => true,
        () => false,
      );
  };

  test('by a login with its name', async () => {
    const profiles = openProfiles({}, undefined);
    await profiles.keep(ann);
    const isThere = await copyOf(ann.url, ann.token);
    await profiles.keep(ann);
    expect(await isThere()).toBe(true);
    await profiles.keep(bob);
    expect(await isThere()).toBe(false);
  });

  test('by logout, unless another profile has the same token', async () => {
    const [first, second] = [openProfiles({}, 'first'), openProfiles({}, 'second')];
    await first.keep(ann);
    await second.keep(ann);
    const isThere = await copyOf(ann.url, ann.token);
    await second.forget(await second.account());
    expect(await isThere()).toBe(true);
    await first.forget(await first.account());
    expect(await isThere()).toBe(false);
  });
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
