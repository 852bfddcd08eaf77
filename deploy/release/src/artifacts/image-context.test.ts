// The build context of the image has the files that its Dockerfile admits.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { repositoryPath } from '../repository.ts';
import { admittedFiles } from './image-context.ts';

const RULES = readFileSync(repositoryPath('deploy', 'image', 'Dockerfile.dockerignore'), 'utf8');

test('it has the files that the rules admit, and no others', () => {
  const files = ['package.json', 'tsconfig.base.json', 'libs/wire/src/ids.ts', 'deploy/image/Dockerfile', 'libsx/a.ts'];
  const others = ['README.md', 'docs/rules.md', 'helm/taskgraph/Chart.yaml', 'libs/tsconfig.json'];
  expect(admittedFiles([...files, ...others], RULES)).toEqual([
    'package.json',
    'tsconfig.base.json',
    'libs/wire/src/ids.ts',
    'deploy/image/Dockerfile',
    'libs/tsconfig.json',
  ]);
});

test('rules of another form are refused', () => {
  expect(() => admittedFiles([], '*\n!libs\nlibs/secret\n')).toThrow('libs/secret');
  expect(() => admittedFiles([], '*\n!libs/**/a\n')).toThrow('!libs/**/a');
});
