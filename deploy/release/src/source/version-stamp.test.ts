// A release writes its version into a copy of the sources.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readVersion } from '../version.ts';
import { stampManifest, stampSources } from './version-stamp.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'taskgraph-stamp-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function write(path: string, content: string | object): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), typeof content === 'string' ? content : JSON.stringify(content));
}
const read = (path: string) => readFileSync(join(folder, path), 'utf8');

test('a manifest and its dependencies on packages of ours get the version', () => {
  const manifest = {
    name: '@taskgraph/cli',
    version: '0.1.0',
    dependencies: { '@taskgraph/client': '0.1.0', yaml: '^2.9.1' },
    devDependencies: { '@taskgraph/wire': '0.1.0' },
  };
  expect(stampManifest(manifest, '1.2.3')).toEqual({
    name: '@taskgraph/cli',
    version: '1.2.3',
    dependencies: { '@taskgraph/client': '1.2.3', yaml: '^2.9.1' },
    devDependencies: { '@taskgraph/wire': '1.2.3' },
  });
});

test('all sources with a version get the one of the release, and other packages keep theirs', () => {
  const workspace = { name: '@taskgraph/wire', version: '0.1.0', dependencies: { zod: '^4.6.7' } };
  write('package.json', { name: 'taskgraph', version: '0.1.0' });
  write('libs/wire/package.json', workspace);
  write('tools/package.json', { name: 'other', version: '9.0.0' });
  write('package-lock.json', {
    version: '0.1.0',
    packages: {
      '': { version: '0.1.0' },
      'libs/wire': workspace,
      'node_modules/@taskgraph/wire': { resolved: 'libs/wire', link: true },
      'node_modules/zod': { version: '4.6.7' },
    },
  });
  for (const name of ['openapi', 'asyncapi']) write(`docs/api/${name}.json`, { info: { version: '0.1.0' } });
  write('libs/client-python/pyproject.toml', '[project]\nname = "taskgraph-client"\nversion = "0.1.0"\n');
  for (const path of ['CHANGELOG.md', 'libs/client/CHANGELOG.md', 'libs/client-python/CHANGELOG.md'])
    write(path, '# Changelog\n\n## Unreleased\n\n- New.\n');
  const files = ['package.json', 'libs/wire/package.json', 'tools/package.json'];
  stampSources(folder, files, readVersion('1.2.3-rc.1'));

  expect(JSON.parse(read('package.json'))).toMatchObject({ version: '1.2.3-rc.1' });
  expect(JSON.parse(read('libs/wire/package.json'))).toEqual({ ...workspace, version: '1.2.3-rc.1' });
  expect(JSON.parse(read('tools/package.json'))).toMatchObject({ version: '9.0.0' });
  expect(JSON.parse(read('package-lock.json'))).toEqual({
    version: '1.2.3-rc.1',
    packages: {
      '': { version: '1.2.3-rc.1' },
      'libs/wire': { ...workspace, version: '1.2.3-rc.1' },
      'node_modules/@taskgraph/wire': { resolved: 'libs/wire', link: true },
      'node_modules/zod': { version: '4.6.7' },
    },
  });
  expect(JSON.parse(read('docs/api/openapi.json'))).toEqual({ info: { version: '1.2.3-rc.1' } });
  expect(read('libs/client-python/pyproject.toml')).toContain('\nversion = "1.2.3rc1"\n');
  expect(read('libs/client-python/CHANGELOG.md')).toContain('\n## 1.2.3-rc.1\n\n- New.\n');
});
