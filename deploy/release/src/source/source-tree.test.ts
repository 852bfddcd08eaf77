import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readSourceTree } from './source-tree.ts';

let folder = '';

function git(...given: string[]): void {
  const identity = ['-c', 'user.name=a', '-c', 'user.email=a@example.com'];
  const { status, stderr } = spawnSync('git', [...identity, ...given], { cwd: folder, encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'taskgraph-source-tree-'));
  git('init', '--quiet');
  writeFileSync(join(folder, 'a.txt'), 'a');
  git('add', '.');
  git('commit', '--quiet', '--message', 'One');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test('each new file is a change, also if the settings of Git hide them', async () => {
  expect(await readSourceTree(folder)).toMatchObject({ files: ['a.txt'], changes: [] });
  git('config', 'status.showUntrackedFiles', 'no');
  mkdirSync(join(folder, 'new'));
  for (const name of ['b.txt', 'c.txt']) writeFileSync(join(folder, 'new', name), name);
  expect((await readSourceTree(folder)).changes).toEqual(['?? new/b.txt', '?? new/c.txt']);
});

test.each(['a.txt', '/etc/hostname', 'nothing'])('a symbolic link to %s is refused', async (target) => {
  symlinkSync(target, join(folder, 'link'));
  git('add', '.');
  git('commit', '--quiet', '--message', 'Two');
  await expect(readSourceTree(folder)).rejects.toThrow('1 files are not regular files, such as link');
});

test('a file that was deleted from the checkout is a change, and not packed', async () => {
  rmSync(join(folder, 'a.txt'));
  expect(await readSourceTree(folder)).toMatchObject({ files: [], changes: [' D a.txt'] });
});
