// Words in the whole command line: search, references, tags and completion ignore case, accents and
// Unicode form. Rule: IO7.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { sharedStack } from '@taskgraph/testkit/stack/shared-stack';
import { emailOf } from '@taskgraph/testkit/stack/users';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Home, openHome, PROGRAM } from './support/home.ts';

const stack = sharedStack();

let home: Home;
beforeAll(async () => {
  home = await openHome({ TASKGRAPH_URL: stack.urls[0] ?? '', TASKGRAPH_TOKEN: await stack.token(emailOf('ann')) });
  await home.run(['add', 'İstanbul işleri', '--tag', 'Büro']);
  for (const step of ['Step 10', 'Step 9']) await home.run(['add', step]);
  await home.run(['ls']);
});
afterAll(() => home?.remove());

const titlesOf = async (...words: readonly string[]) =>
  (await home.json<{ title: string }[]>('--offline', ...words)).map(({ title }) => title);

test('[IO7] search, references, tags and statuses compare words', async () => {
  expect(await titlesOf('search', 'ISTANBUL', 'isler')).toEqual(['İstanbul işleri']);
  expect(await titlesOf('search', 'buro')).toEqual(['İstanbul işleri']);
  expect(await titlesOf('search', 'tanbul')).toEqual([]);
  expect(await titlesOf('ls', '--tag', 'BU\u0308RO')).toEqual(['İstanbul işleri']);
  expect(await titlesOf('ls', '--status', 'ＡＶＡＩＬＡＢＬＥ')).toEqual(['İstanbul işleri', 'Step 9', 'Step 10']);
  expect(await home.json('--offline', 'show', 'istanbul')).toMatchObject({ title: 'İstanbul işleri' });
});

test('[IO7] a title is completed from its letters without accents', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [PROGRAM, 'complete', '--', 'show', 'istan'], {
    env: { ...process.env, ...home.environment },
  });
  expect(stdout).toContain('istanbul-isleri\t');
});
