// The packed command line, installed beside the client.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { installPacked, type Project } from '@taskgraph/testkit/stack/packed';
import { sharedStack } from '@taskgraph/testkit/stack/shared-stack';
import { emailOf } from '@taskgraph/testkit/stack/users';
import { afterAll, beforeAll, expect, test } from 'vitest';

const stack = sharedStack();
let project: Project;
beforeAll(async () => {
  project = await installPacked(['client', 'cli']);
});
afterAll(() => project?.remove());

test('installed from its tarball, it adds, lists and shows', async () => {
  const { bin } = JSON.parse(
    readFileSync(join(project.folder, 'node_modules', '@taskgraph', 'cli', 'package.json'), 'utf8'),
  ) as { bin: { taskgraph: string } };
  const home = { XDG_CONFIG_HOME: join(project.folder, 'config'), XDG_DATA_HOME: join(project.folder, 'data') };
  const signedIn = {
    ...home,
    TASKGRAPH_URL: stack.urls[0] ?? '',
    TASKGRAPH_TOKEN: await stack.token(emailOf('packed')),
  };
  const program = join('node_modules', '@taskgraph', 'cli', bin.taskgraph);
  await project.run(program, signedIn, ['add', 'Go live']);
  await project.run(program, signedIn, ['add', 'Set up the domain', '--under', 'go-live']);
  const lines = await project.run(program, signedIn, ['tree', 'go-live']);
  expect(lines.some((line) => line.includes('Set up the domain'))).toBe(true);
});

test('it contains the program and no tests', () => {
  const [, cli] = project.packed;
  expect(cli?.files).toEqual(expect.arrayContaining(['README.md', 'bin/taskgraph.mjs', 'dist/main.js']));
  expect(cli?.files.filter((path) => /test|\.map$|^src|tsbuildinfo/.test(path))).toEqual([]);
});
